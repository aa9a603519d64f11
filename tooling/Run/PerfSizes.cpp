// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/PerfSizes.h"

#include "Formats/Printing.h"
#include "Formats/Samples.h"
#include "Support/Error.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <set>

namespace ttrun {

static std::optional<int64_t> parseSize(std::string_view text) {
  int64_t number = 0;
  const auto [last, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || last != text.data() + text.size() || status != std::errc() || number < 1)
    return std::nullopt;
  return number;
}

std::optional<SizeRange> takeRange(std::vector<std::string> &dims) {
  std::optional<SizeRange> range;
  for (std::string &spec : dims) {
    const size_t dots = spec.rfind("..");
    const size_t colon = dots == std::string::npos ? dots : spec.rfind(':', dots);
    if (colon == std::string::npos)
      continue;
    const std::string_view text(spec), rest = text.substr(dots + 2);
    const size_t by = rest.find(':');
    const auto low = parseSize(text.substr(colon + 1, dots - colon - 1)),
               high = parseSize(rest.substr(0, by)),
               step = by == rest.npos ? std::optional<int64_t>(0) : parseSize(rest.substr(by + 1));
    if (!low || !high || !step || *low >= *high)
      throw UserError(fmt::format("--dim={}: expected NAME:LOW..HIGH or NAME:LOW..HIGH:STEP, with "
                                  "positive numbers, the lower one first",
                                  spec));
    if (range)
      throw UserError(fmt::format("--dim={}: expected one dimension with several sizes, found also "
                                  "'{}'",
                                  spec, range->dim));
    range = SizeRange{spec.substr(0, colon), *low, *high, *step};
    spec = fmt::format("{}:{}", range->dim, range->high);
  }
  return range;
}

namespace {

/// A model whose runs have one size after the other; the other dimensions stay as the session has
/// them.
class SizeRunner {
public:
  SizeRunner(const Session &session, const SizeRange &range);

  std::set<int64_t> chooseSizes(const SizeRange &range) const;
  SizeTimes measure(int64_t size, uint64_t loops, const ttrt_run_options &run);
  /// ", batch 8" for each of the other dimensions
  std::string others() const;

private:
  static void check(ttrt_status status, const ttrt_error &error) {
    if (status != TTRT_OK)
      throw UserError(error.message);
  }
  ttrt_variant describeVariant(uint32_t index) const {
    ttrt_variant variant = TTRT_VARIANT_INIT;
    ttrt_error error;
    check(ttrt_model_variant(model, index, &variant, &error), error);
    return variant;
  }

  const Session &session;
  const ShapedModel &shaped;
  const ttrt_model *model;
  ttrt_model_info info = TTRT_MODEL_INFO_INIT;
  size_t dim = 0;
  std::vector<int64_t> extents;
};

} // namespace

SizeRunner::SizeRunner(const Session &session, const SizeRange &range)
    : session(session), shaped(*session.shapedModel()), model(shaped.model()),
      extents(shaped.extents()) {
  ttrt_error error;
  check(ttrt_model_describe(model, &info, &error), error);
  dim = static_cast<size_t>(std::find(shaped.dims().begin(), shaped.dims().end(), range.dim) -
                            shaped.dims().begin());
}

std::string SizeRunner::others() const {
  std::string text;
  for (size_t i = 0; i < extents.size(); ++i)
    if (i != dim)
      text += fmt::format(", {} {}", shaped.dims()[i], extents[i]);
  return text;
}

std::set<int64_t> SizeRunner::chooseSizes(const SizeRange &range) const {
  std::set<int64_t> sizes;
  if (range.step) {
    constexpr int64_t kMostSizes = 100000;
    if ((range.high - range.low) / range.step >= kMostSizes)
      throw UserError(fmt::format("--dim={}:{}..{}:{}: expected at most {} sizes", range.dim,
                                  range.low, range.high, range.step, kMostSizes));
    for (int64_t size = range.low; size <= range.high; size += range.step)
      sizes.insert(size);
    return sizes;
  }
  ttrt_dim described = TTRT_DIM_INIT;
  ttrt_error error;
  check(ttrt_model_dim(model, static_cast<uint32_t>(dim), &described, &error), error);
  const int64_t step = described.step;
  auto add = [&](int64_t size) {
    size = (size + step - 1) / step * step;
    if (size >= range.low && size <= range.high)
      sizes.insert(size);
  };
  constexpr int64_t kParts = 48;
  for (int64_t i = 0; i <= kParts; ++i)
    add(range.low + (range.high - range.low) * i / kParts);
  for (uint32_t i = 0; i < info.variants; ++i) {
    const int64_t high = describeVariant(i).high[dim];
    add(high);
    add(high + 1);
  }
  return sizes;
}

SizeTimes SizeRunner::measure(int64_t size, uint64_t loops, const ttrt_run_options &run) {
  ttrt_error error;
  uint32_t variant = 0;
  extents[dim] = size;
  check(ttrt_model_choose(model, extents.data(), &variant, &error), error);
  std::vector<Tensor> inputs(info.inputs), outputs(info.outputs);
  std::vector<ttrt_shaped_input> in;
  std::vector<ttrt_shaped_output> out;
  uint64_t state = 0;
  auto prepare = [&](Tensor &tensor, uint32_t index, auto query, auto queryShape) {
    ttrt_model_port port = TTRT_MODEL_PORT_INIT;
    check(query(model, index, &port, &error), error);
    tensor.dtype = port.dtype;
    tensor.shape.resize(port.rank);
    check(queryShape(model, index, extents.data(), tensor.shape.data(), &error), error);
    size_t bytes = sizeOf(tensor.dtype);
    for (int64_t extent : tensor.shape)
      bytes *= static_cast<size_t>(extent);
    tensor.bytes.assign(bytes, 0);
  };
  for (uint32_t i = 0; i < info.inputs; ++i) {
    prepare(inputs[i], i, ttrt_model_input, ttrt_model_input_shape);
    fillRandom(inputs[i], state);
    in.push_back({inputs[i].bytes.data(), static_cast<uint32_t>(inputs[i].shape.size()),
                  inputs[i].shape.data()});
  }
  for (uint32_t i = 0; i < info.outputs; ++i) {
    prepare(outputs[i], i, ttrt_model_output, ttrt_model_output_shape);
    out.push_back({outputs[i].bytes.data(), outputs[i].bytes.size(), nullptr, 0});
  }
  SizeTimes times;
  times.size = size;
  times.variant = describeVariant(variant).name;
  Samples samples;
  for (uint64_t i = 0; i < loops; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    check(ttrt_run_shaped(session.device(), model, in.data(), out.data(), &run, &error), error);
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (i == 0)
      times.first = ms;
    else
      samples.add(ms);
    if (i == 9)
      times.tenth = ms;
  }
  samples.finish();
  times.median = samples.median();
  times.p10 = samples.percentile(10);
  times.p90 = samples.percentile(90);
  return times;
}

SizesReport measureSizes(const Session &session, const std::string &path, const SizeRange &range,
                         uint64_t loops, const ttrt_run_options &run) {
  SizesReport report;
  report.range = range;
  report.loops = std::max<uint64_t>(loops, 10);
  SizeRunner runner(session, range);
  const std::set<int64_t> sizes = runner.chooseSizes(range);
  report.title = fmt::format("{}: {}{}", std::filesystem::path(path).filename().string(),
                             session.shapedModel()->name(), runner.others());
  // In any order, so that a size is not the next one after its neighbour. The largest is first: it
  // brings all memory into use.
  std::vector<int64_t> order(sizes.begin(), sizes.end());
  std::shuffle(order.begin(), order.end() - 1, std::mt19937(1));
  std::rotate(order.begin(), order.end() - 1, order.end());
  for (int64_t size : order)
    report.sizes.push_back(runner.measure(size, report.loops, run));
  std::sort(report.sizes.begin(), report.sizes.end(),
            [](const SizeTimes &a, const SizeTimes &b) { return a.size < b.size; });
  return report;
}

void printSizes(const SizesReport &report, const Session &session) {
  printLine("model        {}; {} {}..{}, {} core{}, {} loops of each size", report.title,
            report.range.dim, report.range.low, report.range.high, session.cores(),
            plural(session.cores()), report.loops);
  const size_t wide = std::max<size_t>(columnsOf(printable(report.range.dim)), 8);
  size_t name = 7;
  for (const SizeTimes &times : report.sizes)
    name = std::min<size_t>(std::max(name, columnsOf(printable(times.variant))), 32);
  fmt::print("\n{}  {:<{}} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
             std::string(wide - columnsOf(printable(report.range.dim)), ' ') +
                 printable(report.range.dim),
             "variant", name, "median ms", "p10", "p90", "first", "tenth");
  for (const SizeTimes &times : report.sizes) {
    const std::string variant = shorten(printable(times.variant), name);
    fmt::print("{:>{}}  {} {:10.4f} {:10.4f} {:10.4f} {:10.4f} {:10.4f}\n", times.size, wide,
               variant + std::string(name - columnsOf(variant), ' '), times.median, times.p10,
               times.p90, times.first, times.tenth);
  }
}

void addSizes(Json &json, const SizesReport &report, const Session &session) {
  json.field("model", session.shapedModel()->name()).key("dims").beginArray();
  const ShapedModel &model = *session.shapedModel();
  for (size_t i = 0; i < model.dims().size(); ++i) {
    json.beginObject().field("name", model.dims()[i]);
    if (model.dims()[i] == report.range.dim)
      json.field("low", report.range.low).field("high", report.range.high);
    else
      json.field("extent", model.extents()[i]);
    json.endObject();
  }
  json.endArray()
      .field("loops", report.loops)
      .field("cores", session.cores())
      .key("sizes")
      .beginArray();
  for (const SizeTimes &times : report.sizes)
    json.beginObject()
        .field("extent", times.size)
        .field("variant", times.variant)
        .field("median_ms", times.median)
        .field("p10_ms", times.p10)
        .field("p90_ms", times.p90)
        .field("first_ms", times.first)
        .field("tenth_ms", times.tenth)
        .endObject();
  json.endArray();
}

} // namespace ttrun
