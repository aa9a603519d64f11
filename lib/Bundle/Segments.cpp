// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Segments.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "ttrt/format/bundle_format.h"
#include <cassert>

using namespace mlir;
using namespace mlir::ttc;

void SegmentContents::padTo(uint64_t offset) {
  assert(offset >= size_ && "pieces overlap");
  if (offset > size_)
    pieces.push_back(offset - size_);
  size_ = offset;
}

void SegmentContents::add(ElementsAttr constant, uint64_t bytes) {
  pieces.push_back(constant);
  size_ += bytes;
}

void SegmentContents::add(ArrayRef<char> bytes) {
  pieces.push_back(bytes);
  size_ += bytes.size();
}

void SegmentContents::forEachPart(llvm::function_ref<void(ArrayRef<char>)> use) const {
  static constexpr size_t zeroBytes = ttrt::kPageSize;
  static const char zeros[zeroBytes] = {};
  for (const auto &piece : pieces) {
    if (const Zeros *count = std::get_if<Zeros>(&piece)) {
      for (Zeros left = *count; left > 0;) {
        size_t part = std::min<Zeros>(left, zeroBytes);
        use(ArrayRef(zeros, part));
        left -= part;
      }
    } else if (const auto *bytes = std::get_if<ArrayRef<char>>(&piece)) {
      use(*bytes);
    } else {
      auto constant = std::get<ElementsAttr>(piece);
      if (std::optional<ArrayRef<char>> view = viewConstantBytes(constant))
        use(*view);
      else
        use(getConstantBytes(constant)); // a splat, expanded temporarily
    }
  }
}

uint64_t SegmentContents::hash() const {
  std::vector<uint64_t> hashes;
  std::vector<char> chunk; // the incomplete chunk at the end of the last piece
  auto finish = [&] {
    hashes.push_back(ttrt::hashBytes(chunk.data(), chunk.size()));
    chunk.clear();
  };
  forEachPart([&](ArrayRef<char> bytes) {
    while (!bytes.empty()) {
      if (chunk.empty() && bytes.size() >= ttrt::kHashChunk) {
        hashes.push_back(ttrt::hashBytes(bytes.data(), ttrt::kHashChunk));
        bytes = bytes.drop_front(ttrt::kHashChunk);
        continue;
      }
      size_t part = std::min<size_t>(bytes.size(), ttrt::kHashChunk - chunk.size());
      chunk.insert(chunk.end(), bytes.begin(), bytes.begin() + part);
      bytes = bytes.drop_front(part);
      if (chunk.size() == ttrt::kHashChunk)
        finish();
    }
  });
  if (!chunk.empty())
    finish();
  return ttrt::hashBytes(hashes.data(), hashes.size() * sizeof(uint64_t));
}

void SegmentContents::write(llvm::raw_ostream &output) const {
  forEachPart([&](ArrayRef<char> bytes) { output.write(bytes.data(), bytes.size()); });
}
