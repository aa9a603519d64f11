# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds LLVM and MLIR 22. Everything links against the shared libMLIR and libLLVM:
# a tool then links in seconds and starts in 20 ms. For machines that have neither, TTC_STATIC_LLVM
# makes one library of what the tools need of them, and of the compiler (tools/CMakeLists.txt).
option(TTC_STATIC_LLVM "Link the static libraries of LLVM and MLIR into one library of the compiler" OFF)

find_package(MLIR CONFIG HINTS /usr/lib/llvm-22 PATH_SUFFIXES lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR "ttc needs LLVM and MLIR 22, found none: install the packages of scripts/packages.txt "
    "(apt-get install --no-install-recommends $(sed 's/#.*//' scripts/packages.txt | awk '{print $1}'))")
endif()
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
if(TTC_STATIC_LLVM)
  # By name: the imported targets of Debian's packages depend on the shared libLLVM. The linker takes
  # from each archive what is needed.
  file(GLOB ttc_archives ${LLVM_LIBRARY_DIRS}/libMLIR*.a ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
  list(FILTER ttc_archives EXCLUDE REGEX "Test|MLIRCAPI|LLVMExegesis|TableGen")
  find_library(TTC_ZSTD_STATIC libzstd.a REQUIRED)
  find_package(ZLIB REQUIRED)
  # Machine code is made for x86-64 and AArch64 alone.
  set(ttc_unused_targets "")
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    if(NOT target MATCHES "^(X86|AArch64)$")
      foreach(part Target TargetInfo TargetMC AsmPrinter AsmParser Disassembler)
        string(APPEND ttc_unused_targets "void LLVMInitialize${target}${part}() {}\n")
      endforeach()
    endif()
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/UnusedTargets.cpp.in ${CMAKE_BINARY_DIR}/cmake/UnusedTargets.cpp @ONLY)
  target_link_libraries(ttc_mlir INTERFACE ${ttc_archives} ${TTC_ZSTD_STATIC} ZLIB::ZLIB ${CMAKE_DL_LIBS})
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH OFF)
else()
  target_link_libraries(ttc_mlir INTERFACE MLIR LLVM)
endif()
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(ttc_mlir INTERFACE -fno-rtti)
endif()
# mlir_tablegen takes its search path from the directory's include path.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
