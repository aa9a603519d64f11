# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compile options and helpers shared by every folder.

# MLIR's headers and those of the dialect's attributes and interfaces take ten seconds to parse, and every
# file of the compiler includes them; parsed once, a file takes two. The schema's and the standard library's take four, and
# every other file includes those. A precompiled header names absolute paths, so checkouts share a
# ccache only if they are built at one path (scripts/enter.sh). Off in the headers preset, which finds files
# that include too little.
option(TTC_PRECOMPILED_HEADERS "Precompile common headers" ON)

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

# ttc_add_precompiled_headers(NAME HEADERS header... [INCLUDES folder...] [OPTIONS option...]
#                             [LINK lib...] [DEPENDS target...])
# A library NAME that only carries a precompiled header, for targets whose options are the same.
function(ttc_add_precompiled_headers name)
  if(NOT TTC_PRECOMPILED_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "HEADERS;INCLUDES;OPTIONS;LINK;DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
  target_include_directories(${name} PRIVATE ${ARG_INCLUDES})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  # So that ccache takes the files that use the header.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  # Never from ccache: it takes a header with other comments for the same one, and clang compares sizes.
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "" UNITY_BUILD OFF)
endfunction()

# ttc_use_precompiled_headers(NAME TARGET...)
# The targets are compiled with the header of NAME, if there is one.
function(ttc_use_precompiled_headers name)
  if(TARGET ${name})
    foreach(target IN LISTS ARGN)
      target_precompile_headers(${target} REUSE_FROM ${name})
    endforeach()
  endif()
endfunction()

# ttc_add_library(NAME [TRAPS] SOURCES a.cpp b.cpp [LINK lib1 lib2] [DEPENDS target...] [PRECOMPILED headers])
# A static library of the compiler. Sees <source root>/include, the source root
# (for "dialects/Ttc/...") and the matching folders of the build tree.
# TRAPS: for what reads strangers' files. Undefined behaviour, such as an overflow of a size, ends the program
# instead of going on with a wrong number; a build with sanitizers reports it.
function(ttc_add_library name)
  cmake_parse_arguments(ARG "TRAPS" "PRECOMPILED" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  if(ARG_TRAPS AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_CXX_FLAGS MATCHES "sanitize")
    # vptr and function need what LLVM is built without.
    target_compile_options(${name} PRIVATE -fsanitize=undefined -fno-sanitize=vptr,function -fsanitize-trap=undefined)
  endif()
  target_include_directories(${name} PUBLIC
    ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}
    ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if("ttc_mlir" IN_LIST ARG_LINK)
    if(NOT ARG_PRECOMPILED)
      set(ARG_PRECOMPILED TtcPch)
    endif()
    ttc_use_precompiled_headers(${ARG_PRECOMPILED} ${name})
  endif()
endfunction()
