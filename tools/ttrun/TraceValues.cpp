// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceValues.h"

#include "Bench/Peer.h"
#include "Formats/Compare.h"
#include "Formats/Json.h"
#include "Formats/JsonReader.h"
#include "Formats/Printing.h"
#include "Run/Mesh/Rank.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/WriteFile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fnmatch.h>
#include <optional>

namespace ttrun {

namespace {

/// A result of a node of the model.
struct Value {
  std::string name, node, op;
  std::vector<std::string> inputs;
  size_t output; ///< of the entry point with the values
  std::string file;
  uint64_t nans = 0, infinities = 0;
  double least = NAN, most = NAN; ///< of finite elements
  size_t firstBad = 0;            ///< the first element that is not finite

  bool isFinite() const { return nans == 0 && infinities == 0; }
};

constexpr char kNoneOfThese[] = "--only: no op, node or value has such a name";

} // namespace

void TraceOptions::declare(OptionParser &parser) {
  parser.text("trace-values", "FOLDER",
              "write the results of the model's nodes to FOLDER, and name\nthe first that is not "
              "finite (docs/values.md)",
              folder);
  parser.list("only", "PATTERN",
              "only values whose op, node or name matches, such as\nSoftmax or '/encoder/*'; "
              "repeatable",
              only);
  parser.choice("against", {"onnxruntime"},
                "find the first value that differs from that of this\nengine, and write its node "
                "as a model",
                against);
  parser.text("model", "FILE", "the ONNX model that a bundle was made of, for --against", model);
  python = getenv("TTC_PYTHON") ? getenv("TTC_PYTHON") : "python3";
  parser.text("python", "FILE",
              "the Python interpreter with the engine and the package\nonnx (default: "
              "TTC_PYTHON, or python3)",
              python);
}

void TraceOptions::check() const {
  if (!folder.empty())
    return;
  for (auto [isGiven, name] :
       {std::pair(!only.empty(), "only"), std::pair(!against.empty(), "against")})
    if (isGiven)
      throw UserError(fmt::format("--{} needs --trace-values=FOLDER", name));
}

/// The values that the bundle's metadata describe, and that `only` selects. `replaced` gets the
/// names of those that states replace.
static std::vector<Value> listValues(const std::string &path, Session &session,
                                     const std::string &entry, const std::vector<std::string> &only,
                                     std::vector<std::string> &replaced) {
  const std::string text = session.metadata("values/" + entry);
  const JsonValue list = JsonValue::parse(text.empty() ? "[]" : text);
  const std::vector<std::string> outputs = session.outputNames();
  std::vector<Value> values;
  for (const JsonValue &item : list.items) {
    Value value{item["name"].string, item["node"].string, item["op"].string, {}, 0, ""};
    for (const JsonValue &input : item["inputs"].items)
      value.inputs.push_back(input.string);
    auto matches = [&](const std::string &pattern) {
      return fnmatch(pattern.c_str(), value.op.c_str(), 0) == 0 ||
             fnmatch(pattern.c_str(), value.node.c_str(), 0) == 0 ||
             fnmatch(pattern.c_str(), value.name.c_str(), 0) == 0;
    };
    if (!only.empty() && std::none_of(only.begin(), only.end(), matches))
      continue;
    const auto found = std::find(outputs.begin(), outputs.end(), value.name);
    if (found == outputs.end()) {
      replaced.push_back(value.name);
      continue;
    }
    value.output = static_cast<size_t>(found - outputs.begin());
    values.push_back(std::move(value));
  }
  if (values.empty())
    throw UserError(only.empty()
                        ? fmt::format("{}: entry point '{}' has no values that are outputs", path,
                                      session.entryName())
                        : kNoneOfThese);
  return values;
}

/// "0007-Softmax-attention_probs.npy"
static std::string fileNameOf(size_t index, const Value &value) {
  std::string name = fmt::format("{:04}-{}-{}", index, value.op, value.name);
  for (char &c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.')
      c = '_';
  return name.substr(0, 100) + ".npy";
}

static void measure(Value &value, const Tensor &tensor) {
  for (size_t i = 0, n = tensor.elements(); i < n; ++i) {
    const double element = elementAt(tensor, i);
    if (std::isfinite(element)) {
      value.least = std::fmin(value.least, element);
      value.most = std::fmax(value.most, element);
      continue;
    }
    if (value.isFinite())
      value.firstBad = i;
    ++(std::isnan(element) ? value.nans : value.infinities);
  }
}

static void addTensor(Json &json, const Tensor &tensor) {
  json.field("dtype", nameOf(tensor.dtype)).key("shape").beginArray(/*flat=*/true);
  for (int64_t extent : tensor.shape)
    json.value(extent);
  json.endArray();
}

/// Writes all arrays, and FOLDER/values.json.
static void writeValues(const std::string &folder, const std::string &path, const Session &session,
                        std::vector<Value> &values) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw UserError(fmt::format("--trace-values: cannot make {}: {}", folder, error.message()));
  Json json;
  json.beginObject().field("bundle", path).field("entry", session.entryName());
  json.key("inputs").beginArray();
  const std::vector<std::string> inputs = session.inputNames();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string file = fmt::format("input{}.npy", i);
    writeNpy(folder + "/" + file, session.input(i));
    json.beginObject().field("name", inputs[i]).field("file", file);
    addTensor(json, session.input(i));
    json.endObject();
  }
  json.endArray().key("values").beginArray();
  for (size_t i = 0; i < values.size(); ++i) {
    Value &value = values[i];
    const Tensor &tensor = session.output(value.output);
    value.file = fileNameOf(i, value);
    writeNpy(folder + "/" + value.file, tensor);
    measure(value, tensor);
    json.beginObject()
        .field("name", value.name)
        .field("node", value.node)
        .field("op", value.op)
        .key("inputs")
        .beginArray(/*flat=*/true);
    for (const std::string &input : value.inputs)
      json.value(input);
    json.endArray().field("file", value.file);
    addTensor(json, tensor);
    json.field("min", value.least)
        .field("max", value.most)
        .field("nan", value.nans)
        .field("infinite", value.infinities)
        .endObject();
  }
  json.endArray().endObject();
  ttc::writeFile(folder + "/values.json", {json.take()});
}

/// The largest difference between the outputs of both entry points; 0 if their bits are equal.
static double compareOutputs(const Session &session, const Session &observed) {
  const std::vector<std::string> names = session.outputNames(), others = observed.outputNames();
  double largest = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = std::find(others.begin(), others.end(), names[i]);
    if (found == others.end())
      continue;
    const Tensor &a = session.output(i);
    const Tensor &b = observed.output(static_cast<size_t>(found - others.begin()));
    if (a.bytes == b.bytes)
      continue;
    for (size_t k = 0; k < a.elements(); ++k) {
      const double x = elementAt(a, k), y = elementAt(b, k);
      if (x != y && !(std::isnan(x) && std::isnan(y)))
        largest = std::max(largest, std::isnan(x - y) ? INFINITY : std::abs(x - y));
    }
  }
  return largest;
}

/// "node 'attn' (Softmax), value 'p'"
static std::string describe(const Value &value) {
  return fmt::format("node '{}' ({}), value '{}'", value.node, value.op, value.name);
}

static void printNotFinite(const std::vector<Value> &values, const Session &observed) {
  const auto bad = [](const Value &value) { return !value.isFinite(); };
  const auto first = std::find_if(values.begin(), values.end(), bad);
  if (first == values.end())
    return printLine("not finite   none");
  const Tensor &tensor = observed.output(first->output);
  printLine("not finite   {} value{}; the first is of {}: {} NaN and {} infinite of {} elements, "
            "the first at {}",
            std::count_if(values.begin(), values.end(), bad),
            plural(static_cast<uint64_t>(std::count_if(values.begin(), values.end(), bad))),
            describe(*first), first->nans, first->infinities, tensor.elements(),
            position(tensor.shape, first->firstBad));
}

/// A word of a shell's command line.
static std::string quoteWord(const std::string &word) {
  const bool isPlain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_=./:,+@%").find(c) != std::string_view::npos;
  });
  if (isPlain)
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command that runs the node of the first difference alone.
static std::string commandOf(const std::string &folder, const JsonValue &first) {
  const std::string where = folder + "/first/";
  std::string command = "ttrun run " + quoteWord(where + "model.onnx");
  for (const auto &[name, file] : first["inputs"].fields)
    command += " " + quoteWord("--input=" + name + "=" + where + file.string);
  return command + " " + quoteWord("--expect=" + first["output"].string + "=" + where + "want.npy");
}

/// "not compared 12 values, because the loop has ended: 'loop/3/h', 'loop/3/y' and 10 more"
static void printMissing(const char *label, const std::string &why,
                         const std::vector<std::string> &names) {
  constexpr size_t kMostNames = 6;
  const size_t shown = std::min(names.size(), kMostNames);
  std::string list;
  for (size_t i = 0; i < shown; ++i)
    list += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > shown)
    list += fmt::format(" and {} more", names.size() - shown);
  printLine("{:<12} {} value{}, {}: {}", label, names.size(), plural(names.size()), why, list);
}

static std::vector<std::string> stringsOf(const JsonValue &list) {
  std::vector<std::string> strings;
  for (const JsonValue &item : list.items)
    strings.push_back(item.string);
  return strings;
}

static void addNames(Json &json, const char *key, const std::vector<std::string> &names) {
  json.key(key).beginArray();
  for (const std::string &name : names)
    json.value(name);
  json.endArray();
}

static void printAgainst(const TraceOptions &trace, const std::vector<Value> &values,
                         const JsonValue &answer) {
  for (const JsonValue &group : answer["not_compared"].items)
    printMissing("not compared", "because " + group["reason"].string, stringsOf(group["values"]));
  const auto compared = static_cast<uint64_t>(answer["compared"].number);
  const auto differing = static_cast<uint64_t>(answer["differing"].number);
  const std::string all = fmt::format("{} {}: {} value{} compared", trace.against,
                                      answer["version"].string, compared, plural(compared));
  if (!differing)
    return printLine("against      {}, none differs by more than rtol {:g}, atol {:g}", all,
                     trace.rtol, trace.atol);
  const JsonValue &first = answer["first"];
  const auto value = std::find_if(values.begin(), values.end(), [&](const Value &value) {
    return value.name == first["name"].string;
  });
  const bool isOwn = first["own"].number != 0;
  printLine("against      {}, {} differ{} by more than rtol {:g}, atol {:g}", all, differing,
            differing == 1 ? "s" : "", trace.rtol, trace.atol);
  printLine("             the first is of {}", describe(*value));
  if (first["shape"].items.empty()) {
    std::vector<std::string> worst;
    for (const JsonValue &index : first["worst"].items)
      worst.push_back(fmt::format("{}", static_cast<int64_t>(index.number)));
    printLine("             {} of {} elements; worst [{}]: got {:.6g}, expected {:.6g}",
              static_cast<uint64_t>(first["differing"].number),
              static_cast<uint64_t>(first["elements"].number), fmt::join(worst, ", "),
              first["got"].number, first["expected"].number);
  } else {
    printLine("             its shape differs");
  }
  printLine("             {}",
            isOwn ? "the op itself differs: it was compared with the same inputs"
                  : "the op alone agrees: with the same inputs, the results are the same. Smaller "
                    "differences of its inputs have grown");
  // Not wrapped: it is to be copied.
  fmt::print("             {}\n", printable(commandOf(trace.folder, first)));
}

static void addValue(Json &json, const char *key, const Value *value) {
  if (!value)
    return;
  json.key(key)
      .beginObject()
      .field("name", value->name)
      .field("node", value->node)
      .field("op", value->op)
      .field("file", value->file)
      .endObject();
}

static void addResult(Json &json, const TraceOptions &trace, const std::vector<Value> &values,
                      const std::vector<std::string> &replaced, double difference,
                      const std::optional<JsonValue> &answer) {
  auto find = [&](auto matches) {
    const auto found = std::find_if(values.begin(), values.end(), matches);
    return found == values.end() ? nullptr : &*found;
  };
  json.key("values")
      .beginObject()
      .field("folder", trace.folder)
      .field("count", static_cast<uint64_t>(values.size()))
      .field("outputs_equal", difference == 0)
      .field("largest_difference", difference);
  addNames(json, "not_written", replaced);
  addValue(json, "first_not_finite", find([](const Value &value) { return !value.isFinite(); }));
  if (answer) {
    json.field("against", trace.against)
        .field("version", (*answer)["version"].string)
        .field("compared", static_cast<uint64_t>((*answer)["compared"].number))
        .field("differing", static_cast<uint64_t>((*answer)["differing"].number));
    json.key("not_compared").beginArray();
    for (const JsonValue &group : (*answer)["not_compared"].items) {
      json.beginObject().field("reason", group["reason"].string);
      addNames(json, "values", stringsOf(group["values"]));
      json.endObject();
    }
    json.endArray();
    const JsonValue &first = (*answer)["first"];
    addValue(json, "first_different",
             find([&](const Value &value) { return value.name == first["name"].string; }));
    if (!first.fields.empty())
      json.field("own", first["own"].number != 0).field("command", commandOf(trace.folder, first));
  }
  json.endObject();
}

bool traceValues(const std::string &name, const std::string &path, Session &session,
                 const SessionOptions &options, const TraceOptions &trace, Json *json) {
  if (const MeshDevices *mesh = session.mesh(); mesh && mesh->localDevices() != mesh->devices())
    throw UserError(fmt::format("--trace-values: expected all {} devices of the mesh in this "
                                "process, as threads, found {}",
                                mesh->devices(), mesh->localDevices()));
  const std::vector<std::string> entries = session.entryNames();
  if (std::find(entries.begin(), entries.end(), session.entryName() + ".values") == entries.end()) {
    if (!trace.only.empty() && trace.model == name) // which was compiled for these values
      throw UserError(kNoneOfThese);
    if (const ShapedModel *model = session.shapedModel()) {
      std::string dims;
      for (size_t i = 0; i < model->dims().size(); ++i)
        dims += fmt::format(" --dim={}:{}", model->dims()[i], model->extents()[i]);
      throw UserError(fmt::format("{}: expected a model of one size for --trace-values, found "
                                  "ranges; compile the ONNX model with --keep-values{}",
                                  name, dims));
    }
    throw UserError(fmt::format("{}: expected an entry point '{}.values' with the values of nodes, "
                                "found none; compile the ONNX model with --keep-values",
                                name, session.entryName()));
  }
  SessionOptions same = options;
  same.entry = session.entryName() + ".values";
  same.profile.clear();
  same.opened = nullptr;
  Session observed(path, same);
  std::vector<std::string> replaced;
  std::vector<Value> values = listValues(name, observed, session.entryName(), trace.only, replaced);
  observed.fillInputs(same);
  if (!trace.restore.empty())
    observed.restoreState(trace.restore);
  ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
  run.no_trace = options.noTrace;
  observed.run(run);
  writeValues(trace.folder, name, observed, values);
  const double difference = compareOutputs(session, observed);
  std::optional<JsonValue> answer;
  if (!trace.against.empty())
    answer = Peer::compareValues(trace.python, trace.against, trace.model, trace.folder, trace.rtol,
                                 trace.atol);
  const bool agrees = !answer || (*answer)["differing"].number == 0;
  if (json) {
    addResult(*json, trace, values, replaced, difference, answer);
    return agrees;
  }
  printLine("values       {} in {}; values.json lists them", values.size(), trace.folder);
  if (!replaced.empty())
    printMissing("not written", "which states replace", replaced);
  if (difference == 0)
    printLine("outputs      the same bits as those of {}", session.entryName());
  else
    printLine("outputs      differ by at most {:.3g} from those of {}, whose ops are fused",
              difference, session.entryName());
  printNotFinite(values, observed);
  if (answer)
    printAgainst(trace, values, *answer);
  return agrees;
}

} // namespace ttrun
