// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Formats/Json.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/ttrt.h"

#include <fmt/core.h>
#include <sstream>

namespace ttrun {

int queryCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun query", "[options]",
      "Prints a target description of this machine as JSON (docs/tools.md), for --target=FILE.",
      "  ttrun query > host.json\n");
  parser.parseNothing(argc, argv);
  ttrt_host host = TTRT_HOST_INIT;
  ttrt_error error;
  if (ttrt_query_host(&host, &error) != TTRT_OK)
    throw UserError(error.message);
  Json json;
  json.beginObject()
      .field("name", "cpu")
      .field("arch", host.arch)
      .field("model", host.model)
      .key("features")
      .beginArray(/*flat=*/true);
  std::istringstream features(host.features);
  for (std::string feature; std::getline(features, feature, ',');)
    json.value(feature);
  json.endArray()
      .field("grid_rows", 1)
      .field("grid_cols", host.cores)
      .field("dram_banks", 1)
      .field("dram_bank_bytes", host.dram_bytes / ttrt::kPageSize * ttrt::kPageSize)
      .field("l1_bytes", host.l1_bytes / ttrt::kPageSize * ttrt::kPageSize)
      .field("dram_alignment", ttrt::kBufferAlignment)
      .field("l1_alignment", ttrt::kBufferAlignment)
      .field("queues", ttrt::kMaxQueues)
      .field("chips", 1)
      .field("interleaved_l1", false)
      .endObject();
  fmt::print("{}", json.take());
  return 0;
}

} // namespace ttrun
