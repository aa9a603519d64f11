// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/HostCalls.h"

#include "Formats/Json.h"
#include "Formats/Npy.h"
#include "Support/Error.h"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>

namespace ttrun {

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static std::string describe(const ttrt_tensor &tensor) {
  if (tensor.bytes == 0)
    return "none";
  return describe(tensor.dtype, {tensor.shape, tensor.shape + tensor.rank});
}

static std::string valueOf(const ttrt_attribute &attribute) {
  std::vector<std::string> values;
  for (uint32_t i = 0; i < attribute.count; ++i)
    if (attribute.ints)
      values.push_back(std::to_string(attribute.ints[i]));
    else if (attribute.floats)
      values.push_back(fmt::format("{}", attribute.floats[i]));
    else if (attribute.strings)
      values.push_back(fmt::format("\"{}\"", attribute.strings[i]));
  switch (attribute.kind) {
  case TTRT_ATTRIBUTE_INT:
  case TTRT_ATTRIBUTE_FLOAT:
  case TTRT_ATTRIBUTE_STRING:
    return values.front();
  case TTRT_ATTRIBUTE_TENSOR:
    return describe(attribute.tensor);
  case TTRT_ATTRIBUTE_INTS:
  case TTRT_ATTRIBUTE_FLOATS:
  case TTRT_ATTRIBUTE_STRINGS:
    break;
  }
  return fmt::format("[{}]", fmt::join(values, ", "));
}

/// "limit = 6"
static std::string describe(const ttrt_attribute &attribute) {
  return fmt::format("{} = {}", attribute.name, valueOf(attribute));
}

static std::string listOf(const ttrt_tensor *tensors, uint32_t number) {
  std::string text;
  for (uint32_t i = 0; i < number; ++i)
    text += (i ? ", " : "") + describe(tensors[i]);
  return text;
}

std::string describe(const ttrt_host_call &call) {
  std::string attributes;
  for (uint64_t i = 0; i < call.attribute_count; ++i)
    attributes += (i ? ", " : "") + describe(call.attributes[i]);
  return fmt::format("{}, version {}{}: {} -> {}", call.name, call.version,
                     attributes.empty() ? "" : " {" + attributes + "}",
                     listOf(call.operands, call.operand_count),
                     listOf(call.results, call.result_count));
}

void add(Json &json, const ttrt_host_call &call) {
  json.beginObject().field("name", call.name).field("version", call.version);
  json.key("attributes").beginArray(/*flat=*/true);
  for (uint64_t i = 0; i < call.attribute_count; ++i)
    json.value(describe(call.attributes[i]));
  json.endArray();
  auto addTensors = [&](const char *key, const ttrt_tensor *tensors, uint32_t number) {
    json.key(key).beginArray(/*flat=*/true);
    for (uint32_t i = 0; i < number; ++i)
      json.value(describe(tensors[i]));
    json.endArray();
  };
  addTensors("operands", call.operands, call.operand_count);
  addTensors("results", call.results, call.result_count);
  json.endObject();
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

void HostLibraries::Close::operator()(void *library) const { dlclose(library); }

HostLibraries::HostLibraries(const std::vector<std::string> &files) {
  for (const std::string &file : files) {
    // A name without a slash would be searched for in the system's folders.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    std::unique_ptr<void, Close> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library)
      throw UserError(fmt::format("--host-library={}: {}", file, dlerror()));
    auto *list =
        reinterpret_cast<ttrt_host_library_function *>(dlsym(library.get(), TTRT_HOST_LIBRARY));
    const ttrt_host_function *const *functions = list ? list() : nullptr;
    if (!functions)
      throw UserError(fmt::format(
          "--host-library={}: expected a function {} that returns a list of host functions", file,
          TTRT_HOST_LIBRARY));
    for (; *functions; ++functions)
      functions_.push_back(*functions);
    libraries_.push_back(std::move(library));
  }
  functions_.push_back(nullptr);
}

} // namespace ttrun
