# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds ONNX's protobuf messages (package libonnx-dev). Included at the root, so that the imported
# targets are seen wherever the importer is linked.

find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED CONFIG)

# Their headers are not ours: no warnings from them.
add_library(ttc_onnx INTERFACE)
get_target_property(onnx_includes onnx_proto INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(ttc_onnx SYSTEM INTERFACE ${onnx_includes} ${Protobuf_INCLUDE_DIRS})
target_link_libraries(ttc_onnx INTERFACE onnx_proto)
