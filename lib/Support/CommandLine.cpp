// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/CommandLine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fs = llvm::sys::fs;

void mlir::ttc::setUpCommandLine() {
  // Only libLLVM registers options before main(), by static objects; MLIR and ttc register theirs
  // later.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "help-hidden" && name != "version" &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &output) {
    output << "ttc " TTC_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
}

void mlir::ttc::printLocationsByDefault() {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("mlir-print-debuginfo");
  assert(option && "expected the options of the assembly printer");
  if (!option->getNumOccurrences())
    option->addOccurrence(0, "mlir-print-debuginfo", "true");
}

std::unique_ptr<OutputFile> OutputFile::open(StringRef path, OutputKind kind, std::string &error) {
  std::unique_ptr<OutputFile> file(new OutputFile(path));
  auto fail = [&](std::error_code code) {
    error = ("cannot open output file '" + path + "': " + code.message()).str();
    return nullptr;
  };
  fs::file_status status;
  bool exists = path != "-" && !fs::status(path, status);
  std::error_code code;
  if (path == "-" || (exists && !fs::is_regular_file(status))) {
    file->stream.emplace(path, code, fs::OF_None);
    if (code)
      return fail(code);
    if (kind == OutputKind::Binary && file->stream->is_displayed()) {
      error = "expected a file for binary output (-o), found a terminal";
      return nullptr;
    }
    return file;
  }
  if (exists) {
    // Renaming would replace even a file without write permission.
    if ((code = fs::access(path, fs::AccessMode::Write)))
      return fail(code);
    // A symbolic link stays; the file that it points to is replaced.
    llvm::SmallString<128> resolved;
    if ((code = fs::real_path(path, resolved)))
      return fail(code);
    file->path = resolved.str();
  }
  std::string temporary = file->path + ".new" + std::to_string(llvm::sys::Process::getProcessId());
  unsigned permissions = exists ? status.permissions() : fs::all_read | fs::all_write;
  int descriptor;
  if ((code =
           fs::openFileForWrite(temporary, descriptor, fs::CD_CreateNew, fs::OF_None, permissions)))
    return fail(code);
  llvm::sys::RemoveFileOnSignal(temporary);
  if (exists)
    fs::setPermissions(descriptor, static_cast<fs::perms>(permissions)); // despite the umask
  file->temporary = std::move(temporary);
  file->stream.emplace(descriptor, /*shouldClose=*/true);
  return file;
}

LogicalResult OutputFile::keep(std::string &error) {
  stream->flush();
  if (path != "-")
    stream->close();
  std::error_code code = stream->error();
  stream->clear_error(); // its destructor would end the program
  if (!code && !temporary.empty() && !(code = fs::rename(temporary, path))) {
    llvm::sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
  }
  if (!code)
    return success();
  error = "cannot write " + (path == "-" ? "standard output" : "'" + path + "'") + ": " +
          code.message();
  return failure();
}

OutputFile::~OutputFile() {
  if (stream) {
    stream->flush();
    stream->clear_error();
  }
  if (temporary.empty())
    return;
  fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
}
