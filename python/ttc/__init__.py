# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc compiles neural networks ahead of time, and runs them:

    import ttc
    bundle = ttc.compile("model.onnx")
    outputs = bundle.run(image=array)

The compiler runs as a process of its own. What it makes is a bundle, which the package `ttrt` runs.
"""
from __future__ import annotations

import ttrt

from ttc._tools import tool_path
from ttc._version import __version__
from ttc._compile import CompileError, CompileWarning, build, compile

if ttrt.__version__ != __version__:
    raise ImportError(
        f"ttc {__version__} needs ttrt {__version__}, found ttrt {ttrt.__version__} in {ttrt.__file__}. "
        "Both distributions contain the package ttrt, and the one that is installed last wins: run "
        f"'pip uninstall ttrt', then 'pip install --force-reinstall ttc=={__version__}'"
    )

__all__ = ["CompileError", "CompileWarning", "__version__", "build", "compile", "tool_path"]
