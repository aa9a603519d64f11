// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_ATTRIBUTES_TD
#define TTC_ATTRIBUTES_TD

include "dialects/Ttc/TtcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Ttc_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Ttc_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Ttc_TargetAttr : Ttc_Attr<"Target", "target"> {
  let summary = "A system description that a module is compiled for";
  let description = [{
    Sizes are in bytes. `gridRows` x `gridCols` cores; each core has `l1Bytes` of L1; DRAM
    is `dramBanks` x `dramBankBytes`. Held by the module as `ttc.target`.

    ```mlir
    module attributes {ttc.target = #ttc.target<
        name = "cpu", triple = "x86_64-linux-gnu", cpu = "znver3", features = "", grid_rows = 1, grid_cols = 4, l1_bytes = 524288,
        l1_alignment = 64, dram_banks = 1, dram_bank_bytes = 17179869184,
        dram_alignment = 64, queues = 2, chips = 1>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    StringRefParameter<"LLVM target triple of the machine code">:$triple,
    StringRefParameter<"CPU name of the machine code">:$cpu,
    StringRefParameter<"LLVM feature string, beyond what the CPU name implies">:$features,
    "int64_t":$grid_rows, "int64_t":$grid_cols,
    "int64_t":$l1_bytes, "int64_t":$l1_alignment,
    "int64_t":$dram_banks, "int64_t":$dram_bank_bytes, "int64_t":$dram_alignment,
    "int64_t":$queues, "int64_t":$chips);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TTC_ATTRIBUTES_TD
