// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Import/SizeHistogram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

SizeHistogram SizeHistogram::select(ArrayRef<std::pair<size_t, std::string>> columns) const {
  SizeHistogram selected;
  for (const auto &[index, name] : columns)
    selected.dims.push_back(name);
  for (const auto &[sizes, count] : counts) {
    std::vector<int64_t> own;
    for (const auto &[index, name] : columns)
      own.push_back(sizes[index]);
    selected.counts[own] += count;
  }
  return selected;
}

SmallVector<int64_t> SizeHistogram::getSizes(size_t dim) const {
  SmallVector<int64_t> sizes;
  for (const auto &[all, count] : counts)
    sizes.push_back(all[dim]);
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  return sizes;
}

/// The fields of a line, without spaces and quotes around them.
static SmallVector<StringRef> splitLine(StringRef line) {
  SmallVector<StringRef> fields;
  line.split(fields, ',');
  for (StringRef &field : fields) {
    field = field.trim();
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.drop_front().drop_back().trim();
  }
  return fields;
}

std::string mlir::ttc::parseSizeHistogram(StringRef text, SizeHistogram &histogram) {
  constexpr int64_t kMostRequests = int64_t(1) << 53;
  constexpr StringLiteral kCount = "count";
  text.consume_front("\xef\xbb\xbf"); // a byte order mark
  SmallVector<StringRef> names;
  int64_t line = 0, requests = 0;
  auto complain = [&](const Twine &what) { return ("line " + Twine(line) + ": " + what).str(); };
  while (!text.empty()) {
    auto [current, rest] = text.split('\n');
    text = rest;
    ++line;
    if (current.trim().empty())
      continue;
    const SmallVector<StringRef> fields = splitLine(current);
    if (names.empty()) {
      names = fields;
      for (StringRef name : names) {
        int64_t number;
        if (name.empty() || !name.getAsInteger(10, number))
          return complain("expected the names of dimensions, such as batch,sequence; found '" +
                          current.trim() + "'");
        if (llvm::count(names, name) > 1)
          return complain("found the column '" + name + "' twice");
        if (name != kCount)
          histogram.dims.push_back(name.str());
      }
      if (histogram.dims.empty())
        return complain("expected a column for each dimension, found 'count' alone");
      continue;
    }
    if (fields.size() != names.size())
      return complain("expected " + Twine(names.size()) + " fields, one for each column, found " +
                      Twine(fields.size()));
    std::vector<int64_t> sizes;
    int64_t count = 1;
    for (auto [name, field] : llvm::zip_equal(names, fields)) {
      const bool isCount = name == kCount;
      int64_t number;
      if (field.getAsInteger(10, number) || number < (isCount ? 0 : 1) ||
          number > (isCount ? kMostRequests : INT32_MAX))
        return complain("'" + name + "': expected a whole number from " + Twine(isCount ? 0 : 1) +
                        ", found '" + field + "'");
      if (isCount)
        count = number;
      else
        sizes.push_back(number);
    }
    if (count == 0)
      continue;
    if ((requests += count) > kMostRequests)
      return complain("expected at most 2^53 requests, found more");
    histogram.counts[sizes] += count;
  }
  if (names.empty())
    return "expected a line with the names of dimensions, found an empty file";
  if (histogram.empty())
    return "expected a line for each request, found none";
  return "";
}
