# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions for the statuses of libttrt. Their text is the C API's."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """Why a call failed (``ttrt_status`` in ttrt.h)."""

    INVALID_ARGUMENT = 1
    NOT_FOUND = 2
    IO_ERROR = 3
    BAD_BUNDLE = 4
    UNSUPPORTED = 5
    OUT_OF_MEMORY = 6
    BUSY = 7
    INTERNAL = 8
    FAILED = 9
    NOT_READY = 10
    WOULD_OVERWRITE = 11
    END = 12
    OVERWRITTEN = 13
    UNTRUSTED = 14
    CANCELLED = 15
    DEADLINE_EXCEEDED = 16


class Error(RuntimeError):
    """A call of the runtime failed. There is a subclass for each status."""

    #: The status that the C API returned; ``None`` if this package does not define it.
    status: Status | None = None


class InvalidArgumentError(Error, ValueError):
    """An argument is out of range or inconsistent, or the bundle is closed."""

    status = Status.INVALID_ARGUMENT


class NotFoundError(Error, LookupError):
    """No entry point, schedule or host function has that name."""

    status = Status.NOT_FOUND


class IoError(Error, OSError):
    """A system call failed; the message has its error."""

    status = Status.IO_ERROR


class BadBundleError(Error):
    """The file is damaged, truncated or not a bundle."""

    status = Status.BAD_BUNDLE


class UnsupportedError(Error):
    """Valid, but not supported by this library or this machine, or used in a forked child."""

    status = Status.UNSUPPORTED


class OutOfMemoryError(Error, MemoryError):
    """Out of memory, threads or events."""

    status = Status.OUT_OF_MEMORY


class BusyError(Error):
    """A stream uses the bundle, or a host function tried to."""

    status = Status.BUSY


class InternalError(Error):
    """A bug in the library."""

    status = Status.INTERNAL


class FailedError(Error):
    """A host function failed; its exception is this one's ``__cause__``."""

    status = Status.FAILED


class NotReadyError(Error):
    """Not complete yet."""

    status = Status.NOT_READY


class WouldOverwriteError(Error):
    """The output queue of a pipeline is full."""

    status = Status.WOULD_OVERWRITE


class EndError(Error):
    """No more outputs will come."""

    status = Status.END


class OverwrittenError(Error):
    """A slot no longer holds what it was filled with; call ``input_slot()`` again and refill it."""

    status = Status.OVERWRITTEN


class UntrustedError(Error):
    """Not signed by a key that the caller trusts."""

    status = Status.UNTRUSTED


class CancelledError(Error):
    """Ended by `Bundle.cancel()`."""

    status = Status.CANCELLED


class DeadlineExceededError(Error, TimeoutError):
    """Not complete in time (`Bundle.set_deadline()`)."""

    status = Status.DEADLINE_EXCEEDED


_CLASSES: dict[int, type[Error]] = {
    int(cls.status): cls for cls in Error.__subclasses__() if cls.status is not None
}


# What messages of the C API name, and what this package has for it.
_NAMES = {
    "ttrt_device_options::host_functions": "load(host_functions=...)",
    "ttrt_device_input_slot()": "input_slot()",
    "ttrt_device_options::transport, or ttrt_mesh_open() (mesh.h)": "ttrun run, or the C API of meshes (docs/mesh.md)",
}


def make(status: int, message: str) -> Error:
    """The exception for a status of the C API."""
    for name, ours in _NAMES.items():
        message = message.replace(name, ours)
    return _CLASSES.get(status, Error)(message)
