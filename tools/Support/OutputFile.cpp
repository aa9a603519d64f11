// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OutputFile.h"

#include "Support/FileWriter.h"

#include "llvm/Support/Signals.h"

using namespace mlir::ttc;

struct OutputFile::File {
  explicit File(StringRef path) : writer(path.str()) {}

  ::ttc::FileWriter writer;
  uint64_t position = 0;
  std::string removedOnSignal;
};

OutputFile::OutputFile(StringRef path) : file(std::make_unique<File>(path)) {}

std::unique_ptr<OutputFile> OutputFile::open(StringRef path, OutputKind kind, std::string &error) {
  std::unique_ptr<OutputFile> output(new OutputFile(path));
  ::ttc::FileWriter &writer = output->file->writer;
  if (!writer.open()) {
    error = "cannot open output file " + writer.describe() + ": " + writer.reason();
    return nullptr;
  }
  if (kind == OutputKind::Binary && writer.isTerminal()) {
    error = "expected a file for binary output (-o), found a terminal";
    return nullptr;
  }
  return output;
}

OutputFile::~OutputFile() {
  flush();
  if (!file->removedOnSignal.empty())
    llvm::sys::DontRemoveFileOnSignal(file->removedOnSignal);
}

/// A huge page: the system then caches the file in huge pages, which load in a tenth of the time.
size_t OutputFile::preferred_buffer_size() const { return size_t(2) << 20; }

uint64_t OutputFile::current_pos() const { return file->position; }

void OutputFile::write_impl(const char *bytes, size_t size) {
  file->position += size;
  file->writer.write({bytes, size}); // keep() reports an error
  // Only where the file system has no files without a name.
  const std::string &temporary = file->writer.temporaryPath();
  if (file->removedOnSignal.empty() && !temporary.empty()) {
    file->removedOnSignal = temporary;
    llvm::sys::RemoveFileOnSignal(temporary);
  }
}

llvm::LogicalResult OutputFile::keep(std::string &error) {
  flush();
  if (file->writer.keep())
    return success();
  error = "cannot write " + file->writer.describe() + ": " + file->writer.reason();
  return failure();
}
