// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants that contradict themselves or each other.

#include "test/unit/Support/Certify.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/VariantBundle.h"
#include "ttrt/shapes.h"

using namespace ttrt;
using namespace ttrt::test;

namespace {

struct Fault {
  const char *name;
  void (*change)(fb::BundleT &bundle);
  const char *message;
  ttrt_status status = TTRT_BAD_BUNDLE;
};

void PrintTo(const Fault &fault, std::ostream *stream) { *stream << fault.name; }

fb::EntryPointT &entry(fb::BundleT &bundle, size_t i) { return *bundle.entries[i]; }
fb::VariantT &variant(fb::BundleT &bundle, size_t i) { return *bundle.entries[i]->variant; }

const Fault kFaults[] = {
    {"NoDims", [](fb::BundleT &b) { variant(b, 1).dims.clear(); },
     "variant 'main.4x8' has no dimensions, or a model without name"},
    {"Bounds", [](fb::BundleT &b) { variant(b, 1).low.pop_back(); },
     "variant 'main.4x8' has 2 dimensions, and bounds of another number"},
    {"Highs", [](fb::BundleT &b) { variant(b, 1).high.push_back(3); },
     "variant 'main.4x8' has 2 dimensions, and bounds of another number"},
    {"Steps", [](fb::BundleT &b) { variant(b, 1).step = {1}; },
     "variant 'main.4x8' has 2 dimensions, and bounds of another number"},
    {"SameName", [](fb::BundleT &b) { variant(b, 1).dims[1] = "batch"; },
     "variant 'main.4x8': expected distinct names of dimensions, found 'batch'"},
    {"EmptyName", [](fb::BundleT &b) { variant(b, 1).dims[1] = ""; },
     "variant 'main.4x8': expected distinct names of dimensions, found ''"},
    {"LowAboveHigh", [](fb::BundleT &b) { variant(b, 1).low[1] = 9; }, "found 9 to 8 by 1"},
    {"HighOverflows", [](fb::BundleT &b) { variant(b, 1).high[1] = UINT64_MAX; },
     "found 1 to 18446744073709551615 by 1"},
    {"HighIsZero", [](fb::BundleT &b) { variant(b, 1).low[1] = variant(b, 1).high[1] = 0; },
     "found 0 to 0 by 1"},
    {"StepIsZero", [](fb::BundleT &b) { variant(b, 1).step = {1, 0}; }, "found 1 to 8 by 0"},
    {"NoMultiple", [](fb::BundleT &b) { variant(b, 1).step = {1, 2}; }, "found 1 to 8 by 2"},
    {"ExtentsOutOfRange", [](fb::BundleT &b) { variant(b, 1).extents = 4; },
     "variant 'main.4x8': expected input 4 to be 'extents' of 2 numbers i32"},
    {"ExtentsOfAnotherType", [](fb::BundleT &b) { variant(b, 1).extents = 2; },
     "variant 'main.4x8': expected input 2 to be 'extents' of 2 numbers i32"},
    {"ExtentsOfAnotherName", [](fb::BundleT &b) { entry(b, 1).inputs[3]->name = "e"; },
     "variant 'main.4x8': expected input 3 to be 'extents' of 2 numbers i32"},
    {"SizeAtHigh", [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims[1]->offset = 1; },
     "port 'x' of variant 'main.4x8': expected a valid size of dimension 1 that is 8 at the "
     "highest extents, and at least 0 at the lowest; found 9 and 2"},
    {"SizeAtLow", [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims[1] = extentOf({0, 2}, -8); },
     "that is 8 at the highest extents, and at least 0 at the lowest; found -1 and -1"},
    {"NegativeMultiplier",
     [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims[1] = extentOf({0, -1}, 16); }, "found -1"},
    {"Multipliers", [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims[1] = extentOf({1}); },
     "found -1"},
    {"DivisorIsZero",
     [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims[1] = extentOf({0, 1}, 0, 0); }, "found -1"},
    {"SizeOverflows",
     [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims[1] = extentOf({0, 1}, INT64_MAX); },
     "found -1"},
    {"OneFactor", [](fb::BundleT &b) { entry(b, 1).outputs[1]->dims[1] = productOf(1, {{0, 1}}); },
     "found -1"},
    {"FactorsAtHigh",
     [](fb::BundleT &b) { entry(b, 1).outputs[1]->dims[1] = productOf(1, {{1, 0}, {0, 1}}); },
     "that is 4 at the highest extents, and at least 0 at the lowest; found 32 and 1"},
    {"FactorOfOtherDims",
     [](fb::BundleT &b) { entry(b, 1).outputs[1]->dims[1] = productOf(1, {{1, 0}, {1}}); },
     "found -1"},
    {"NegativeTimes",
     [](fb::BundleT &b) { entry(b, 1).outputs[1]->dims[1] = productOf(-1, {{1, 0}, {0, 1}}); },
     "found -1"},
    {"ProductOverflows",
     [](fb::BundleT &b) {
       entry(b, 1).outputs[1]->dims[1] = productOf(INT64_MAX / 3, {{1, 0}, {0, 1}});
     },
     "found -1"},
    {"NumberOfSizes", [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims.pop_back(); },
     "expected valid sizes of 3 dimensions, found 2"},
    {"OtherDims", [](fb::BundleT &b) { variant(b, 1).dims[1] = "length"; },
     "'main.1x4' and 'main.4x8' are the same model, but have other dimensions"},
    {"OtherName", [](fb::BundleT &b) { entry(b, 1).inputs[0]->name = "ids"; },
     "'main.1x4' and 'main.4x8' are the same model, but have other inputs"},
    {"OtherSizes", [](fb::BundleT &b) { entry(b, 1).outputs[1]->dims[1] = extentOf({0, 0}, 4); },
     "'main.1x4' and 'main.4x8' are the same model, but have other outputs"},
    {"FixedInOne", [](fb::BundleT &b) { entry(b, 1).inputs[0]->dims.clear(); },
     "'main.1x4' and 'main.4x8' are the same model, but have other inputs"},
    {"NoVariant",
     [](fb::BundleT &b) {
       entry(b, 1).variant.reset();
       entry(b, 1).name = "main";
       for (auto *ports : {&entry(b, 1).inputs, &entry(b, 1).outputs})
         for (auto &port : *ports)
           port->dims.clear();
     },
     "'main.1x4' and 'main' are the same model, but one is not a variant"},
    {"SizesWithoutVariant",
     [](fb::BundleT &b) {
       entry(b, 1).variant.reset();
       entry(b, 1).name = "main";
     },
     "port 'x' of entry point 'main' has valid sizes, but is of no variant"},
    {"Undetermined",
     [](fb::BundleT &b) {
       for (auto &each : b.entries)
         for (size_t input : {0, 1})
           each->inputs[input]->dims[1] = extentOf({0, 7}, 8, 8);
     },
     "the inputs of model 'main' do not determine the extent of 'sequence'"},
    {"ManyDims",
     [](fb::BundleT &b) {
       for (size_t i = 0; i <= TTRT_MAX_DIMS; ++i)
         variant(b, 0).dims.push_back("d" + std::to_string(i));
     },
     "variant 'main.1x4' has 19 dimensions; expected at most 16", TTRT_UNSUPPORTED},
};

class VerifyVariants : public testing::TestWithParam<Fault> {};

TEST_P(VerifyVariants, RefusesTheModel) {
  BundleBuilder builder = variantBundle({{1, 1, 1, 4}, {1, 4, 1, 8}});
  GetParam().change(builder.bundle);
  certify(builder); // names are part of the dataflow
  const TemporaryFile file(builder.finish());
  ttrt_error error;
  ttrt_bundle *bundle = nullptr;
  ASSERT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK)
      << error.message;
  ttrt_model *model;
  EXPECT_EQ(ttrt_model_open(bundle, "main", &model, &error), GetParam().status);
  EXPECT_NE(strstr(error.message, GetParam().message), nullptr) << error.message;
  EXPECT_EQ(model, nullptr);
  ttrt_bundle_close(bundle);
}

INSTANTIATE_TEST_SUITE_P(Shapes, VerifyVariants, testing::ValuesIn(kFaults),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
