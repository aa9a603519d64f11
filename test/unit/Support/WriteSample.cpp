// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-write-sample NAME FILE: writes one of the test bundles, for the tests of the tools.

#include "Certify.h"
#include "GenerateBundle.h"
#include "HostBundle.h"
#include "Loaded.h"
#include "MeshBundle.h"
#include "QueueBundle.h"
#include "ScriptBundle.h"
#include "ShowBundles.h"
#include "VariantBundle.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>

using namespace ttrt;
using namespace ttrt::test;

int main(int argc, char **argv) {
  const std::map<std::string, std::function<BundleBuilder()>> samples = {
      {"sample", sampleBundle},
      {"chain", [] { return chainBundle(1000, false); }},
      {"chain-barriers", [] { return chainBundle(1000, true); }},
      {"slow", [] { return slowBundle(250); }},
      {"chat", chatBundle},
      {"sequences", sequencesChatBundle},
      {"generate", [] { return generateBundle(); }},
      {"hostile", hostileBundle},
      {"mesh-certified",
       [] {
         BundleBuilder builder = meshBundle(/*sharded=*/true);
         certify(builder);
         return builder;
       }},
      {"queues", queueBundle},
      {"certified",
       [] {
         BundleBuilder builder = queueBundle();
         certify(builder);
         return builder;
       }},
      {"host",
       [] {
         BundleBuilder builder = hostBundle();
         certify(builder);
         return builder;
       }},
      {"mesh", [] { return meshBundle(/*sharded=*/true); }},
      {"mesh-parts", meshPartsBundle},
      {"mesh-refused",
       [] {
         BundleBuilder builder = meshBundle();
         builder.bundle.collectives[0]->groups[0]->devices[0] = 99;
         return builder;
       }},
      {"mesh-queues", meshQueuesBundle},
      {"variants",
       [] {
         BundleBuilder builder = variantBundle();
         certify(builder);
         return builder;
       }},
      {"variants-refused",
       [] {
         BundleBuilder builder = variantBundle();
         builder.bundle.entries[1]->variant->high[1] = 9;
         certify(builder);
         return builder;
       }},
      {"many", [] { return manyBundle(4000); }},
      {"script",
       [] {
         return scriptBundle({{Guaranteed, "main", profile::kMainBegin},
                              {Begin, "load <b>"},
                              {AddData, "bytes", 4096},
                              {End, "load <b>"},
                              {Total, "multiply"},
                              {Events, "done", 1, kGrid - 1},
                              {Guaranteed, "main", profile::kMainEnd}});
       }},
      {"short-grid",
       [] {
         BundleBuilder builder = sampleBundle();
         builder.bundle.programs[0]->grid -= 1;
         return builder;
       }},
      {"foreign",
       [] {
         BundleBuilder builder = sampleBundle();
         builder.bundle.target->arch = "vax";
         return builder;
       }},
  };
  const auto found = argc == 3 ? samples.find(argv[1]) : samples.end();
  if (found == samples.end()) {
    fprintf(stderr, "usage: ttrt-write-sample NAME FILE; the names are:\n");
    for (const auto &[name, make] : samples)
      fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  const std::vector<uint8_t> bytes = found->second().finish();
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
