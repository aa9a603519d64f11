# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of arguments: their errors say the name, what was expected and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, TypeVar

_Value = TypeVar("_Value")


def integer(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, found {value!r}") from None
    if least is not None and most is not None and not least <= number <= most:
        raise ValueError(f"{name}: expected a number from {least} to {most}, found {number}")
    return number


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a str, found {value!r}")
    if "\0" in value:
        raise ValueError(f"{name}: {value!r} has a null character")
    return value


def lookup(kind: str, name: str, table: Mapping[str, _Value]) -> _Value:
    """What a bundle has of that name."""
    try:
        return table[name]
    except KeyError:
        known = ", ".join(map(repr, table)) or "none"
        raise KeyError(f"no {kind} {name!r}; the bundle has: {known}") from None
