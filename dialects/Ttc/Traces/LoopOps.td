// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: ops that the device repeats, marked by a begin and an end in the flat list of ops.
#ifndef TTC_LOOPOPS_TD
#define TTC_LOOPOPS_TD

include "dialects/Ttc/Traces/CommandOpBase.td"
include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "dialects/Ttc/Interfaces/SerializationInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

//===-- Levels 1 to 3 --------------------------------------------------------===//

def Ttc_LoopBeginOp : Ttc_Op<"loop_begin", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, ["staysInDram"]>]> {
  let summary = "Where a loop begins";
  let description = [{
    The ops from here to the matching `ttc.loop_end` are an iteration, which the device repeats. Operands are the
    initial values of what iterations hand on; results are these values at the beginning of an iteration. Ops of an
    iteration may use values from before the loop. What they compute is used after it only as a result of
    `ttc.loop_end`.

    With `times`, there are `iterations` of them. With `while ... at_most`, the first value is a flag of one element of
    one byte, and an iteration, also the first, begins only if it is not 0; there are at most `iterations`. Then, with
    `fails_at_limit`, a run in which the flag is still not 0 fails. Otherwise the values after the last iteration are
    the results.

    It has effects that are not described, so that no pass moves or removes it.

    Constraints:
    - (C1) There is at least one operand. Each has at least one element, and no layout.
    - (C2) Results have the types of the operands.
    - (C3) There are 1 or more iterations, up to 2^40.
    - (C4) With `while`, the first operand has one element of one byte.
    - (C5) `fails_at_limit` requires `while`.
    - (C6) A `ttc.loop_end` of the same block ends the loop. Loops are within at most seven others.

    ```mlir
    %h, %n = ttc.loop_begin %h0, %n0 times 1000 : tensor<4xf32>, tensor<i32>
    %1 = ttc.add %h, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = ttc.add %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %3, %4 = ttc.loop_end %1, %2 : tensor<4xf32>, tensor<i32>
    ```
  }];
  let arguments = (ins Variadic<Ttc_Tensor>:$inputs, I64Attr:$iterations, UnitAttr:$is_while,
                       UnitAttr:$fails_at_limit);
  let results = (outs Variadic<Ttc_Tensor>:$values);
  let assemblyFormat = [{
    $inputs (`while` `at_most` $is_while^) : (`times`)? $iterations (`fails_at_limit` $fails_at_limit^)?
    attr-dict `:` type($inputs)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The end of the loop, or null.
    ::mlir::Operation *getEnd() { return findEnd(*this); }

    /// Whether a loop begins or ends at the op, at any level.
    static bool begins(::mlir::Operation *op);
    static bool ends(::mlir::Operation *op);
    static bool isMark(::mlir::Operation *op) { return begins(op) || ends(op); }
    /// The end of the loop that begins at the op, or null.
    static ::mlir::Operation *findEnd(::mlir::Operation *begin);
    /// The beginning of the loop that ends at the op, or null.
    static ::mlir::Operation *findBegin(::mlir::Operation *end);
  }];
}

def Ttc_LoopEndOp : Ttc_Op<"loop_end", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, ["staysInDram"]>]> {
  let summary = "Where a loop ends";
  let description = [{
    Ends the loop of the nearest `ttc.loop_begin` before it that has no end yet. Operands are the values that the next
    iteration begins with; results are the values after the last iteration. If there is none, because the flag is 0 at
    once, they are the initial values.

    Constraints:
    - (C1) A `ttc.loop_begin` of the same block begins the loop.
    - (C2) Operands have the types of the beginning's operands, and results those of the operands.

    ```mlir
    %go, %x = ttc.loop_begin %go0, %x0 while at_most 100 fails_at_limit : tensor<i1>, tensor<f32>
    %1 = ttc.mul %x, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = ttc.compare gt %1, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3, %4 = ttc.loop_end %2, %1 : tensor<i1>, tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<Ttc_Tensor>:$next);
  let results = (outs Variadic<Ttc_Tensor>:$values);
  let assemblyFormat = "$next attr-dict `:` type($next)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The beginning of the loop, or null.
    LoopBeginOp getBegin();
  }];
}

def Ttc_FailIfOp : Ttc_Op<"fail_if", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface, ["staysInDram"]>]> {
  let summary = "Fails the run if a flag is set";
  let description = [{
    If the flag, one element of one byte, is not 0, the run fails; the message has the op's location. Importers state
    with it what must hold for the results to be right, and is known only at run time. The commands are a loop that
    would not end. The result is a copy of the flag, for its buffer. A flag that is known to be 0 removes the op.

    It has effects that are not described, so that no pass moves or removes it. `--ttc-set-mesh` leaves it out for a
    mesh of several devices, which repeat no commands.

    Constraints:
    - (C1) The flag has one element of one byte, and no layout.
    - (C2) The result has its type.

    ```mlir
    %0 = ttc.compare ne %n, %declared : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = ttc.fail_if %0 : tensor<i1>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$flag);
  let results = (outs Ttc_Tensor:$copy);
  let assemblyFormat = "$flag attr-dict `:` type($flag)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Ttc_FillOp : Ttc_Op<"fill", [
    Pure, DeclareOpInterfaceMethods<Ttc_DeviceWorkOpInterface>]> {
  let summary = "Fills a tensor on the device";
  let description = [{
    Device work that becomes a fill command: byte i of the tensor is byte i mod 8 of the little-endian `pattern`.
    `--ttc-prepare-loops` makes it of a constant of equal elements that a loop begins with, so that the bundle does not
    have all of them.

    Constraints:
    - (C1) The tensor has at least one element, and no shards.

    ```mlir
    %rows = ttc.fill with 0 : tensor<10000x64xf32>
    %0 = ttc.loop_begin %rows times 10000 : tensor<10000x64xf32>
    %1 = ttc.relu %0 : (tensor<10000x64xf32>) -> tensor<10000x64xf32>
    %2 = ttc.loop_end %1 : tensor<10000x64xf32>
    ```
  }];
  let arguments = (ins I64Attr:$pattern);
  let results = (outs Ttc_Tensor:$output);
  let assemblyFormat = "`with` $pattern attr-dict `:` type($output)";
  let hasVerifier = 1;
}

//===-- Level 4: commands ----------------------------------------------------===//

def Ttc_CmdRepeatOp : Ttc_CommandOp<"repeat", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Command: repeats the commands up to the matching end";
  let description = [{
    `carried` are the buffers whose contents an iteration takes from the one before it, and that are used after the
    loop. `bytes` says how many bytes of each. With `while`, an iteration begins only if the first byte of the flag is
    not 0; there are at most `iterations`. With `fails_at_limit`, a run in which it is still not 0 then fails.

    Constraints:
    - (C1) `carried` are different buffers, and each has at least as many bytes as `bytes` says, 1 or more.
    - (C2) The flag is one of them.
    - (C3) There are 1 or more iterations, up to 2^40.
    - (C4) `fails_at_limit` requires a flag.
    - (C5) A `ttc.cmd.end_repeat` ends the loop, after at least one command. Loops are within at most seven others.
    - (C6) Between them are only `ttc.cmd.dispatch`, `ttc.cmd.copy`, `ttc.cmd.fill`, `ttc.cmd.barrier` and loops.

    ```mlir
    ttc.cmd.repeat carried (@h, @n) bytes [16, 4] times 1000
    ttc.cmd.dispatch @step(@h) into (@next)
    ttc.cmd.copy @next to @h bytes 16
    ttc.cmd.end_repeat
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$carried, DenseI64ArrayAttr:$bytes,
                       OptionalAttr<FlatSymbolRefAttr>:$flag, I64Attr:$iterations,
                       UnitAttr:$fails_at_limit);
  let assemblyFormat = [{
    `carried` custom<SymbolList>($carried) `bytes` $bytes (`while` $flag^ `at_most`) : (`times`)?
    $iterations (`fails_at_limit` $fails_at_limit^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether each command of the body has one workgroup, or none: core 0 alone executes the loop.
    bool isSequential(::mlir::SymbolTableCollection &symbols);
  }];
}

def Ttc_CmdEndRepeatOp : Ttc_CommandOp<"end_repeat"> {
  let summary = "Command: ends what the device repeats";
  let description = [{
    Constraints:
    - (C1) A `ttc.cmd.repeat` of the same trace begins the loop.

    ```mlir
    ttc.cmd.repeat carried (@x) bytes [16] times 10
    ttc.cmd.dispatch @step(@x) into (@x)
    ttc.cmd.end_repeat
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // TTC_LOOPOPS_TD
