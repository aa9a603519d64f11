// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Sandbox.h"

#include "Formats/BundleMessage.h"
#include "Formats/Printing.h"
#include "Run/Confine.h"
#include "Support/Error.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fmt/core.h>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ttrun {

/// The confined process can write all of this at any time.
struct Sandbox::Control {
  std::atomic<uint32_t> wanted = 0;  ///< runs that were asked for
  std::atomic<uint32_t> noTrace = 0; ///< for the next run
  std::atomic<uint32_t> done = 0;    ///< 1: ready; then 1 more for each run; kFailed
  std::atomic<uint32_t> cores = 0;
  std::atomic<uint32_t> forbidden = 0; ///< a system call's number + 1
  ttrt_error error{};
  static constexpr uint32_t kFailed = ~0u;
};

static constexpr size_t kPage = 4096;

static size_t alignUp(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

static void wake(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Returns when the word is not `value` any more, or earlier.
static void sleepWhile(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

Sandbox::Sandbox(const std::string &path, const ttrt_bundle *bundle, uint32_t entry,
                 const ttrt_device_options &device, const std::vector<ttrt_input> &inputs,
                 const std::vector<ttrt_output> &outputs)
    : path_(path), inputs_(inputs), outputs_(outputs) {
  inputsBegin_ = outputsBegin_ = alignUp(sizeof(Control));
  for (const ttrt_input &input : inputs)
    outputsBegin_ += alignUp(input.bytes);
  sharedBytes_ = outputsBegin_;
  for (const ttrt_output &output : outputs)
    sharedBytes_ += alignUp(output.bytes);
  void *address =
      mmap(nullptr, sharedBytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    throw UserError(
        fmt::format("--sandbox: cannot share {} bytes: {}", sharedBytes_, strerror(errno)));
  shared_ = static_cast<uint8_t *>(address);
  control_ = new (shared_) Control;
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ < 0) {
    const int reason = errno;
    munmap(shared_, sharedBytes_);
    throw UserError(fmt::format("--sandbox: cannot start a process: {}", strerror(reason)));
  }
  if (child_ == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent)
      serve(bundle, entry, device);
    _exit(1);
  }
  try {
    watcher_ = std::thread([this] {
      siginfo_t info;
      // The child stays a zombie until release(), so its number is not given to another process.
      while (waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT) != 0 &&
             errno == EINTR) {
      }
      ended_.store(true);
      control_->done.fetch_add(1); // so that a waiter that has not gone to sleep yet does not
      wake(control_->done);
    });
    waitUntil(1);
    cores_ = std::clamp<uint32_t>(control_->cores.load(), 1, 1024);
  } catch (...) {
    release();
    throw;
  }
}

Sandbox::~Sandbox() { release(); }

void Sandbox::release() {
  kill(child_, SIGKILL);
  if (watcher_.joinable())
    watcher_.join();
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  munmap(shared_, sharedBytes_);
}

/// The confined process. Nothing is returned to, and no destructor runs.
void Sandbox::serve(const ttrt_bundle *bundle, uint32_t entry, const ttrt_device_options &options) {
  auto failed = [&] {
    control_->done.store(Control::kFailed);
    wake(control_->done);
    _exit(1);
  };
  ttrt_device *device;
  if (ttrt_device_open(bundle, &options, &device, &control_->error) != TTRT_OK)
    failed();
  control_->cores.store(ttrt_device_cores(device));
  std::vector<ttrt_input> inputs = inputs_;
  std::vector<ttrt_output> outputs = outputs_;
  uint8_t *at = shared_ + inputsBegin_;
  for (ttrt_input &input : inputs) {
    input.data = at;
    at += alignUp(input.bytes);
  }
  for (ttrt_output &output : outputs) {
    output.data = at;
    at += alignUp(output.bytes);
  }
  ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
  // Nothing of the bundle has run so far: verification refuses code that runs while it is loaded.
  const char *problem = nullptr;
  if (outputsBegin_ > inputsBegin_ &&
      mprotect(shared_ + inputsBegin_, outputsBegin_ - inputsBegin_, PROT_READ) != 0)
    problem = "protect the inputs";
  if (!problem)
    problem = confineProcess(control_->forbidden);
  if (problem) {
    control_->error.status = TTRT_INTERNAL;
    snprintf(control_->error.message, sizeof(control_->error.message), "cannot %s: %s", problem,
             strerror(errno));
    failed();
  }
  for (uint32_t runs = 0;; ++runs) {
    control_->done.store(runs + 1);
    wake(control_->done);
    while (control_->wanted.load() == runs)
      sleepWhile(control_->wanted, runs);
    run.no_trace = control_->noTrace.load() != 0;
    if (ttrt_run(device, entry, inputs.data(), outputs.data(), &run, &control_->error) != TTRT_OK)
      failed();
  }
}

void Sandbox::waitUntil(uint32_t wanted) {
  for (;;) {
    const uint32_t done = control_->done.load();
    if (done == wanted && !ended_.load())
      return;
    if (done == Control::kFailed || ended_.load())
      failEnded();
    sleepWhile(control_->done, done);
  }
}

/// What went wrong, according to the other process, which is not trusted: its messages are only
/// shown.
void Sandbox::failEnded() {
  siginfo_t info{};
  kill(child_, SIGKILL); // no effect if it has ended by itself
  while (waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  uint32_t status;
  char message[sizeof(ttrt_error::message)];
  memcpy(&status, &control_->error.status, sizeof(status));
  memcpy(message, control_->error.message, sizeof(message));
  message[sizeof(message) - 1] = 0;
  const bool started = runs_ > 0;
  if (const uint32_t call = control_->forbidden.load())
    throw BadBundle(fmt::format("{}: its code made system call {}, which the sandbox forbids; "
                                "expected none",
                                path_, call - 1));
  if (status == TTRT_INTERNAL && !started)
    throw UserError(fmt::format("--sandbox: {}", printable(message)));
  if (status != TTRT_OK)
    throw BadBundle(bundleMessage(
        path_, status <= TTRT_UNTRUSTED ? static_cast<ttrt_status>(status) : TTRT_INTERNAL,
        printable(message)));
  throw BadBundle(info.si_code == CLD_EXITED
                      ? fmt::format("{}: its code ended the process, with status {}; expected it "
                                    "to return",
                                    path_, info.si_status)
                      : fmt::format("{}: its code crashed: {}", path_, strsignal(info.si_status)));
}

void Sandbox::run(bool noTrace) {
  uint8_t *at = shared_ + inputsBegin_;
  for (const ttrt_input &input : inputs_) {
    memcpy(at, input.data, input.bytes);
    at += alignUp(input.bytes);
  }
  control_->noTrace.store(noTrace);
  control_->wanted.store(++runs_);
  wake(control_->wanted);
  waitUntil(runs_ + 1);
  for (const ttrt_output &output : outputs_) {
    memcpy(output.data, at, output.bytes);
    at += alignUp(output.bytes);
  }
}

} // namespace ttrun
