# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs trace bundles: neural networks that ttc has compiled ahead of time.

    import ttrt
    bundle = ttrt.load("digits.ttcb")
    logits = bundle.run(image=image)["logits"]
"""

import atexit as _atexit

from . import _interpreter as _interpreter  # first: it refuses what the extension cannot do
from . import _ttrt
from ._bundle import Bundle, Entry, Port, Runnable, load
from ._errors import (
    BadBundleError,
    BusyError,
    CancelledError,
    DeadlineExceededError,
    EndError,
    Error,
    FailedError,
    InternalError,
    InvalidArgumentError,
    IoError,
    NotFoundError,
    NotReadyError,
    OutOfMemoryError,
    OverwrittenError,
    Status,
    UnsupportedError,
    UntrustedError,
    WouldOverwriteError,
)
from ._report import Check, Memory, MemoryUse, Perf
from ._stream import Stream
from ._tokenizer import TextStream, Tokenizer
from ._ttrt import IN_SLOT, Call

__version__: str = _ttrt.version()

__all__ = [
    "IN_SLOT",
    "BadBundleError",
    "Bundle",
    "BusyError",
    "Call",
    "CancelledError",
    "Check",
    "DeadlineExceededError",
    "EndError",
    "Entry",
    "Error",
    "FailedError",
    "InternalError",
    "InvalidArgumentError",
    "IoError",
    "Memory",
    "MemoryUse",
    "NotFoundError",
    "NotReadyError",
    "OutOfMemoryError",
    "OverwrittenError",
    "Perf",
    "Port",
    "Runnable",
    "Status",
    "Stream",
    "TextStream",
    "Tokenizer",
    "UnsupportedError",
    "UntrustedError",
    "WouldOverwriteError",
    "load",
]

_atexit.register(_ttrt.end_calls)
