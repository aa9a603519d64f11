# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake --install, in components that are packages of their own (TtcPackage.cmake):
#   runtime      libttrt.so, libttrt_generate.so, libttrt_mesh.so, libttrt_shapes.so
#                and libttrt_text.so
#   development  its headers, CMake package and pkg-config file
#   sign         libttrt_sign.so, if libsodium is there
#   mpi          libttrt-mpi.so, if MPI is there
#   ttrun        the tool that runs bundles; needs neither compiler nor libttrt.so
#   compiler     everything else: tools, documentation
include(CMakePackageConfigHelpers)

foreach(tool ttc ttc-opt ttc-translate ttc-lsp-server ttc-plan ttc-plan-check)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
  endif()
endforeach()
if(TARGET ttc_compiler)
  install(TARGETS ttc_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
  # python: the wheel of ttc has the tools in its package.
  install(TARGETS ttc ttc-opt ttc-translate ttc-lsp-server ttc-plan ttc-plan-check ttrun
    RUNTIME DESTINATION ttc/bin COMPONENT python)
  install(TARGETS ttc_compiler LIBRARY DESTINATION ttc/${CMAKE_INSTALL_LIBDIR} COMPONENT python)
endif()
install(TARGETS ttrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ttrun)

# The C API is the runtime's only interface, so its headers, and the C++ ones over them, are all that
# is installed.
install(TARGETS ttrt ttrt_generate ttrt_mesh ttrt_shapes ttrt_text EXPORT ttrtTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/ttrt.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/host.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/memory.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/mesh.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/transport.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/state.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/generate.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/sampling.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/queue.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/pipeline.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/pipeline.hpp
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/profile.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/profile.hpp
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/shapes.h
              ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/text.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ttrt COMPONENT development)

if(TARGET ttrt_sign)
  install(TARGETS ttrt_sign EXPORT ttrtSignTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sign NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/sign.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ttrt COMPONENT development)
endif()

if(TARGET ttrt_mpi)
  install(TARGETS ttrt_mpi EXPORT ttrtMpiTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_SOURCE_DIR}/runtime/include/ttrt/mpi.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ttrt COMPONENT development)
endif()

set(ttrt_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ttrt)
install(EXPORT ttrtTargets NAMESPACE ttrt:: DESTINATION ${ttrt_package_dir} COMPONENT development)
if(TARGET ttrt_sign)
  install(EXPORT ttrtSignTargets NAMESPACE ttrt:: DESTINATION ${ttrt_package_dir}
    COMPONENT development)
endif()
if(TARGET ttrt_mpi)
  install(EXPORT ttrtMpiTargets NAMESPACE ttrt:: DESTINATION ${ttrt_package_dir}
    COMPONENT development)
endif()
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/ttrtConfig.cmake.in
  ${CMAKE_BINARY_DIR}/cmake/ttrtConfig.cmake INSTALL_DESTINATION ${ttrt_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/ttrtConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/ttrtConfig.cmake
  ${CMAKE_BINARY_DIR}/cmake/ttrtConfigVersion.cmake
  DESTINATION ${ttrt_package_dir} COMPONENT development)

# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH TTRT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" TTRT_PC_PREFIX "${TTRT_PC_PREFIX}")
foreach(library ttrt ttrt_generate ttrt_shapes ttrt_text)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${library}.pc.in ${CMAKE_BINARY_DIR}/cmake/${library}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/${library}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

# Completion is found by the name of the command.
foreach(tool ttc ttc-opt ttc-translate ttc-plan ttc-plan-check ttrun)
  set(component compiler)
  if(tool STREQUAL "ttrun")
    set(component ttrun)
  endif()
  install(FILES ${CMAKE_SOURCE_DIR}/tools/completion/ttc.bash RENAME ${tool}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
endforeach()

find_program(TTC_PYTHON3 NAMES python3)
set(doc share/doc/ttc)

# The reference of the dialect, from its definitions.
if(TTC_BUILD_COMPILER AND TTC_PYTHON3)
  set(pages ${CMAKE_BINARY_DIR}/docs)
  set(reference ${pages}/ir-reference.md)
  file(GLOB_RECURSE definitions CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dialects/Ttc/*.td)
  add_custom_command(OUTPUT ${reference}
    COMMAND ${CMAKE_COMMAND} -E env LLVM_TBLGEN=${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen
      ${TTC_PYTHON3} ${CMAKE_SOURCE_DIR}/scripts/ir-reference.py ${reference}
    DEPENDS ${definitions} ${CMAKE_SOURCE_DIR}/scripts/ir-reference.py
    COMMENT "Writing the reference of the dialect" VERBATIM)
  add_custom_target(ttc-ir-reference ALL DEPENDS ${reference})
  install(FILES ${reference} DESTINATION ${doc}/docs COMPONENT compiler)
endif()

# Man pages from docs/tools.md, where lowdown is installed.
find_program(TTC_LOWDOWN lowdown)
if(TTC_LOWDOWN AND TTC_PYTHON3)
  set(man ${CMAKE_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${man}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${man}
    COMMAND ${TTC_PYTHON3} ${CMAKE_SOURCE_DIR}/scripts/man_pages.py
      ${CMAKE_SOURCE_DIR}/docs/tools.md ${PROJECT_VERSION} ${man}
    COMMAND ${CMAKE_COMMAND} -E touch ${man}/stamp
    DEPENDS ${CMAKE_SOURCE_DIR}/docs/tools.md ${CMAKE_SOURCE_DIR}/scripts/man_pages.py
    COMMENT "Writing man pages" VERBATIM)
  add_custom_target(ttc-man ALL DEPENDS ${man}/stamp)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT compiler
    FILES_MATCHING PATTERN "*.1" PATTERN "ttrun.1" EXCLUDE)
  install(FILES ${man}/ttrun.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ttrun)
else()
  message(STATUS "no man pages: lowdown or python3 is missing")
endif()

# The pages, in the folders in which they link each other.
install(FILES LICENSE README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md DESTINATION ${doc} COMPONENT compiler)
install(DIRECTORY docs examples DESTINATION ${doc} COMPONENT compiler)
install(FILES benchmarks/README.md DESTINATION ${doc}/benchmarks COMPONENT compiler)
# What the licence asks of every package.
set(licensed runtime development ttrun)
if(TARGET ttrt_sign)
  list(APPEND licensed sign)
endif()
if(TARGET ttrt_mpi)
  list(APPEND licensed mpi)
endif()
foreach(component ${licensed})
  install(FILES LICENSE DESTINATION share/doc/ttc-${component} COMPONENT ${component})
endforeach()
