// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a conservative proof can prove without an exact one, and that it reports when it cannot
// (docs/proof.md).

#include "Bundle/Bundle.h"
#include "Proof/OrderProver.h"
#include "ProofBundles.h"

#include <gtest/gtest.h>

#include <memory>

namespace ttrt::test {
namespace {

using Precision = OrderProver::Precision;
using Verdict = OrderProver::Verdict;

class ConservativeProof : public testing::Test {
protected:
  void open(const char *name) {
    for (const NamedBundle &bundle : proofBundles())
      if (!strcmp(bundle.name, name)) {
        file = std::make_unique<TemporaryFile>(bundle.make().finish());
        opened = std::make_unique<Bundle>(file->path(), TTRT_VERIFY_FULL);
        return;
      }
    FAIL() << "there is no bundle '" << name << "'";
  }
  Verdict prove(Precision precision) {
    proof = Proof();
    const BufferIndex buffers(*opened);
    const DataflowTables tables(*opened);
    DataflowReference reference(tables, *opened->metadata().entries()->Get(0));
    return OrderProver(*opened, opened->plan(), buffers, reference, 0, 0, precision)
        .prove(proof)
        .verdict;
  }

  std::unique_ptr<TemporaryFile> file;
  std::unique_ptr<Bundle> opened;
  Proof proof;
};

TEST_F(ConservativeProof, ReusingBytesNeedsNoRowsOneByOne) {
  open("Pitches");
  EXPECT_EQ(prove(Precision::Exact), Verdict::Proved);
  const uint64_t exactly = proof.pairs;
  EXPECT_EQ(prove(Precision::Conservative), Verdict::Proved);
  EXPECT_LT(proof.pairs, exactly / 2);
}

/// The first write fits into the rows of the tensor before, the second one does not: it must not
/// make the first one conservative.
TEST_F(ConservativeProof, RowsOfOnePitchMayBeginElsewhere) {
  open("Shifted");
  EXPECT_EQ(prove(Precision::Exact), Verdict::Proved);
  const uint64_t exactly = proof.pairs;
  EXPECT_EQ(prove(Precision::Conservative), Verdict::Proved);
  EXPECT_EQ(proof.pairs, exactly) << "rows were taken together";
}

/// What lies between the rows stays conservative for ever; the state of the walk repeats all the
/// same.
TEST_F(ConservativeProof, BytesThatStayConservativeRepeat) {
  open("Gaps");
  EXPECT_EQ(prove(Precision::Exact), Verdict::Proved);
  const uint64_t iterations = proof.iterations;
  EXPECT_EQ(prove(Precision::Conservative), Verdict::Proved);
  EXPECT_LE(proof.iterations, iterations + 1);
}

TEST_F(ConservativeProof, ReadingConservativeBytesIsLeftToAnExactProof) {
  open("Patched");
  EXPECT_EQ(prove(Precision::Conservative), Verdict::Unknown);
  EXPECT_EQ(proof.schedules, 0u) << "an abandoned proof leaves no figures";
  EXPECT_EQ(prove(Precision::Exact), Verdict::Proved);
}

} // namespace
} // namespace ttrt::test
