# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc compiles neural networks ahead of time, and runs them:

    import ttc
    bundle = ttc.compile("model.onnx")
    outputs = bundle.run(image=array)

Functions of JAX, too: `ttc.compile(f, (x,))`, and `ttc.jit` as a decorator.

The compiler runs as a process of its own. What it makes is a bundle, which the package `ttrt` runs.
"""
from __future__ import annotations

import ttrt

from ttc._version import __version__

# Before anything that uses it: another version may lack what that needs.
if ttrt.__version__ != __version__:
    raise ImportError(
        f"ttc {__version__} needs ttrt {__version__}, found ttrt {ttrt.__version__} in {ttrt.__file__}. "
        "The wheel of ttc contains the package ttrt; one that is installed later replaces it. Run "
        f"'pip uninstall ttc ttrt', then install the wheel of ttc {__version__} again"
    )

from ttc._compile import CompileError, CompileWarning, build, compile  # noqa: E402
from ttc._function import Function  # noqa: E402
from ttc._jit import jit  # noqa: E402
from ttc._tools import tool_path  # noqa: E402
from ttc._values import Trace, Value, trace_values  # noqa: E402

__all__ = ["CompileError", "CompileWarning", "Function", "Trace", "Value", "__version__", "build", "compile", "jit", "tool_path", "trace_values"]
