// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lld as a library. It works on files, so objects are files in memory; no path reaches the output.
#include "SharedObject.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <deque>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace mlir::ttc;

namespace {
/// A file that exists in memory only, so that nothing is left of it, however the process ends.
class MemoryFile {
public:
  MemoryFile() : descriptor(memfd_create("ttc-link", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  int get() const { return descriptor; }
  /// By which this process and its children can open it.
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

  llvm::Error write(llvm::ArrayRef<char> bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return fail("write");
      bytes = bytes.drop_front(static_cast<size_t>(written));
    }
    return llvm::Error::success();
  }
  llvm::Expected<llvm::SmallVector<char, 0>> read() const {
    const off_t size = lseek(descriptor, 0, SEEK_END);
    if (size < 0)
      return fail("read");
    llvm::SmallVector<char, 0> bytes(static_cast<size_t>(size));
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t got =
          pread(descriptor, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return fail("read");
      at += static_cast<size_t>(got);
    }
    return bytes;
  }
  static llvm::Error fail(const char *what) {
    const std::error_code error(errno, std::generic_category());
    return llvm::createStringError(error,
                                   std::string("cannot ") + what +
                                       " a file in memory for the linker: " + error.message());
  }

private:
  const int descriptor;
};
} // namespace

/// The longest that a child may take; linking takes less than a second.
static constexpr unsigned kSecondsToLink = 600;

/// Runs lld in a child of this process. Called as a function it would reset every command line
/// option of the tool that it is linked into (cl::ResetAllOptionOccurrences), and a fatal error of
/// it ends the process. Starting a separate program instead would require finding where one is
/// installed.
///
/// A child of a process with threads has only the thread that forked, and locks that others held
/// stay locked. The child is safe from that:
/// - The threads of MLIR's pool are idle: linking begins when all objects are compiled.
/// - The allocator's locks are taken over by fork() itself (glibc, musl).
/// - lld starts no threads (--threads=1), reads and writes only the files named here, and loads no
///   library. The child ends by _exit(): no destructor and no exit handler runs.
/// Should another thread of an embedding process hold a lock inside LLVM after all, the child is
/// ended by its alarm, and linking fails with a message.
///
/// The library is written to `output`, which is the child's standard output: lld replaces a file
/// that has a name.
static llvm::Error runLinker(llvm::ArrayRef<const char *> argv, const MemoryFile &output,
                             const MemoryFile &messages) {
  llvm::outs().flush(); // or the child would write what is left in it
  pid_t child = fork();
  if (child < 0)
    return llvm::createStringError(std::error_code(errno, std::generic_category()),
                                   "cannot start the linker");
  if (child == 0) {
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, nullptr);
    signal(SIGALRM, SIG_DFL);
    alarm(kSecondsToLink);
    llvm::raw_fd_ostream stream(messages.get(), /*shouldClose=*/false);
    bool linked = dup2(output.get(), STDOUT_FILENO) >= 0 &&
                  lld::elf::link(argv, llvm::nulls(), stream, /*exitEarly=*/false,
                                 /*disableOutput=*/false);
    stream.flush();
    _exit(linked ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return llvm::Error::success();
  auto text = messages.read();
  if (!text)
    return text.takeError();
  return llvm::createStringError("linking the programs failed: " +
                                 (text->empty() ? "the linker did not end normally"
                                                : std::string(text->begin(), text->end())));
}

llvm::Expected<llvm::SmallVector<char, 0>>
mlir::ttc::linkSharedObject(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects) {
  // --no-undefined: a bundle must run without libc. --gc-sections drops unused library functions.
  std::vector<std::string> args = {"ld.lld",
                                   "-shared",
                                   "-Bsymbolic",
                                   "--no-undefined",
                                   "--gc-sections",
                                   "--strip-all",
                                   "--build-id=none",
                                   "--hash-style=gnu",
                                   "--threads=1",
                                   "-z",
                                   "max-page-size=4096",
                                   "-z",
                                   "noexecstack",
                                   "-z",
                                   "now",
                                   "-o",
                                   "-"};
  std::deque<MemoryFile> files(objects.size());
  for (auto [file, object] : llvm::zip_equal(files, objects)) {
    if (file.get() < 0)
      return MemoryFile::fail("make");
    if (llvm::Error error = file.write(object))
      return std::move(error);
    args.push_back(file.path());
  }
  std::vector<const char *> argv;
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());

  const MemoryFile output, messages;
  if (output.get() < 0 || messages.get() < 0)
    return MemoryFile::fail("make");
  if (llvm::Error error = runLinker(argv, output, messages))
    return std::move(error);
  return output.read();
}
