// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun's reader and writer of .npy files, and its comparison of tensors.

#include "Formats/Npy.h"
#include "Formats/Compare.h"
#include "Support/Error.h"
#include "test/unit/Support/BundleBuilder.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace ttrun;
using ttrt::test::TemporaryFile;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes npy(const std::string &header, const Bytes &data, int version = 1) {
  Bytes file = {0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<uint8_t>(version), 0};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file.push_back(header.size() >> (8 * i) & 255);
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::string complaint(const Bytes &bytes) {
  TemporaryFile file(bytes);
  try {
    readNpy(file.path());
    return "";
  } catch (const UserError &error) {
    return error.what();
  }
}

void expectComplaint(const Bytes &bytes, const std::string &part) {
  std::string text = complaint(bytes);
  EXPECT_NE(text.find(part), std::string::npos)
      << "expected \"" << part << "\" in \"" << text << "\"";
}

TEST(Npy, RoundTripsEveryType) {
  for (ttrt_dtype dtype : {TTRT_F32, TTRT_F16, TTRT_F64, TTRT_I8, TTRT_I16, TTRT_I32, TTRT_I64,
                           TTRT_U8, TTRT_U16, TTRT_U32, TTRT_U64, TTRT_BOOL}) {
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {5}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4}}) {
      Tensor tensor{dtype, shape, {}};
      size_t bytes = sizeOf(dtype);
      for (int64_t extent : shape)
        bytes *= static_cast<size_t>(extent);
      for (size_t i = 0; i < bytes; ++i)
        tensor.bytes.push_back(dtype == TTRT_BOOL ? i % 2 : i * 7);
      TemporaryFile file({});
      writeNpy(file.path(), tensor);
      Tensor back = readNpy(file.path());
      EXPECT_EQ(back.dtype, dtype);
      EXPECT_EQ(back.shape, shape);
      EXPECT_EQ(back.bytes, tensor.bytes);
    }
  }
}

TEST(Npy, ReadsAllVersionsAndSpellings) {
  const Bytes data = {1, 2, 3, 4, 5, 6};
  for (const char *header : {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }   \n",
                             "{\"shape\":(2,3,),\"fortran_order\":False,\"descr\":\"<u1\"}"})
    for (int version : {1, 2, 3}) {
      TemporaryFile file(npy(header, data, version));
      Tensor tensor = readNpy(file.path());
      EXPECT_EQ(tensor.dtype, TTRT_U8);
      EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 3}));
      EXPECT_EQ(tensor.bytes, data);
    }
}

TEST(Npy, TurnsFortranOrderAround) {
  TemporaryFile file(npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }",
                         {0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5, 0}));
  Tensor tensor = readNpy(file.path());
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(elementAt(tensor, i), static_cast<double>(i));
}

TEST(Npy, RejectsWithReason) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const Bytes eight(8);
  EXPECT_EQ(complaint(npy(good, eight)), "");
  expectComplaint({}, "not a .npy file");
  expectComplaint({1, 2, 3, 4, 5, 6, 7, 8, 9}, "not a .npy file");
  expectComplaint(npy(good, eight, 4), ".npy version 4.0; expected 1.0, 2.0 or 3.0");
  expectComplaint({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 5}, "ends in its header");
  expectComplaint({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 50, 0, '{'}, "ends in its header");
  expectComplaint({0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 255, 255, 255, 255},
                  "its header has 4294967295 bytes");
  expectComplaint(npy(good, Bytes(7)), "f32[2] has 8 bytes; the file holds 7");
  expectComplaint(npy(good, Bytes(9)), "f32[2] has 8 bytes; the file holds 9");
  expectComplaint(npy("", eight), "expected '{'");
  expectComplaint(npy("{", eight), "expected a string");
  expectComplaint(npy("{'descr': '<f4}", eight), "unterminated string");
  expectComplaint(npy("{'descr': '<f4'}", eight), "expected the keys");
  expectComplaint(npy("{'descr': [('a', '<f4')], 'shape': (2,)}", eight),
                  "structured arrays are not supported");
  expectComplaint(npy("{'colour': 'red'}", eight), "unknown key 'colour'");
  expectComplaint(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", eight),
                  "element type '>f4' is not supported");
  expectComplaint(npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", eight),
                  "element type '|O' is not supported");
  expectComplaint(npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", eight),
                  "expected True or False");
  expectComplaint(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", eight),
                  "expected a dimension");
  expectComplaint(
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", eight),
      "dimension is too large");
  expectComplaint(
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (281474976710656, 281474976710656)}",
          eight),
      "is too large");
  expectComplaint(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", {1, 2}),
                  "a bool is 2; expected 0 or 1");
  expectComplaint(npy(good + "x", eight), "text after the dictionary");
  EXPECT_THROW(readNpy("/nonexistent.npy"), UserError);
  EXPECT_THROW(writeNpy("/dev/null/x.npy", Tensor{}), std::runtime_error);
}

TEST(Npy, ReadsBfloat16OfMlDtypes) {
  for (const char *descr : {"<V2", "|V2"}) {
    TemporaryFile file(
        npy(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2,), }",
            {0xc0, 0x3f, 0x00, 0xc0}));
    Tensor tensor = readNpy(file.path());
    EXPECT_EQ(tensor.dtype, TTRT_BF16);
    EXPECT_EQ(elementAt(tensor, 0), 1.5);
    EXPECT_EQ(elementAt(tensor, 1), -2.0);
  }
  expectComplaint(npy("{'descr': '<V4', 'fortran_order': False, 'shape': (1,)}", Bytes(4)),
                  "element type '<V4' is not supported");
}

TEST(Npy, ReadsNarrowTypesOfMlDtypesAsBytes) {
  for (const char *descr : {"<V1", "|V1"}) {
    TemporaryFile file(
        npy(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2,), }",
            {0x07, 0xf8}));
    EXPECT_EQ(readNpy(file.path()).dtype, TTRT_U8);
    Tensor tensor = readNpy(file.path(), {}, TTRT_I8);
    EXPECT_EQ(tensor.dtype, TTRT_I8);
    EXPECT_EQ(elementAt(tensor, 0), 7.0);
    EXPECT_EQ(elementAt(tensor, 1), -8.0);
    EXPECT_EQ(readNpy(file.path(), {}, TTRT_F32).dtype, TTRT_U8);
  }
}

TEST(Npy, ReadsOrRefusesEveryChangeOfTheHeader) {
  const Bytes good = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", Bytes(24));
  size_t read = 0, refused = 0;
  for (size_t i = 0; i + 24 < good.size(); ++i)
    for (int value = 0; value < 256; value += 5) {
      Bytes bytes = good;
      bytes[i] = static_cast<uint8_t>(value);
      TemporaryFile file(bytes);
      try {
        // What is read is a tensor of the 24 bytes, whatever its type and shape.
        const Tensor tensor = readNpy(file.path());
        size_t size = sizeOf(tensor.dtype);
        for (int64_t extent : tensor.shape)
          size *= static_cast<size_t>(extent);
        EXPECT_EQ(size, 24u);
        EXPECT_EQ(tensor.bytes, Bytes(24));
        ++read;
      } catch (const UserError &error) {
        EXPECT_EQ(std::string(error.what()).find(file.path()), 0u) << error.what();
        ++refused;
      }
    }
  EXPECT_GT(read, 0u);
  EXPECT_GT(refused, read);
}

Tensor floats(const std::vector<float> &values) {
  Tensor tensor{TTRT_F32, {static_cast<int64_t>(values.size())}, {}};
  tensor.bytes.resize(values.size() * 4);
  memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

TEST(Compare, FindsTheWorstElement) {
  Comparison result = compare(floats({1, 2.1f, 3, 4.5f}), floats({1, 2, 3, 4}), 0.1, 0);
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(result.bad, 1u);
  EXPECT_EQ(result.worst, 3u);
  EXPECT_GT(result.pcc, 0.99);
  EXPECT_TRUE(compare(floats({1, 2.1f, 3, 4.3f}), floats({1, 2, 3, 4}), 0.1, 0).equal);
  EXPECT_EQ(position({2, 3, 4}, 23), "[1, 2, 3]");
  EXPECT_EQ(position({}, 0), "[]");
}

TEST(Compare, NotANumberIsNeverCloseToANumber) {
  EXPECT_FALSE(compare(floats({NAN}), floats({1}), 1, 1).equal);
  EXPECT_FALSE(compare(floats({1}), floats({NAN}), 1, 1).equal);
  EXPECT_FALSE(compare(floats({1}), floats({INFINITY}), 1, 1).equal);
  EXPECT_FALSE(compare(floats({-INFINITY}), floats({INFINITY}), 1, 1).equal);
  EXPECT_TRUE(compare(floats({NAN, INFINITY}), floats({NAN, INFINITY}), 0, 0).equal);
  EXPECT_FALSE(compare(floats({1}), floats({2}), 0, 0).equal);
  // A not-a-number among small errors is the worst.
  EXPECT_EQ(compare(floats({1, NAN, 3}), floats({2, 2, 5}), 0.1, 0).worst, 1u);
}

TEST(Compare, HalfAndBfloat) {
  Tensor half{TTRT_F16, {3}, {0x00, 0x3c, 0x01, 0x00, 0x00, 0xc0}};
  EXPECT_EQ(elementAt(half, 0), 1.0);
  EXPECT_EQ(elementAt(half, 1), 0x1p-24);
  EXPECT_EQ(elementAt(half, 2), -2.0);
  Tensor bfloat{TTRT_BF16, {1}, {0xc0, 0x3f}};
  EXPECT_EQ(elementAt(bfloat, 0), 1.5);
}

} // namespace
