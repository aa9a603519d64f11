# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compile options and helpers shared by every folder.

# The dialect's and MLIR's headers take ten seconds to parse, and every file of the compiler
# includes them; parsed once, a file takes two. Off for work in checkouts at several paths that share
# a ccache: a precompiled header names absolute paths, so nothing that uses it is shared.
option(TTC_PRECOMPILED_HEADERS "Precompile the compiler's common headers" ON)

find_program(TTC_CCACHE ccache)
if(TTC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache takes files with a precompiled header only if it may ignore when that was made, and what
  # it defines beside its text.
  set(TTC_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TTC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${TTC_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TTC_LAUNCHER})
endif()
# GCC takes the linker of exactly this name.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(TTC_LLD NAMES ld.lld-22 ld.lld)
else()
  find_program(TTC_LLD NAMES ld.lld)
endif()
if(TTC_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Off where whoever builds cannot change the code: pip builds with whatever compiler there is.
option(TTC_WARNINGS_AS_ERRORS "Warnings are errors" ON)
add_compile_options(-Wall -Wextra $<$<BOOL:${TTC_WARNINGS_AS_ERRORS}>:-Werror> -Wno-unused-parameter)

# ttc_add_library(NAME SOURCES a.cpp b.cpp LINK lib1 lib2 [RUNTIME])
# A static library of the compiler. Sees <source root>/include, the source root
# (for "dialects/Ttc/...") and the matching folders of the build tree.
function(ttc_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC
    ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}
    ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(TTC_PRECOMPILED_HEADERS AND TARGET TtcPch AND NOT name STREQUAL "TtcPch" AND "ttc_mlir" IN_LIST ARG_LINK)
    target_precompile_headers(${name} REUSE_FROM TtcPch)
  endif()
endfunction()
