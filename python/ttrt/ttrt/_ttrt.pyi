# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable
from typing import Any

import numpy as np

_Array = np.ndarray[Any, np.dtype[Any]]
# Name, element type, numpy's type, shape, bytes.
PortDescription = tuple[str, str, str, tuple[int, ...], int]
# Name, inputs, outputs.
EntryDescription = tuple[str, list[PortDescription], list[PortDescription]]

class InSlot: ...

IN_SLOT: InSlot

class Call:
    def __call__(self) -> dict[str, _Array]: ...
    @property
    def outputs(self) -> dict[str, _Array]: ...

class Device:
    def __init__(
        self,
        path: str,
        verify: int,
        cores: int,
        pin: bool,
        huge_pages: bool,
        host_functions: dict[str, Callable[..., Any]],
        /,
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def entries(self) -> list[EntryDescription]: ...
    def run(
        self, entry: int, args: tuple[Any, ...], named: dict[str, Any], out: dict[str, Any] | None, /
    ) -> dict[str, _Array]: ...
    def bind(
        self, entry: int, args: tuple[Any, ...], named: dict[str, Any], out: dict[str, Any] | None, /
    ) -> Call: ...
    def input_slot(self, entry: int, input: int, /) -> _Array: ...
    def output_slot(self, entry: int, output: int, /) -> _Array: ...

def end_calls() -> None: ...
def version() -> str: ...
def status_name(status: int, /) -> str: ...
