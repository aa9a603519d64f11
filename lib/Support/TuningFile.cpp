// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format, version 1:
//
//   ttc tuning 1
//   version 0.1.0
//   cpu znver5 +adx,+aes,...
//   OP => ATTRIBUTE          for each entry, sorted by OP
//   end N                    the number of entries
#include "ttc/Support/TuningFile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::ttc;

static constexpr StringLiteral kFormat = "ttc tuning ", kFormatVersion = "1", kVersion = "version ",
                               kCpu = "cpu ", kSeparator = " => ", kEnd = "end ";

/// A file is some hundred bytes for each op; one of this size is another file.
static constexpr uint64_t kMostBytes = 64 << 20;
static constexpr size_t kMostAttributeBytes = 1024;

static std::string getCpuText(const CpuTarget &cpu) {
  return cpu.features.empty() ? cpu.cpu : cpu.cpu + " " + cpu.features;
}

void mlir::ttc::writeTuningFile(DictionaryAttr entries, const CpuTarget &cpu,
                                llvm::raw_ostream &output) {
  output << kFormat << kFormatVersion << "\n" << kVersion << TTC_VERSION << "\n";
  output << kCpu << getCpuText(cpu) << "\n";
  for (NamedAttribute entry : entries)
    output << entry.getName().getValue() << kSeparator << entry.getValue() << "\n";
  output << kEnd << entries.size() << "\n";
}

namespace {

/// Where and how a CPU's text differs from the expected one, in few words.
std::string describeCpu(StringRef found, StringRef expected) {
  auto [foundName, foundFeatures] = found.split(' ');
  auto [name, features] = expected.split(' ');
  if (foundName != name)
    return ("expected " + name + ", found " + foundName).str();
  SmallVector<StringRef> wanted, given;
  features.split(wanted, ',', -1, false);
  foundFeatures.split(given, ',', -1, false);
  for (StringRef feature : wanted)
    if (!llvm::is_contained(given, feature))
      return ("expected " + name + " with " + feature + ", found it without").str();
  for (StringRef feature : given)
    if (!llvm::is_contained(wanted, feature))
      return ("expected " + name + " without " + feature + ", found it with").str();
  return "expected the features of " + name.str() + " in order, each once";
}

class Reader {
public:
  Reader(StringRef path, StringRef text, MLIRContext *context,
         llvm::function_ref<InFlightDiagnostic()> emitError)
      : path(path), rest(text), context(context), emitError(emitError) {}

  FailureOr<SmallVector<NamedAttribute>> read(const CpuTarget &cpu) {
    if (failed(readHeader(cpu)))
      return failure();
    SmallVector<NamedAttribute> entries;
    while (true) {
      FailureOr<StringRef> line = next("an entry or 'end'");
      if (failed(line))
        return failure();
      if (line->starts_with(kEnd)) {
        if (line->drop_front(kEnd.size()) != std::to_string(entries.size()))
          return fail() << "expected 'end " << entries.size() << "', the number of entries, found "
                        << quote(*line);
        break;
      }
      FailureOr<NamedAttribute> entry = parseEntry(*line);
      if (failed(entry))
        return failure();
      if (!entries.empty() && entries.back().getName().strref() >= entry->getName().strref())
        return fail() << "expected entries that are sorted, each once, found "
                      << quote(entry->getName());
      entries.push_back(*entry);
    }
    if (!rest.empty()) {
      ++number;
      return fail() << "expected nothing after 'end', found "
                    << quote(rest.take_until([](char c) { return c == '\n'; }));
    }
    return entries;
  }

private:
  LogicalResult readHeader(const CpuTarget &cpu) {
    FailureOr<StringRef> line = next("'ttc tuning 1'");
    if (failed(line))
      return failure();
    if (!line->consume_front(kFormat))
      return fail() << "expected a file of --tune, which begins with 'ttc tuning', found "
                    << quote(*line);
    if (*line != kFormatVersion)
      return fail() << "expected version " << kFormatVersion << " of the format, found "
                    << quote(*line);
    line = next("'version'");
    if (failed(line))
      return failure();
    if (!line->consume_front(kVersion))
      return fail() << "expected 'version', found " << quote(*line);
    if (*line != TTC_VERSION)
      return fail() << "expected measurements with ttc " TTC_VERSION ", found those with ttc "
                    << quote(*line) << "; --tune with another file makes new ones";
    line = next("'cpu'");
    if (failed(line))
      return failure();
    if (!line->consume_front(kCpu))
      return fail() << "expected 'cpu', found " << quote(*line);
    if (std::string expected = getCpuText(cpu); *line != expected)
      return fail() << "expected measurements for the CPU that code is generated for: "
                    << describeCpu(*line, expected);
    return success();
  }

  FailureOr<NamedAttribute> parseEntry(StringRef line) {
    const size_t at = line.rfind(kSeparator);
    if (at == StringRef::npos || at == 0)
      return fail() << "expected 'OP => ATTRIBUTE', found " << quote(line);
    StringRef key = line.take_front(at), value = line.drop_front(at + kSeparator.size());
    if (value.size() > kMostAttributeBytes || !value.starts_with("#ttc."))
      return fail() << "expected a #ttc.kernel_choice or a #ttc.gemm_plan, found " << quote(value);
    std::string wrong;
    Attribute attribute;
    {
      ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
        if (wrong.empty())
          wrong = diagnostic.str();
        return success();
      });
      attribute = parseAttribute(value, context);
    }
    if (!attribute)
      return fail() << quote(value) << ": " << wrong;
    if (!isa<KernelChoiceAttr, GemmPlanAttr>(attribute))
      return fail() << "expected a #ttc.kernel_choice or a #ttc.gemm_plan, found " << attribute;
    return NamedAttribute(StringAttr::get(context, key), attribute);
  }

  /// The next line without its end; fails where the file ends before or in it.
  FailureOr<StringRef> next(StringRef expected) {
    ++number;
    const size_t end = rest.find('\n');
    if (end == StringRef::npos)
      return fail() << "expected " << expected << ", found the end of the file"
                    << (rest.empty() ? "" : " within a line") << ": it is not complete";
    StringRef line = rest.take_front(end);
    rest = rest.drop_front(end + 1);
    return line;
  }

  InFlightDiagnostic fail() {
    InFlightDiagnostic error = emitError();
    error << "tuning '" << path << "', line " << number << ": ";
    return error;
  }

  /// Text of the file for a message.
  static std::string quote(StringRef text) {
    std::string quoted = "'";
    llvm::raw_string_ostream out(quoted);
    llvm::printEscapedString(text.take_front(80), out);
    return quoted + (text.size() > 80 ? "...'" : "'");
  }

  StringRef path, rest;
  MLIRContext *context;
  llvm::function_ref<InFlightDiagnostic()> emitError;
  int64_t number = 0;
};

} // namespace

FailureOr<SmallVector<NamedAttribute>>
mlir::ttc::readTuningFile(StringRef path, const CpuTarget &cpu, MLIRContext *context,
                          llvm::function_ref<InFlightDiagnostic()> emitError) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      (!llvm::sys::fs::is_regular_file(status) || status.getSize() > kMostBytes))
    return emitError() << "tuning '" << path << "': expected a file of at most " << kMostBytes
                       << " bytes, found "
                       << (llvm::sys::fs::is_regular_file(status)
                               ? std::to_string(status.getSize()) + " bytes"
                               : "a folder, a device or a pipe");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError() << "cannot open tuning '" << path << "': " << file.getError().message();
  return Reader(path, (*file)->getBuffer(), context, emitError).read(cpu);
}
