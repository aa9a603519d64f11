# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many inferences in flight."""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from . import _ttrt
from ._errors import Status, make

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ._bundle import Outputs


class Stream(Iterator["Outputs"]):
    """An iterator over the outputs of batches, in their order. `Entry.stream()` makes one.

    A bundle has one open stream at a time; until it is closed, runs raise `BusyError`. It is closed
    when its batches are used up, by an exception, by `close()` or a ``with`` statement, and when
    nothing refers to it any more. One thread at a time can use it.
    """

    def __init__(
        self,
        native: _ttrt.Stream | RunInTurn,
        batches: Iterable[Any],
        ahead: int,
        out: Iterable[dict[str, Any]] | None,
    ) -> None:
        self._batches: Iterator[Any] | None = iter(batches)
        if isinstance(out, Mapping):
            raise TypeError("out: expected a dictionary of arrays for each batch, found one for all")
        self._out: Iterator[dict[str, Any]] | None = None if out is None else iter(out)
        self._ahead = ahead
        self._turn = allocate_lock()
        self._native = native
        #: The name of the schedule in use.
        self.schedule: str = self._native.schedule or ""

    def __next__(self) -> Outputs:
        if not self._turn.acquire(blocking=False):
            raise make(Status.BUSY, "another thread uses the stream")
        try:
            while self._batches is not None and self._native.in_flight < self._ahead:
                try:
                    batch = next(self._batches)
                except StopIteration:
                    self._batches = None
                    break
                out = None
                if self._out is not None:
                    try:
                        out = next(self._out)
                    except StopIteration:
                        raise ValueError("out: expected a dictionary for each batch, found fewer") from None
                if isinstance(batch, Mapping):
                    self._native.feed((), dict(batch), out)
                elif isinstance(batch, (tuple, list)):
                    self._native.feed(tuple(batch), {}, out)
                else:
                    self._native.feed((batch,), {}, out)
            if self._native.in_flight:
                return self._native.drain()
        except BaseException:
            self.close()
            raise
        finally:
            self._turn.release()
        self.close()
        raise StopIteration

    def __iter__(self) -> Stream:
        return self

    def close(self) -> None:
        """Waits for the inferences in flight, drops their outputs, and frees the bundle for others."""
        self._batches = None
        self._native.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("cannot pickle or copy a Stream: its device belongs to this process")


class RunInTurn:
    """Batches of a model with variants, which run one after the other; as `_ttrt.Stream`."""

    schedule = None

    def __init__(self, submit: Callable[..., Future[Outputs]]) -> None:
        self._submit = submit
        self._futures: deque[Future[Outputs]] = deque()

    def feed(self, args: tuple[Any, ...], named: dict[str, Any], out: dict[str, Any] | None) -> None:
        self._futures.append(self._submit(args, named, out))

    def drain(self) -> Outputs:
        return self._futures.popleft().result()

    def close(self) -> None:
        for future in self._futures:
            future.cancel()
        for future in self._futures:
            if not future.cancelled():
                future.exception()
        self._futures.clear()

    @property
    def in_flight(self) -> int:
        return len(self._futures)
