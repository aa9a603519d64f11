# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings of what devices and the application do."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, NoReturn, TypeVar

from . import _ttrt
from ._arguments import integer, text
from ._errors import Error, InvalidArgumentError

_Function = TypeVar("_Function", bound=Callable[..., Any])

class Zone:
    """A range of time of one thread: a ``with`` statement, or a call of a function that it decorates.

    `Profiler.zone()` makes one, which can be used again, by several threads and within itself. Zones of
    a thread nest, so a coroutine must not await inside of one.
    """

    __slots__ = ("_native", "_number", "name")

    #: Its name.
    name: str

    def __init__(self, native: _ttrt.Profiler, number: int, name: str) -> None:
        self._native, self._number, self.name = native, number, name

    def __enter__(self) -> Zone:
        self._native.begin(self._number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._native.end()

    def __call__(self, function: _Function) -> _Function:
        """Makes a function of which each call is a zone."""
        import functools
        import inspect

        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError(f"expected a function that returns when it is complete, found {function!r}")

        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            with self:
                return function(*args, **named)

        return call  # type: ignore[return-value]

    def text(self, text_: str, /) -> None:
        """Adds a text to the innermost zone of the calling thread, of which 65,536 bytes are kept."""
        self._native.text(text("text", text_))

    def __repr__(self) -> str:
        return f"<ttrt.Zone {self.name!r}>"


class Profiler:
    """Records what bundles that are loaded with it execute, and what the application says about itself.

        with ttrt.Profiler("profile") as profiler:
            with ttrt.load("digits.ttcb", profiler=profiler) as bundle, profiler.zone("first run"):
                bundle.run(image)

    ``ttrun report profile`` then makes tables, a timeline and a page. A profiler is closed after the bundles
    that it records, by `close()`, a ``with`` statement or when nothing refers to it any more.

    Threads may share a profiler. In a forked child, nothing is recorded.

    Args:
        folder: the recording is a new folder in it, named by date and time. None: nothing is recorded, and
            nothing else changes, so that zones can stay in the code.
        programs: commands for which the ring of a core has room between two reads; 0: 1000. The ring of the
            host has room for four zones, frames or calls for each of them, at least for 16,384.
        interval: seconds between reads by a thread of the profiler; 0: only `read()` and `close()` read.
        counters: what to count in each command: names such as ``"cycles"``, ``"cache-misses"``,
            ``"default"`` or ``"flops"``. The report says which of them this machine cannot count.

    Raises:
        IoError: the folder cannot be made.
        InvalidArgumentError: a counter is not known.
    """

    def __init__(
        self,
        folder: str | bytes | os.PathLike[str] | os.PathLike[bytes] | None,
        *,
        programs: int = 0,
        interval: float = 0,
        counters: str | Iterable[str] = (),
    ) -> None:
        programs = integer("programs", programs, 0, 1 << 20)
        if not isinstance(interval, (int, float)):
            raise TypeError(f"interval: expected seconds, found {interval!r}")
        if not 0 <= interval <= 1e6 or 0 < interval < 0.001:
            raise ValueError(f"interval: expected 0, or 0.001 to 1000000 seconds, found {interval}")
        names = [counters] if isinstance(counters, str) else list(counters)
        joined = ",".join(text("counters", name) for name in names)
        path = None
        if folder is not None:
            path = os.fsencode(folder)
            if not path or b"\0" in path:
                raise ValueError(f"folder: expected the path of a folder, found {folder!r}")
        try:
            self._native = _ttrt.Profiler(path, programs, round(interval * 1000), joined)
        except InvalidArgumentError as error:  # the other arguments have been checked
            raise InvalidArgumentError(f"counters: {error}") from None
        _open.add(self)

    @property
    def folder(self) -> str | None:
        """The folder of this recording; None if nothing is recorded."""
        return self._native.folder

    @property
    def dropped(self) -> int:
        """Markers that were dropped until the last read, because a ring was full."""
        return self._native.dropped

    def read(self) -> None:
        """Moves all that was recorded from memory to the file, also while bundles run.

        Raises:
            IoError: the file cannot be written.
        """
        self._native.read()

    def zone(self, name: str, *, color: int = 0) -> Zone:
        """Returns a zone of that name, which the report shows at the caller's line.

        Args:
            name: equal ones, at the same line, are one zone.
            color: 0xRRGGBB; 0: chosen by the name.
        """
        caller = sys._getframe(1)
        number = self._native.zone(
            text("name", name), caller.f_code.co_filename, caller.f_lineno, integer("color", color, 0, 0xFFFFFF)
        )
        return Zone(self._native, number, name)

    def frame(self, zone: Zone | str, /) -> None:
        """Marks the begin of a frame: a unit of work, such as a request. `zone`: its name, or a zone."""
        if not isinstance(zone, Zone):
            caller = sys._getframe(1)
            number = self._native.zone(text("zone", zone), caller.f_code.co_filename, caller.f_lineno, 0)
        else:
            number = zone._number
        self._native.frame(number)

    def signpost(self, header: str, message: str = "") -> None:
        """Adds a row to the table of ops, and a mark to the timeline. Writes to the file at once."""
        self._native.signpost(text("header", header), text("message", message))

    def message(self, message: str, *, color: int = 0) -> None:
        """Adds a message to the timeline. Writes to the file at once. `color`: 0xRRGGBB."""
        self._native.message(text("message", message), integer("color", color, 0, 0xFFFFFF))

    @property
    def closed(self) -> bool:
        """Whether `close()` was called."""
        return self._native.closed

    def close(self) -> None:
        """Reads a last time and completes the file; later calls raise an error.

        Raises:
            BusyError: a bundle that it records is open.
        """
        self._native.close()

    def __enter__(self) -> Profiler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or not self._native.recording:
            self.close()  # else the error is what matters, and is what has kept the bundle open

    def __repr__(self) -> str:
        return f"<ttrt.Profiler{', closed' if self.closed else f' {self.folder!r}'}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("cannot pickle or copy a Profiler: it belongs to this process")


_open: weakref.WeakSet[Profiler] = weakref.WeakSet()


def complete() -> None:
    """At the end of the interpreter: nothing that was recorded is lost."""
    for profiler in list(_open):
        if profiler.closed:
            continue
        with suppress(Error):  # a forked child records nothing
            if profiler._native.recording:
                profiler.read()
            else:
                profiler.close()
