# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package ttrt (python/ttrt), by TTC_PYTHON_BINDINGS: ON requires its dependencies, AUTO
# builds it where they are found. Nothing else that is built needs Python.
if(NOT TTC_PYTHON_BINDINGS)
  return()
endif()

# The tests' environment, which has nanobind, unless the caller or scikit-build-core names a Python.
if(NOT SKBUILD AND NOT Python_EXECUTABLE AND EXISTS ${CMAKE_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${CMAKE_SOURCE_DIR}/.venv/bin/python)
endif()
find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module
  OPTIONAL_COMPONENTS Development.SABIModule)
set(missing "")
if(NOT Python_FOUND)
  set(missing "Python 3.11 or later with headers (package: python3-dev)")
else()
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_package(nanobind CONFIG QUIET)
  if(NOT nanobind_FOUND)
    set(missing "nanobind (pip install nanobind, for ${Python_EXECUTABLE})")
  endif()
endif()
if(missing STREQUAL "")
  add_subdirectory(python/ttrt ${CMAKE_BINARY_DIR}/python-build/ttrt) # build/python is the package itself
elseif(TTC_PYTHON_BINDINGS STREQUAL "AUTO")
  message(STATUS "no Python package: ${missing} was not found")
else()
  message(FATAL_ERROR "the Python package needs ${missing}")
endif()
