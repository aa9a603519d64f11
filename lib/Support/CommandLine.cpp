// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/CommandLine.h"
#include "Support/Suggest.h"
#include "ttc/Support/Spelling.h"
#include "ttrt/format/utf8.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <cstring>
#include <exception>
#include <unistd.h>

using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// What ends a tool early
//===----------------------------------------------------------------------===//

static constexpr int kFailed = 1;
static constexpr char kBugReport[] =
    "This is a fault of ttc " TTC_VERSION ". Please report it to the authors of ttc, with the "
    "command, the model and these lines:\n";

/// Not a std::string: it is read when there is no memory.
static char inputName[256];

void mlir::ttc::nameInput(StringRef input) {
  input = input.take_front(sizeof(inputName) - 1);
  std::memcpy(inputName, input.data(), input.size());
  inputName[input.size()] = 0;
}

/// Without allocating.
static void printError(const char *what, const char *reason) {
  const char *parts[] = {"error: ", inputName, *inputName ? ": " : "", what, reason, "\n"};
  for (const char *part : parts)
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0)
      break;
}

[[noreturn]] static void endWith(const char *what, const char *reason) {
  printError(what, reason);
  llvm::sys::RunInterruptHandlers(); // removes temporary files
  _exit(kFailed);
}

static void endOutOfMemory(void *, const char *, bool) {
  endWith("out of memory: compiling needs more than the machine, or a limit (ulimit -v), gives",
          "");
}

/// A thread that cannot be started is not an error in ttc. After any other fatal error, LLVM dumps
/// the stack.
static void reportFatalError(void *, const char *reason, bool) {
  if (llvm::StringRef(reason).contains("pthread_create"))
    endWith("cannot continue: ", reason);
  printError("", reason);
}

/// For example a std::system_error of a thread that cannot be started.
[[noreturn]] static void endByException() {
  if (std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc &) {
      endOutOfMemory(nullptr, "", false);
    } catch (const std::exception &error) {
      endWith("cannot continue: ", error.what());
    } catch (...) {
    }
  }
  std::abort();
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

void mlir::ttc::setUpCommandLine() {
  llvm::install_bad_alloc_error_handler(endOutOfMemory);
  llvm::install_fatal_error_handler(reportFatalError);
  std::set_terminate(endByException);
  llvm::setBugReportMsg(kBugReport);
  // A limit on the size of files is an error of the write. InitLLVM takes it for a crash.
  signal(SIGXFSZ, SIG_IGN);
  // Only libLLVM registers options before main(), by static objects; MLIR and ttc register theirs
  // later.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "help-hidden" && name != "version" &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  registerSpelling();
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &output) {
    output << "ttc " TTC_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
}

/// What LLVM says of a command line, with our suggestions: its own are from all of its options.
static void printUsageErrors(llvm::StringRef messages, llvm::StringRef tool) {
  std::vector<std::string> names;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      names.push_back(name.str());
  llvm::sort(names);
  llvm::SmallVector<llvm::StringRef> lines;
  messages.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::StringRef given = line.split(": Unknown command line argument '").second;
    if (line.contains(": Did you mean '"))
      continue;
    if (given.empty()) {
      llvm::errs() << ttrt::printable({line.data(), line.size()}) << "\n";
      continue;
    }
    given = given.take_front(given.rfind("'.  Try: "));
    const std::string option = given.ltrim('-').split('=').first.str();
    const std::string nearest = ::ttc::nearestName(option, names);
    llvm::errs() << "error: unknown option --" << ttrt::printable(option) << "; "
                 << (nearest.empty() ? "see " + tool.str() + " --help"
                                     : "did you mean '--" + nearest + "'?")
                 << "\n";
  }
}

void mlir::ttc::parseCommandLine(int argc, char **argv, StringRef overview) {
  setCommand(ArrayRef<const char *>(argv, argc).drop_front());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (llvm::cl::ParseCommandLineOptions(argc, argv, overview, &stream))
    return;
  printUsageErrors(messages, llvm::sys::path::filename(argv[0]));
  exit(kFailed);
}

void mlir::ttc::printLocationsByDefault() {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("mlir-print-debuginfo");
  assert(option && "expected the options of the assembly printer");
  if (!option->getNumOccurrences())
    option->addOccurrence(0, "mlir-print-debuginfo", "true");
}
