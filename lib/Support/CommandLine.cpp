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
  // What is registered before main() are static objects of libLLVM; MLIR's and ttc's come later.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "help-hidden" && name != "version" &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &output) {
    output << "ttc " TTC_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
}

std::unique_ptr<OutputFile> OutputFile::open(StringRef path, std::string &error) {
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
    return code ? fail(code) : std::move(file);
  }
  if (exists) {
    // A new file could take the place of one that must not be written.
    if ((code = fs::access(path, fs::AccessMode::Write)))
      return fail(code);
    // Where it is a link, the file that it names is replaced.
    llvm::SmallString<128> resolved;
    if ((code = fs::real_path(path, resolved)))
      return fail(code);
    file->path = resolved.str();
  }
  std::string beside = file->path + ".new" + std::to_string(llvm::sys::Process::getProcessId());
  unsigned permissions = exists ? status.permissions() : fs::all_read | fs::all_write;
  int descriptor;
  if ((code = fs::openFileForWrite(beside, descriptor, fs::CD_CreateNew, fs::OF_None, permissions)))
    return fail(code);
  llvm::sys::RemoveFileOnSignal(beside);
  if (exists)
    fs::setPermissions(descriptor, static_cast<fs::perms>(permissions)); // whatever the mask
  file->beside = std::move(beside);
  file->stream.emplace(descriptor, /*shouldClose=*/true);
  return file;
}

LogicalResult OutputFile::keep(std::string &error) {
  stream->flush();
  if (path != "-")
    stream->close();
  std::error_code code = stream->error();
  stream->clear_error(); // else its destructor ends the program
  if (!code && !beside.empty() && !(code = fs::rename(beside, path))) {
    llvm::sys::DontRemoveFileOnSignal(beside);
    beside.clear();
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
  if (beside.empty())
    return;
  fs::remove(beside);
  llvm::sys::DontRemoveFileOnSignal(beside);
}
