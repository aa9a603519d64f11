# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of the project in CMakeLists.txt; a test compares the two."""
__version__ = "0.1.0"
