// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Check/Execute.h"

#include "Base/Error.h"
#include "Bundle/Code.h"
#include "Check/ProgramChecks.h"
#include "Formats/Printing.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/core.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ttrun {

namespace {
/// What the process that runs a program writes to a pipe, followed by the message.
struct Verdict {
  uint64_t alone = 0;
  bool good = false;
};
} // namespace

static void writeAll(int file, const void *data, size_t size) {
  const auto *bytes = static_cast<const char *>(data);
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return; // the other side finds the verdict incomplete
    bytes += written;
    size -= static_cast<size_t>(written);
  }
}

/// What one program needs: each byte of its operands twice, and its results a few times.
static uint64_t bytesNeeded(const ttrt::fb::Program &program) {
  uint64_t bytes = program.scratch_bytes();
  for (uint32_t i = 0; i < ttrt::count(program.operands()); ++i) {
    const uint64_t operand = program.operands()->Get(i)->bytes();
    if (operand > UINT64_MAX / 512)
      return UINT64_MAX;
    bytes += 4 * operand;
  }
  return bytes;
}

/// In the process of a program: the verdict and a message.
static Verdict runProgram(const ttrt::Bundle &bundle, uint32_t index, std::string &message) {
  Verdict verdict;
  try {
    const ttrt::Code code(bundle);
    ProgramRunner runner(*bundle.metadata().programs()->Get(index), code.function(index), index);
    verdict.alone = checkProgram(runner);
    verdict.good = true;
  } catch (const Violation &violation) {
    message = violation.message;
  } catch (const ttrt::Error &error) {
    message = error.message;
  } catch (const std::bad_alloc &) {
    message = fmt::format("cannot be run: expected memory for operands and scratch of {} bytes",
                          bytesNeeded(*bundle.metadata().programs()->Get(index)) / 4);
  }
  return verdict;
}

/// Reads until the other side is closed.
static std::string readAll(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t bytes = read(file, buffer, sizeof(buffer));
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes <= 0)
      return text;
    text.append(buffer, static_cast<size_t>(bytes));
  }
}

static std::system_error systemError(const char *what) {
  return {errno, std::generic_category(), what};
}

/// Runs one program; returns its problem, or "".
static std::string execute(const ttrt::Bundle &bundle, uint32_t index, unsigned seconds,
                           Execution &execution) {
  int ends[2];
  if (pipe(ends) != 0)
    throw systemError("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) {
    const std::system_error error = systemError("cannot start a process");
    close(ends[0]);
    close(ends[1]);
    throw error;
  }
  if (child == 0) {
    close(ends[0]);
    alarm(seconds);
    std::string message;
    const Verdict verdict = runProgram(bundle, index, message);
    writeAll(ends[1], &verdict, sizeof(verdict));
    writeAll(ends[1], message.data(), message.size());
    _exit(0);
  }
  close(ends[1]);
  const std::string text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("has not ended after {} second{}", seconds, plural(seconds));
  if (WIFSIGNALED(status))
    return fmt::format("ends its process by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  Verdict verdict;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.size() < sizeof(verdict))
    return "ends its process";
  memcpy(&verdict, text.data(), sizeof(verdict));
  execution.alone += verdict.alone;
  return verdict.good ? "" : text.substr(sizeof(verdict));
}

Execution executePrograms(const ttrt::Bundle &bundle, unsigned seconds) {
  Execution execution;
  const auto begin = std::chrono::steady_clock::now();
  // What is not yet written would be written by each process.
  fflush(stdout);
  fflush(stderr);
  const auto *programs = bundle.metadata().programs();
  const uint64_t memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  for (uint32_t i = 0; i < ttrt::count(programs); ++i) {
    const ttrt::fb::Program &program = *programs->Get(i);
    auto message = [&](std::string text) {
      return ProgramMessage{i, ttrt::text(program.symbol()), std::move(text)};
    };
    if (program.host_function())
      continue; // no code of the bundle
    if (const uint64_t needed = bytesNeeded(program); needed > memory) {
      execution.skipped.push_back(
          message(fmt::format("needs {} bytes of memory; this machine has {}", needed, memory)));
      continue;
    }
    if (std::string problem = execute(bundle, i, seconds, execution); !problem.empty())
      execution.problems.push_back(message(std::move(problem)));
    ++execution.programs;
    execution.workgroups += program.grid();
  }
  execution.nanoseconds = static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  return execution;
}

} // namespace ttrun
