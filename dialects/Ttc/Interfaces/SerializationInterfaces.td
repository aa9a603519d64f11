// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How commands and steps are stored in a bundle. Writer and reader of bundles use only these interfaces of commands and
// steps, so a new kind is added in its own op and nowhere else.
#ifndef TTC_SERIALIZATIONINTERFACES_TD
#define TTC_SERIALIZATIONINTERFACES_TD

include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "mlir/IR/OpBase.td"

def Ttc_CommandSerializationOpInterface
    : OpInterface<"CommandSerializationOpInterface", [Ttc_CommandOpInterface]> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    A command that writes itself to a command stream (`ttrt/format/commands.h`) and reads itself back.
    `readCommand` is the inverse of `writeCommand`.
  }];
  let methods = [
    StaticInterfaceMethod<[{
      The opcode, which identifies the op: no two ops have the same one.
    }], "::ttrt::Opcode", "getOpcode">,
    InterfaceMethod<[{
      Appends the command to `stream`: as many bytes as getEncodedBytes() says.
    }], "void", "writeCommand",
    (ins "const ::mlir::ttc::BundleNumbers &":$numbers, "::std::vector<char> &":$stream)>,
    StaticInterfaceMethod<[{
      Creates the op from `bytes`, which hold one command with a valid header. Fails if the rest of
      the command is damaged.
    }], "::llvm::LogicalResult", "readCommand",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$location,
         "::llvm::ArrayRef<char>":$bytes, "::mlir::ttc::BundleSymbols &":$symbols)>
  ];
}

def Ttc_StepSerializationOpInterface
    : OpInterface<"StepSerializationOpInterface", [Ttc_StepOpInterface]> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    A step that writes itself to a step table of the bundle's schema and reads itself back.
    `readStep` is the inverse of `writeStep`. The kind, the queue and the source of the table are
    set by the writer of the bundle.
  }];
  let methods = [
    StaticInterfaceMethod<[{
      The kind, which identifies the op: no two ops have the same one.
    }], "::ttrt::fb::StepKind", "getStepKind">,
    InterfaceMethod<[{
      Sets the fields of `table` that hold the step's own attributes.
    }], "void", "writeStep",
    (ins "const ::mlir::ttc::BundleNumbers &":$numbers, "::ttrt::fb::StepT &":$table)>,
    StaticInterfaceMethod<[{
      Creates the op from `table`. Fails if a field is out of range.
    }], "::llvm::LogicalResult", "readStep",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$location,
         "const ::ttrt::fb::StepT &":$table, "::mlir::ttc::BundleSymbols &":$symbols)>
  ];
}

#endif // TTC_SERIALIZATIONINTERFACES_TD
