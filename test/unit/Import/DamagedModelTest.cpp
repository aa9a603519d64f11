// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever bytes a file holds, the importer answers with a module or with an error.
#include "test/unit/Support/Rounds.h"
#include "ttc/Import/OnnxImport.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "onnx/onnx_pb.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;

namespace {

void addAttr(onnx::NodeProto &node, const char *name, std::initializer_list<int64_t> values) {
  onnx::AttributeProto *attr = node.add_attribute();
  attr->set_name(name);
  attr->set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attr->add_ints(value);
}

onnx::NodeProto &addNode(onnx::GraphProto &graph, const char *op,
                         std::initializer_list<const char *> inputs, const char *output) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  node.set_name(std::string("node_") + output);
  for (const char *input : inputs)
    node.add_input(input);
  node.add_output(output);
  return node;
}

template <typename T>
void addInitializer(onnx::GraphProto &graph, const char *name, int32_t type,
                    std::initializer_list<int64_t> dims, const std::vector<T> &values) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  tensor.set_raw_data(values.data(), values.size() * sizeof(T));
}

void describe(onnx::ValueInfoProto &value, const char *name, std::initializer_list<int64_t> dims) {
  value.set_name(name);
  auto *type = value.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t dim : dims)
    type->mutable_shape()->add_dim()->set_dim_value(dim);
}

/// A small network with attributes, weights, shape arithmetic, padding and slices: many kinds of
/// fields for a damaged byte to fall into.
std::string makeModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  onnx::OperatorSetIdProto *opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(13);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("g");
  describe(*graph.add_input(), "x", {1, 2, 8, 8});
  describe(*graph.add_output(), "y", {1, 10});

  addInitializer(graph, "w", onnx::TensorProto::FLOAT, {4, 2, 3, 3}, std::vector<float>(72, 0.5f));
  addInitializer(graph, "fc", onnx::TensorProto::FLOAT, {36, 10}, std::vector<float>(360, 0.25f));
  addInitializer<int64_t>(graph, "zero", onnx::TensorProto::INT64, {1}, {0});
  addInitializer<int64_t>(graph, "minus", onnx::TensorProto::INT64, {1}, {-1});
  addInitializer<int64_t>(graph, "pads", onnx::TensorProto::INT64, {8}, {0, 0, 1, 1, 0, 0, 1, 1});

  addNode(graph, "Pad", {"x", "pads"}, "padded");
  onnx::NodeProto &conv = addNode(graph, "Conv", {"padded", "w"}, "conv");
  addAttr(conv, "strides", {1, 1});
  addAttr(conv, "pads", {0, 0, 0, 0});
  addNode(graph, "Relu", {"conv"}, "relu");
  onnx::NodeProto &pool = addNode(graph, "MaxPool", {"relu"}, "pool");
  addAttr(pool, "kernel_shape", {3, 3});
  addAttr(pool, "strides", {2, 2});
  onnx::NodeProto &transpose = addNode(graph, "Transpose", {"pool"}, "moved");
  addAttr(transpose, "perm", {0, 2, 3, 1});
  addNode(graph, "Shape", {"x"}, "shape");
  addNode(graph, "Gather", {"shape", "zero"}, "batch");
  onnx::NodeProto &concat = addNode(graph, "Concat", {"batch", "minus"}, "flat");
  onnx::AttributeProto *axis = concat.add_attribute();
  axis->set_name("axis");
  axis->set_type(onnx::AttributeProto::INT);
  axis->set_i(0);
  addNode(graph, "Reshape", {"moved", "flat"}, "features");
  addNode(graph, "MatMul", {"features", "fc"}, "logits");
  addNode(graph, "Softmax", {"logits"}, "y");
  return model.SerializeAsString();
}

class DamagedModel : public ::testing::Test {
protected:
  DamagedModel() : context(MLIRContext::Threading::DISABLED) {}

  /// Whether the bytes import; checks that this or an error is the answer.
  bool import(const std::string &bytes, std::string *messages = nullptr) {
    unsigned errors = 0;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
      errors += diag.getSeverity() == DiagnosticSeverity::Error;
      if (messages)
        *messages += diag.str() + "\n";
      return success();
    });
    auto buffer = llvm::MemoryBuffer::getMemBuffer(bytes, "damaged.onnx",
                                                   /*RequiresNullTerminator=*/false);
    ttc::OnnxImportOptions options;
    options.nodeLimit = 1 << 12;
    OwningOpRef<ModuleOp> module = ttc::importOnnx(*buffer, &context, options);
    EXPECT_NE(static_cast<bool>(module), errors > 0);
    if (module)
      EXPECT_TRUE(succeeded(verify(*module)));
    return static_cast<bool>(module);
  }

  MLIRContext context;
  std::string model = makeModel();
};

TEST_F(DamagedModel, IsFineAsItIs) {
  std::string messages;
  EXPECT_TRUE(import(model, &messages)) << messages;
}

TEST_F(DamagedModel, Truncated) {
  for (size_t size = 0; size < model.size(); ++size)
    EXPECT_FALSE(import(model.substr(0, size))) << "cut off after " << size << " bytes";
}

TEST_F(DamagedModel, OneByteChanged) {
  std::mt19937 random(1);
  for (int i = 0; i < ttrt::test::rounds(10000); ++i) {
    std::string damaged = model;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    import(damaged);
  }
}

TEST_F(DamagedModel, PieceMissing) {
  std::mt19937 random(2);
  for (int i = 0; i < ttrt::test::rounds(2000); ++i) {
    std::string damaged = model;
    size_t at = random() % damaged.size();
    damaged.erase(at, 1 + random() % 16);
    import(damaged);
  }
}

/// Sizes and axes beyond all reason in the places that arithmetic is done on.
TEST_F(DamagedModel, ExtremeNumbers) {
  const int64_t extremes[] = {std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max(), -1, 0, int64_t(1) << 40};
  for (int64_t extreme : extremes) {
    onnx::ModelProto parsed;
    ASSERT_TRUE(parsed.ParseFromString(model));
    auto tryModel = [&](auto change) {
      onnx::ModelProto changed = parsed;
      change(*changed.mutable_graph());
      import(changed.SerializeAsString());
    };
    for (int i = 0; i < parsed.graph().initializer_size(); ++i)
      for (int d = 0; d < parsed.graph().initializer(i).dims_size(); ++d)
        tryModel([&](onnx::GraphProto &g) { g.mutable_initializer(i)->set_dims(d, extreme); });
    for (int d = 0; d < 4; ++d)
      tryModel([&](onnx::GraphProto &g) {
        auto *type = g.mutable_input(0)->mutable_type()->mutable_tensor_type();
        type->mutable_shape()->mutable_dim(d)->set_dim_value(extreme);
      });
    for (int n = 0; n < parsed.graph().node_size(); ++n)
      for (int a = 0; a < parsed.graph().node(n).attribute_size(); ++a) {
        tryModel(
            [&](onnx::GraphProto &g) { g.mutable_node(n)->mutable_attribute(a)->set_i(extreme); });
        for (int v = 0; v < parsed.graph().node(n).attribute(a).ints_size(); ++v)
          tryModel([&](onnx::GraphProto &g) {
            g.mutable_node(n)->mutable_attribute(a)->set_ints(v, extreme);
          });
      }
    // The values that shapes and pads are computed from.
    for (const char *name : {"zero", "minus", "pads"})
      tryModel([&](onnx::GraphProto &g) {
        for (onnx::TensorProto &tensor : *g.mutable_initializer())
          if (tensor.name() == name)
            tensor.mutable_raw_data()->replace(
                0, sizeof(extreme), reinterpret_cast<const char *>(&extreme), sizeof(extreme));
      });
  }
}

} // namespace
