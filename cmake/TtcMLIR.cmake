# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds LLVM and MLIR 22. Everything links against the shared libMLIR and libLLVM:
# a tool then links in seconds and starts in 20 ms.

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22 PATH_SUFFIXES lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "ttc needs LLVM and MLIR 22, found ${LLVM_PACKAGE_VERSION} (packages: libmlir-22-dev llvm-22-dev)")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# One interface target that every compiler library links: headers as system
# headers (their warnings are not ours), and the two shared libraries.
add_library(ttc_mlir INTERFACE)
target_include_directories(ttc_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(TTC_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_options(ttc_mlir INTERFACE ${TTC_LLVM_DEFINITIONS})
target_link_libraries(ttc_mlir INTERFACE MLIR LLVM)
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(ttc_mlir INTERFACE -fno-rtti)
endif()
# mlir_tablegen takes its search path from the directory's include path.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
