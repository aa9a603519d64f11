// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECT_TD
#define TTC_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/DialectBase.td"

def Ttc_Dialect : Dialect {
  let name = "ttc";
  let cppNamespace = "::mlir::ttc";
  let summary = "Ops, events and traces of a static neural network";
  let description = [{
    The `ttc` dialect represents a model at four levels: named ops on tensors, programs and their
    dispatches, traces with queues and events, and finally buffers at fixed addresses, command
    streams and schedules. `docs/architecture.md` shows the levels.

    Discardable attributes, which the dialect verifies:

    | attribute | on | value |
    |---|---|---|
    | `ttc.target` | a module | `#ttc.target` |
    | `ttc.mesh` | a module | `#ttc.mesh` |
    | `ttc.trace_region` | a module | the bytes of the trace region, if more than the streams need |
    | `ttc.metadata` | a module | a dictionary of strings, of any bytes, that the bundle carries |
    | `ttc.name` | an argument or a result of a function | the name of the model's input or output |
    | `ttc.state` | an argument or a result of a function | the name of the `ttc.state` that it is the value of |
    | `ttc.sharding` | an argument or a result of a function, a `ttc.input` or `ttc.output` | per dimension, an array of the names of axes that divide it |
    | `ttc.buffer` | an argument or a result of a `ttc.trace` | the name of its buffer |
    | `ttc.buffer` | an op in a `ttc.trace` | an array with the buffer of each result |
    | `ttc.strided` | an argument or a result of a `ttc.program` | `#ttc.strided` |
    | `ttc.shard` | an argument or a result of a `ttc.program` | `#ttc.shard` |
    | `ttc.in_place` | a result of a `ttc.program` | the numbers of the arguments that it may overwrite |
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
  // Elementwise ops emit these dialects' ops, also when constants are folded.
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

class Ttc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ttc_Dialect, mnemonic, traits>;

#endif // TTC_DIALECT_TD
