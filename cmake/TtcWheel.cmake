# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What pip needs. Included before project(): chooses the compiler, and says which Debian packages are
# missing, all at once.
#
# CC and CXX say little: scikit-build-core sets them to the compiler that Python was built with.
if(NOT CMAKE_CXX_COMPILER AND NOT "$ENV{CXX}" MATCHES "clang")
  set(CMAKE_C_COMPILER clang-22)
  set(CMAKE_CXX_COMPILER clang++-22)
endif()

set(ttc_missing "")
# Each package by a program or file of it.
foreach(pair
    clang-22=bin/clang++-22 lld-22=bin/ld.lld-22 llvm-22-tools=lib/llvm-22/bin/FileCheck
    mlir-22-tools=lib/llvm-22/bin/mlir-tblgen flatbuffers-compiler=bin/flatc protobuf-compiler=bin/protoc
    llvm-22-dev=lib/llvm-22/lib/cmake/llvm/LLVMConfig.cmake
    libmlir-22-dev=lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake
    liblld-22-dev=lib/llvm-22/lib/liblldELF.a
    libflatbuffers-dev=include/flatbuffers/flatbuffers.h libfmt-dev=include/fmt/core.h
    libxxhash-dev=include/xxhash.h libsodium-dev=include/sodium.h libpcre2-dev=include/pcre2.h
    nlohmann-json3-dev=include/nlohmann/json.hpp
    libonnx-dev=include/onnx/onnx_pb.h libprotobuf-dev=include/google/protobuf/message.h
    zlib1g-dev=include/zlib.h libzstd-dev=include/zstd.h)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 package)
  list(GET pair 1 file)
  if(NOT EXISTS /usr/${file} AND NOT EXISTS /usr/local/${file})
    string(APPEND ttc_missing " ${package}")
  endif()
endforeach()
if(NOT ttc_missing STREQUAL "")
  message(FATAL_ERROR "ttc is built on Debian 12, from its packages. These are missing:${ttc_missing}\n"
    "As root, run: apt-get install --no-install-recommends${ttc_missing}\n"
    "Wheels, which need no packages, are built by scripts/wheels.sh on such a machine.")
endif()
