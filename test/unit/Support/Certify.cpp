// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Certify.h"

#include "Proof/OrderProver.h"

#include <algorithm>
#include <stdexcept>

namespace ttrt::test {

static void certifyVerified(BundleBuilder &builder) {
  const TemporaryFile file(builder.finish());
  const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
  const BufferIndex buffers(bundle);
  const DataflowTables tables(bundle);
  for (uint32_t i = 0; i < builder.bundle.entries.size(); ++i) {
    DataflowReference reference(tables, *bundle.metadata().entries()->Get(i));
    Proof proof;
    OrderProver prover(bundle, bundle.plan(), buffers, reference, i, 0,
                       OrderProver::Precision::Exact);
    if (prover.prove(proof).verdict != OrderProver::Verdict::Proved)
      throw std::runtime_error("expected a correct bundle");
    auto dataflow = std::make_unique<fb::DataflowT>();
    dataflow->outputs = reference.digests()[0];
    dataflow->values = reference.sends();
    std::sort(dataflow->values.begin(), dataflow->values.end());
    for (const StateBuffer &buffer : reference.states()) {
      auto state = std::make_unique<fb::StateDataflowT>();
      state->buffer = buffer.index;
      state->accesses = reference.digests()[1 + buffer.number];
      dataflow->states.push_back(std::move(state));
    }
    builder.bundle.entries[i]->dataflow = std::move(dataflow);
  }
  builder.keepFacts();
  builder.facts->certified = true;
}

void certify(BundleBuilder &builder) {
  try {
    certifyVerified(builder);
  } catch (const Error &error) {
    throw std::runtime_error(error.message);
  }
}

} // namespace ttrt::test
