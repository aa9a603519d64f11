// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Roofline.h"

#include "Formats/Json.h"

#include <algorithm>
#include <fmt/format.h>

namespace ttrun::report {

std::optional<double> Ideal::least() const {
  if (!compute || !bandwidth)
    return compute ? compute : bandwidth;
  return std::max(*compute, *bandwidth);
}

Ideal &Ideal::operator+=(const Ideal &other) {
  auto add = [](std::optional<double> &sum, const std::optional<double> &more) {
    if (sum && more)
      *sum += *more;
    else
      sum.reset();
  };
  add(compute, other.compute);
  add(bandwidth, other.bandwidth);
  return *this;
}

Ideal idealOf(const OpInfo &op, const Limits &limits) {
  Ideal ideal;
  const double peak = op.multipliesBytes ? limits.int8Ops : limits.flops;
  if (op.flops && peak > 0)
    ideal.compute = static_cast<double>(op.flops) / peak * 1e9;
  const auto dram = static_cast<size_t>(Space::Dram);
  if (op.work && limits.bandwidth > 0)
    ideal.bandwidth =
        static_cast<double>(op.read[dram] + op.written[dram]) / limits.bandwidth * 1e9;
  return ideal;
}

std::optional<double> shareOf(const std::optional<double> &ideal, double duration) {
  if (!ideal || !(duration > 0))
    return std::nullopt;
  return *ideal / duration;
}

void addIdeal(Json &json, uint64_t flops, const Ideal &ideal, double duration) {
  if (flops)
    json.field("flops", flops);
  auto add = [&](const char *name, const std::optional<double> &value, double unit) {
    if (value)
      json.field(name, *value * unit);
  };
  add("ideal_us", ideal.least(), 1e-3);
  add("compute_us", ideal.compute, 1e-3);
  add("bandwidth_us", ideal.bandwidth, 1e-3);
  add("of_peak", shareOf(ideal.compute, duration), 1);
  add("of_bandwidth", shareOf(ideal.bandwidth, duration), 1);
}

void addLimits(Json &json, const Limits &limits) {
  auto add = [&](const char *name, double value) {
    if (value > 0)
      json.field(name, value * 1e-9);
  };
  json.key("limits").beginObject();
  add("peak_gflops", limits.flops);
  add("peak_int8_gops", limits.int8Ops);
  add("bandwidth_gbs", limits.bandwidth);
  if (!limits.source.empty())
    json.field("source", limits.source);
  json.endObject();
}

std::string limitsText(const Limits &limits) {
  std::string text;
  auto add = [&](double value, const char *unit) {
    if (value > 0)
      text += fmt::format("{}{:.1f} {}", text.empty() ? "" : ", ", value * 1e-9, unit);
  };
  add(limits.flops, "GFLOP/s");
  add(limits.int8Ops, "GOP/s of 8-bit products");
  add(limits.bandwidth, "GB/s");
  return text.empty() ? "unknown; --measure-peak measures this machine"
                      : fmt::format("{}, {}", text, limits.source);
}

} // namespace ttrun::report
