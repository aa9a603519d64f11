# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses interpreters but the first of a process: the extension, as numpy, has one state for all.

A second one would overwrite it, and crash the first.
"""

import importlib


def _is_main() -> bool:
    for name in ("_interpreters", "_xxsubinterpreters"):  # from Python 3.13 on; before
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return bool(module.get_current() == module.get_main())
    return True


if not _is_main():
    raise ImportError("ttrt cannot be imported in a subinterpreter; use another process")
