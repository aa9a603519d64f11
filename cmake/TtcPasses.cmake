# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ttc_add_passes(NAME): generates the declarations of the passes in Passes.td as Passes.h.inc; the
# target is <NAME>PassIncGen.
function(ttc_add_passes name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name} -I${PROJECT_SOURCE_DIR}/include)
  add_public_tablegen_target(${name}PassIncGen)
endfunction()
