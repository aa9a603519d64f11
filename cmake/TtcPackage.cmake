# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cpack -G DEB: a Debian package for each component. What a package needs is found by dpkg-shlibdeps.
set(CPACK_PACKAGE_NAME ttc)
set(CPACK_PACKAGE_VENDOR "The ttc authors")
set(CPACK_PACKAGE_CONTACT "The ttc authors <ttc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Ahead-of-time trace compiler for neural networks")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime development ttrun)
if(TTC_BUILD_COMPILER)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libttrt${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Runtime of ttc: loads and replays trace bundles")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libttrt-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libttrt${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers of libttrt")

set(CPACK_DEBIAN_TTRUN_PACKAGE_NAME ttrun)
set(CPACK_COMPONENT_TTRUN_DESCRIPTION "Runs, measures and inspects trace bundles")

set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME ttc)
set(CPACK_DEBIAN_COMPILER_PACKAGE_RECOMMENDS ttrun)
set(CPACK_COMPONENT_COMPILER_DESCRIPTION "Compiles neural networks to trace bundles")
include(CPack)
