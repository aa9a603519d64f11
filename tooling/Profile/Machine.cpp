// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Machine.h"

#include "Formats/Json.h"
#include "Formats/JsonReader.h"
#include "Support/Error.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace ttrun::report {

std::string machineJson(const std::vector<Machine> &machines) {
  Json json;
  json.beginObject().key("measurements").beginArray();
  for (const Machine &machine : machines)
    json.beginObject()
        .field("cores", machine.cores)
        .field("f32_gflops", machine.flops * 1e-9)
        .field("f32_instructions", machine.instructions)
        .field("int8_gops", machine.int8Ops * 1e-9)
        .field("int8_instructions", machine.int8Instructions)
        .field("read_gbs", machine.readBandwidth * 1e-9)
        .field("copy_gbs", machine.copyBandwidth * 1e-9)
        .endObject();
  json.endArray().endObject();
  return json.take();
}

/// A number of giga-something. Throws UserError.
static double gigaOf(const JsonValue &value, const char *name) {
  const JsonValue &field = value[name];
  if (!field.isNumber() || !std::isfinite(field.number) || field.number < 0)
    throw UserError(fmt::format("expected a number '{}' of at least 0", name));
  return field.number * 1e9;
}

std::vector<Machine> readMachines(const std::string &path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw UserError(fmt::format("cannot read {}: not a regular file", path)); // may be a pipe
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return {};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<Machine> machines;
  try {
    const JsonValue root = JsonValue::parse(text);
    for (const JsonValue &value : root["measurements"].items) {
      Machine machine;
      const JsonValue &cores = value["cores"];
      if (!cores.isNumber() || !(cores.number >= 1 && cores.number <= UINT32_MAX))
        throw UserError("expected a number 'cores' of at least 1");
      machine.cores = static_cast<uint32_t>(cores.number);
      machine.flops = gigaOf(value, "f32_gflops");
      machine.int8Ops = gigaOf(value, "int8_gops");
      machine.readBandwidth = gigaOf(value, "read_gbs");
      machine.copyBandwidth = gigaOf(value, "copy_gbs");
      machine.instructions = value["f32_instructions"].string;
      machine.int8Instructions = value["int8_instructions"].string;
      machines.push_back(std::move(machine));
    }
  } catch (const UserError &error) {
    throw UserError(fmt::format("{}: {}", path, error.what()));
  }
  return machines;
}

Limits limitsOf(const GivenLimits &given, const std::vector<Machine> &machines, uint32_t cores) {
  Limits limits;
  std::string measured;
  for (const Machine &machine : machines)
    if (machine.cores == cores) {
      limits.flops = machine.flops;
      limits.int8Ops = machine.int8Ops;
      limits.bandwidth = std::max(machine.readBandwidth, machine.copyBandwidth);
      measured = fmt::format("measured on {} core{}", cores, cores == 1 ? "" : "s");
      if (!machine.instructions.empty())
        measured += " with " + machine.instructions;
      if (machine.instructions.find(machine.int8Instructions) == std::string::npos)
        measured += " and " + machine.int8Instructions;
    }
  std::string options;
  auto take = [&](double giga, double &limit, const char *name) {
    if (giga <= 0 || !std::isfinite(giga))
      return;
    limit = giga * 1e9;
    options += (options.empty() ? "given by " : ", ") + std::string(name);
  };
  take(given.gflops, limits.flops, "--peak-gflops");
  take(given.int8Gops, limits.int8Ops, "--peak-int8-gops");
  take(given.bandwidthGbs, limits.bandwidth, "--bandwidth-gbs");
  limits.source = options.empty()    ? measured
                  : measured.empty() ? options
                                     : options + "; else " + measured;
  return limits;
}

} // namespace ttrun::report
