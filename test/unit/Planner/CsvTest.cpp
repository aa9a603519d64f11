// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Planner/Csv.h"
#include <gtest/gtest.h>
#include <sstream>

using namespace ttc::planner;

namespace {

std::optional<Problem> read(const std::string &text, std::string &error) {
  std::istringstream input(text);
  return readCsv(input, error);
}

} // namespace

TEST(Csv, ReadsColumnsInAnyOrder) {
  std::string error;
  auto problem = read("size,id,upper,lower\r\n100,b7,9,3\r\n", error);
  ASSERT_TRUE(problem) << error;
  EXPECT_EQ(problem->ids[0], "b7");
  EXPECT_EQ(problem->buffers[0].lower, 3);
  EXPECT_EQ(problem->buffers[0].upper, 9);
  EXPECT_EQ(problem->buffers[0].size, 100);
  EXPECT_EQ(problem->buffers[0].alignment, 1);
  EXPECT_FALSE(problem->buffers[0].offset);
}

TEST(Csv, ReadsAlignmentAndFixedOffset) {
  std::string error;
  auto problem = read("id,lower,upper,size,alignment,offset\na,0,1,8,64,128\nb,0,1,8,1,\n", error);
  ASSERT_TRUE(problem) << error;
  EXPECT_EQ(problem->buffers[0].alignment, 64);
  EXPECT_EQ(problem->buffers[0].offset, 128);
  EXPECT_FALSE(problem->buffers[1].offset);
}

TEST(Csv, WritesWhatItReadsWithOffsets) {
  std::string error;
  auto problem = read("id,lower,upper,size\na,0,2,8\nb,1,3,16\n", error);
  ASSERT_TRUE(problem) << error;
  std::ostringstream output;
  writeCsv(output, *problem, Plan{{16, 0}, 24});
  EXPECT_EQ(output.str(), "id,lower,upper,size,offset\na,0,2,8,16\nb,1,3,16,0\n");
}

TEST(Csv, SaysWhatIsWrong) {
  std::string error;
  EXPECT_FALSE(read("", error));
  EXPECT_EQ(error, "expected a header line, found an empty file");
  EXPECT_FALSE(read("id,lower,size\n", error));
  EXPECT_EQ(error, "line 1: expected a column 'upper', found id,lower,size");
  EXPECT_FALSE(read("id,lower,upper,size\na,0,1,8\nb,0,1\n", error));
  EXPECT_EQ(error, "line 3: expected 4 cells, integers except for the id, found b,0,1");
  EXPECT_FALSE(read("id,lower,upper,size\na,1,1,8\n", error));
  EXPECT_EQ(error,
            "line 2: expected a size and an offset of at least 0, an alignment of at least 1 and "
            "lower < upper, found a,1,1,8");
  EXPECT_FALSE(read("id,lower,upper,size\na,0,1,9000000000000000000\n", error));
  EXPECT_EQ(error, "line 2: expected sizes, alignments and offsets that add up to less than 2^60 "
                   "bytes, found more at a,0,1,9000000000000000000");
  EXPECT_FALSE(read("id,lower,upper,size\na,0,1,1000000000000000000\n"
                    "b,0,1,1000000000000000000\n",
                    error));
  EXPECT_EQ(error.substr(0, 7), "line 3:");
  EXPECT_FALSE(read("id,lower,upper,size\na,0,1,8\nb,0,1,8\na,1,2,8\n", error));
  EXPECT_EQ(error, "line 4: expected each id once, found a again");
}
