# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake --install: the tools, libttrt with its headers, and CMake packages for find_package(ttrt).
include(CMakePackageConfigHelpers)

foreach(tool ttc-opt ttc-translate ttrun ttc-lsp-server ttc-plan ttc-plan-check)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  endif()
endforeach()

# The C API is the runtime's only interface, so its headers, and the C++ ones over them, are all that
# is installed.
install(TARGETS ttrt EXPORT ttrtTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/ttrt.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/memory.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/queue.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/pipeline.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/pipeline.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ttrt COMPONENT runtime)

set(ttrt_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ttrt)
install(EXPORT ttrtTargets NAMESPACE ttrt:: DESTINATION ${ttrt_package_dir} COMPONENT runtime)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/ttrtConfig.cmake.in
  ${CMAKE_BINARY_DIR}/cmake/ttrtConfig.cmake INSTALL_DESTINATION ${ttrt_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/ttrtConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/ttrtConfig.cmake
  ${CMAKE_BINARY_DIR}/cmake/ttrtConfigVersion.cmake
  DESTINATION ${ttrt_package_dir} COMPONENT runtime)

install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
