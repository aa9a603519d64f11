// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a conservative proof alone can prove, and that it says so where it cannot (docs/proof.md).

#include "Bundle.h"
#include "OrderProver.h"
#include "ProofBundles.h"

#include <gtest/gtest.h>

#include <memory>

namespace ttrt::test {
namespace {

enum class Verdict { Proved, NeedsExact };

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
  Verdict prove(OrderProver::Precision precision) {
    DecodedPlan decoded(*opened);
    verifyMemory(*opened, decoded);
    const BufferIndex buffers(*opened);
    proof = Proof();
    try {
      OrderProver(*opened, decoded, buffers, 0, 0, precision).prove(proof);
    } catch (const OrderProver::NeedsExact &) {
      return Verdict::NeedsExact;
    }
    return Verdict::Proved;
  }

  std::unique_ptr<TemporaryFile> file;
  std::unique_ptr<Bundle> opened;
  Proof proof;
};

TEST_F(ConservativeProof, TakingOverBytesNeedsNoRowsOneByOne) {
  open("Pitches");
  EXPECT_EQ(prove(OrderProver::Precision::Exact), Verdict::Proved);
  const uint64_t exactly = proof.pairs;
  EXPECT_EQ(prove(OrderProver::Precision::Conservative), Verdict::Proved);
  EXPECT_LT(proof.pairs, exactly / 2);
}

/// What lies between the rows stays conservative for ever; the state of the walk repeats all the
/// same.
TEST_F(ConservativeProof, BytesThatStayConservativeRepeat) {
  open("Gaps");
  EXPECT_EQ(prove(OrderProver::Precision::Exact), Verdict::Proved);
  const uint64_t iterations = proof.iterations;
  EXPECT_EQ(prove(OrderProver::Precision::Conservative), Verdict::Proved);
  EXPECT_LE(proof.iterations, iterations + 1);
}

TEST_F(ConservativeProof, ReadingConservativeBytesIsLeftToAnExactProof) {
  open("Patched");
  EXPECT_EQ(prove(OrderProver::Precision::Conservative), Verdict::NeedsExact);
  EXPECT_EQ(proof.schedules, 0u) << "a proof that was given up leaves no figures";
  EXPECT_EQ(prove(OrderProver::Precision::Exact), Verdict::Proved);
}

} // namespace
} // namespace ttrt::test
