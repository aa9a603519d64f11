// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file around a bundle's tables: damage of every kind is rejected or does no harm.

#include "test/unit/Support/Loaded.h"

#include <cstring>
#include <functional>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

using Bytes = std::vector<uint8_t>;

TEST(VerifyFile, GoodBundlePasses) {
  ttrt_status status;
  EXPECT_EQ(verdict(sampleBundle().finish(), &status), "");
  EXPECT_EQ(status, TTRT_OK);
}

TEST(VerifyFile, EqualInputsGiveEqualBytes) {
  EXPECT_EQ(sampleBundle().finish(), sampleBundle().finish());
}

TEST(VerifyFile, Missing) {
  ttrt_error error;
  ttrt_bundle *bundle;
  EXPECT_EQ(ttrt_bundle_open("/nonexistent.ttcb", TTRT_VERIFY_FULL, &bundle, &error),
            TTRT_IO_ERROR);
  EXPECT_STREQ(error.message, "cannot open '/nonexistent.ttcb': No such file or directory");
  EXPECT_EQ(ttrt_bundle_open("/", TTRT_VERIFY_FULL, &bundle, &error), TTRT_IO_ERROR);
  EXPECT_EQ(bundle, nullptr);
}

TEST(VerifyFile, NotABundle) {
  EXPECT_NE(verdict({}).find("file has 0 bytes"), std::string::npos);
  EXPECT_NE(verdict(Bytes(63)).find("file has 63 bytes"), std::string::npos);
  EXPECT_NE(verdict(Bytes(6400, 'x')).find("not a bundle"), std::string::npos);
}

TEST(VerifyFile, OtherVersion) {
  Bytes file = sampleBundle().finish();
  file[8] = 1;
  ttrt_status status;
  EXPECT_EQ(verdict(file, &status), "bundle has format version 1; this runtime reads version 2");
  EXPECT_EQ(status, TTRT_UNSUPPORTED);
}

TEST(VerifyFile, Truncated) {
  Bytes file = sampleBundle().finish();
  file.pop_back();
  EXPECT_NE(verdict(file).find("truncated or extended"), std::string::npos);
  file.resize(file.size() + 2);
  EXPECT_NE(verdict(file).find("truncated or extended"), std::string::npos);
}

TEST(VerifyFile, DamagedSegmentsAreNamed) {
  BundleBuilder builder = sampleBundle();
  const Bytes good = builder.finish();
  const char *names[] = {"segment constants is damaged", "segment streams is damaged",
                         "segment code is damaged"};
  for (size_t i = 0; i < 3; ++i) {
    Bytes file = good;
    file[builder.bundle.segments[i]->offset + 5] ^= 1;
    EXPECT_NE(verdict(file).find(names[i]), std::string::npos);
  }
  Bytes file = good;
  file[100] ^= 1;
  EXPECT_NE(verdict(file).find("metadata is damaged"), std::string::npos);
  file = good;
  file[20] ^= 1;
  EXPECT_NE(verdict(file).find("file header is damaged"), std::string::npos);
  file = good;
  file[builder.bundle.segments[0]->offset - 1] = 7;
  EXPECT_NE(verdict(file).find("(before constants) is 7; expected 0"), std::string::npos);
}

/// A file of 64 GiB with a hole that takes no storage, and with right hashes. Looking at every byte
/// would take minutes.
std::string verdictOnSparse(Bytes file, const std::function<void(FileHeader &)> &change) {
  FileHeader header;
  memcpy(&header, file.data(), sizeof(header));
  header.fileSize = uint64_t(1) << 36;
  change(header);
  header.headerHash = hashBytes(&header, offsetof(FileHeader, headerHash));
  memcpy(file.data(), &header, sizeof(header));
  TemporaryFile temporary(file);
  if (truncate(temporary.path(), static_cast<off_t>(header.fileSize)) != 0)
    return "cannot make a sparse file";
  ttrt_status status;
  const std::string said = openMessage(temporary.path(), TTRT_VERIFY_FULL, &status);
  EXPECT_EQ(status, TTRT_BAD_BUNDLE);
  return said;
}

TEST(VerifyFile, PaddingIsWhatAlignmentNeeds) {
  const Bytes good = sampleBundle().finish();
  EXPECT_EQ(verdictOnSparse(good, [](FileHeader &) {}),
            std::to_string((uint64_t(1) << 36) - good.size()) +
                " bytes of padding between code and end of the file; expected less than 8192");
  EXPECT_EQ(
      verdictOnSparse(good, [](FileHeader &header) { header.metadataSize = uint64_t(3) << 30; }),
      "metadata has 3221225472 bytes; expected less than 2147483647");

  // Between segments.
  BundleBuilder builder = sampleBundle();
  FileHeader header;
  Bytes file = builder.finish();
  memcpy(&header, file.data(), sizeof(header));
  for (auto &segment : builder.bundle.segments)
    if (segment->kind == fb::SegmentKind::Code)
      segment->offset += 2 * kPageSize;
  flatbuffers::FlatBufferBuilder packed;
  packed.Finish(fb::Bundle::Pack(packed, &builder.bundle), fb::BundleIdentifier());
  ASSERT_EQ(packed.GetSize(), header.metadataSize);
  memcpy(file.data() + header.metadataOffset, packed.GetBufferPointer(), packed.GetSize());
  file.insert(file.end() - static_cast<ptrdiff_t>(builder.code.size()), 2 * kPageSize, 0);
  header.fileSize = file.size();
  memcpy(file.data(), &header, sizeof(header));
  BundleBuilder::rehash(file);
  EXPECT_NE(verdict(file).find("bytes of padding between streams and code of the file; expected "
                               "less than 8192"),
            std::string::npos)
      << verdict(file);
}

TEST(VerifyFile, StructureLeavesOutTheHashOfTheWeights) {
  BundleBuilder builder = sampleBundle();
  Bytes file = builder.finish();
  file[builder.bundle.segments[0]->offset] ^= 1;
  TemporaryFile temporary(file);
  EXPECT_EQ(openMessage(temporary.path(), TTRT_VERIFY_STRUCTURE), "");
  ttrt_status status;
  openMessage(temporary.path(), TTRT_VERIFY_FULL, &status);
  EXPECT_EQ(status, TTRT_BAD_BUNDLE);
}

/// Metadata whose hashes are right but whose contents are arbitrary must not crash anything: a
/// writer may be wrong, too.
// Found by fuzz-loader: the verifier of flatbuffers looks at the alignment of a vector's length
// only.
TEST(VerifyFile, NumbersInVectorsAreAligned) {
  for (bool aligned : {true, false}) {
    Bytes file = sampleBundle().finish();
    FileHeader header;
    memcpy(&header, file.data(), sizeof(header));
    uint8_t *metadata = file.data() + header.metadataOffset;
    const fb::Port *port = fb::GetBundle(metadata)->entries()->Get(0)->inputs()->Get(0);
    // A copy of the shape after everything else: its length, then its numbers.
    const auto *shape = reinterpret_cast<const uint8_t *>(port->shape());
    const size_t bytes = sizeof(uint32_t) + port->shape()->size() * sizeof(int64_t);
    uint8_t *copy = metadata + alignUp(header.metadataSize, 8) + (aligned ? 4 : 0);
    memcpy(copy, shape, bytes);
    const uint8_t *field =
        reinterpret_cast<const flatbuffers::Table *>(port)->GetAddressOf(fb::Port::VT_SHAPE);
    const auto distance = static_cast<uint32_t>(copy - field);
    memcpy(const_cast<uint8_t *>(field), &distance, sizeof(distance));
    header.metadataSize = static_cast<uint64_t>(copy + bytes - metadata);
    memcpy(file.data(), &header, sizeof(header));
    BundleBuilder::rehash(file);
    EXPECT_EQ(verdict(file),
              aligned ? "" : "metadata is not a well-formed flatbuffer of schema TTCB");
  }
}

TEST(VerifyFile, DamagedMetadataWithRightHashesIsSafe) {
  const Bytes good = sampleBundle().finish();
  FileHeader header;
  memcpy(&header, good.data(), sizeof(header));
  int accepted = 0;
  for (uint64_t i = 0; i < header.metadataSize; ++i)
    for (uint8_t change : {0x01, 0x80, 0xff}) {
      Bytes file = good;
      file[header.metadataOffset + i] ^= change;
      BundleBuilder::rehash(file);
      TemporaryFile temporary(file);
      ttrt_status status;
      const std::string said = openMessage(temporary.path(), TTRT_VERIFY_FULL, &status);
      EXPECT_EQ(said.empty(), status == TTRT_OK);
      accepted += status == TTRT_OK; // a name, say
    }
  EXPECT_GT(accepted, 0);
}

/// The same for the command streams. What is accepted is another good plan (an operand that reads
/// the next buffer over, say), and runs.
TEST(VerifyFile, DamagedStreamsWithRightHashesAreSafe) {
  int accepted = 0;
  for (size_t word = 0; word < sampleBundle().streams[0].words.size(); ++word)
    for (int bit = 0; bit < 64; ++bit) {
      BundleBuilder builder = sampleBundle();
      builder.streams[0].words[word] ^= uint64_t(1) << bit;
      TemporaryFile temporary(builder.finish());
      ttrt_error error;
      ttrt_bundle *bundle;
      if (ttrt_bundle_open(temporary.path(), TTRT_VERIFY_FULL, &bundle, &error) == TTRT_OK) {
        ++accepted;
        ttrt_device *device;
        ttrt_device_options options = deviceOptions(2);
        ttrt_input input{};
        ttrt_output output{};
        ASSERT_EQ(ttrt_device_open(bundle, &options, &device, &error), TTRT_OK) << error.message;
        EXPECT_EQ(ttrt_run(device, 0, &input, &output, nullptr, &error), TTRT_OK);
        ttrt_device_close(device);
      } else {
        EXPECT_NE(error.message[0], 0) << "word " << word << ", bit " << bit;
      }
      ttrt_bundle_close(bundle);
    }
  EXPECT_LT(accepted, 10);
}

} // namespace
