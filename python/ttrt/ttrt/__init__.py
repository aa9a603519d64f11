# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs trace bundles: neural networks that ttc has compiled ahead of time.

    import ttrt
    bundle = ttrt.load("digits.ttcb")
    logits = bundle.run(image=image)["logits"]
"""

import atexit as _atexit

from . import _interpreter as _interpreter  # first: it refuses what the extension cannot do
from . import _ttrt
from ._bundle import Bundle, Entry, Model, Port, Runnable, load
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
from ._profiler import Profiler, Zone
from ._profiler import complete as _complete
from ._queues import Event, Queue, States, Trace
from ._report import Check, Memory, MemoryUse, Perf
from ._shapes import Dim, Variant
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
    "Dim",
    "EndError",
    "Entry",
    "Error",
    "Event",
    "FailedError",
    "InternalError",
    "InvalidArgumentError",
    "IoError",
    "Memory",
    "MemoryUse",
    "Model",
    "NotFoundError",
    "NotReadyError",
    "OutOfMemoryError",
    "OverwrittenError",
    "Perf",
    "Port",
    "Profiler",
    "Queue",
    "Runnable",
    "States",
    "Status",
    "Stream",
    "TextStream",
    "Tokenizer",
    "Trace",
    "UnsupportedError",
    "UntrustedError",
    "Variant",
    "WouldOverwriteError",
    "Zone",
    "load",
]

_atexit.register(_complete)
_atexit.register(_ttrt.end_calls)  # this one first
