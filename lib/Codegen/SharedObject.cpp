// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lld as a library. It works on files, so objects pass through a temporary directory; no path
// reaches the output.
#include "SharedObject.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace mlir::ttc;

static llvm::Error writeFile(const llvm::Twine &path, llvm::ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path.str(), error, llvm::sys::fs::OF_None);
  if (!error) {
    stream.write(bytes.data(), bytes.size());
    stream.close();
    error = stream.error();
  }
  if (error)
    return llvm::createStringError(error, "cannot write " + path.str() + ": " + error.message());
  return llvm::Error::success();
}

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
static llvm::Error runLinker(llvm::ArrayRef<const char *> argv, const std::string &messages) {
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
    std::error_code error;
    llvm::raw_fd_ostream stream(messages, error);
    bool linked = !error && lld::elf::link(argv, llvm::nulls(), stream, /*exitEarly=*/false,
                                           /*disableOutput=*/false);
    stream.flush();
    _exit(linked ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return llvm::Error::success();
  auto text = llvm::MemoryBuffer::getFile(messages);
  return llvm::createStringError(
      "linking the programs failed: " +
      (text ? (*text)->getBuffer().str() : "the linker did not end normally"));
}

llvm::Expected<llvm::SmallVector<char, 0>>
mlir::ttc::linkSharedObject(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects) {
  llvm::SmallString<128> directory;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("ttc-link", directory))
    return llvm::createStringError(error, "cannot make a temporary directory: " + error.message());
  llvm::scope_exit cleanup([&] { llvm::sys::fs::remove_directories(directory); });

  // --no-undefined: a bundle must run without libc. --gc-sections drops unused library functions.
  std::string output = (directory + "/code.so").str();
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
                                   output};
  for (auto [index, object] : llvm::enumerate(objects)) {
    args.push_back((directory + "/" + llvm::Twine(index) + ".o").str());
    if (llvm::Error error = writeFile(args.back(), object))
      return std::move(error);
  }
  std::vector<const char *> argv;
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());

  std::string messages = (directory + "/messages").str();
  if (llvm::Error error = runLinker(argv, messages))
    return std::move(error);
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read the linked programs");
  llvm::StringRef bytes = (*buffer)->getBuffer();
  return llvm::SmallVector<char, 0>(bytes.begin(), bytes.end());
}
