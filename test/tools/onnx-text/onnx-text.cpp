// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the ONNX model that a file describes in ONNX's textual syntax: how the importer's tests
// state their models, without Python.
//
// usage: onnx-text MODEL.txt OUT.onnx [--external=NAME:FILE:OFFSET:LENGTH]... [--raw=NAME:BYTES]...
//   --external  stores the data of an initializer in FILE
//   --raw       gives an initializer that many zero bytes of raw data, fitting or not
//   --name      names each node by its op and index ("Conv_0"), which the syntax cannot
#include "onnx/defs/parser.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static onnx::TensorProto *findInitializer(onnx::ModelProto &model, const std::string &name) {
  for (onnx::TensorProto &tensor : *model.mutable_graph()->mutable_initializer())
    if (tensor.name() == name)
      return &tensor;
  return nullptr;
}

static void clearData(onnx::TensorProto &tensor) {
  tensor.clear_float_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
}

static bool apply(onnx::ModelProto &model, const std::string &option) {
  if (option == "--name") {
    int index = 0;
    for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node())
      node.set_name(node.op_type() + "_" + std::to_string(index++));
    return true;
  }
  size_t equal = option.find('=');
  if (equal == std::string::npos)
    return false;
  std::vector<std::string> parts;
  std::stringstream stream(option.substr(equal + 1));
  for (std::string part; std::getline(stream, part, ':');)
    parts.push_back(part);
  if (option.starts_with("--external="))
    parts.resize(4); // the last ones may be empty
  onnx::TensorProto *tensor = parts.empty() ? nullptr : findInitializer(model, parts[0]);
  if (!tensor)
    return false;
  clearData(*tensor);
  if (option.starts_with("--raw=") && parts.size() == 2) {
    tensor->set_raw_data(std::string(std::stoul(parts[1]), '\0'));
    return true;
  }
  if (!option.starts_with("--external=") || parts.size() != 4)
    return false;
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  for (auto [i, key] : {std::pair(1, "location"), std::pair(2, "offset"), std::pair(3, "length")}) {
    if (parts[i].empty())
      continue;
    onnx::StringStringEntryProto *entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(parts[i]);
  }
  return true;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cerr << "usage: onnx-text MODEL.txt OUT.onnx [options]\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  // Lines with // are the test's own: its checks.
  std::string text;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("//"))
      text += line + "\n";
  onnx::ModelProto model;
  onnx::Common::Status status = onnx::OnnxParser::Parse(model, text.c_str());
  if (!status.IsOK()) {
    std::cerr << argv[1] << ": " << status.ErrorMessage() << "\n";
    return 1;
  }
  for (int i = 3; i < argc; ++i)
    if (!apply(model, argv[i])) {
      std::cerr << "onnx-text: cannot apply " << argv[i] << "\n";
      return 2;
    }
  std::ofstream out(argv[2], std::ios::binary);
  return model.SerializeToOstream(&out) && out.flush() ? 0 : 1;
}
