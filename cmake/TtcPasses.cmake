# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ttc_add_passes(NAME): the declarations of the passes in Passes.td, as Passes.h.inc, by the target
# <NAME>PassIncGen. Their statistics are ttc's (ttc/Support/PassStatistic.h says why).
function(ttc_add_passes name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.tblgen.inc -gen-pass-decls -name ${name})
  set(raw ${CMAKE_CURRENT_BINARY_DIR}/Passes.tblgen.inc)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/Passes.h.inc)
  add_custom_command(
    OUTPUT ${header}
    COMMAND sed "s/::mlir::Pass::Statistic /::mlir::ttc::PassStatistic /" ${raw} > ${header}
    DEPENDS ${raw} VERBATIM)
  list(APPEND TABLEGEN_OUTPUT ${header})
  add_public_tablegen_target(${name}PassIncGen)
endfunction()
