# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model with variants says about itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dim:
    """The sizes that a named dimension may have: multiples of `step` from `low` to `high`."""

    low: int
    high: int
    step: int = 1

    def __contains__(self, size: object) -> bool:
        return isinstance(size, int) and self.low <= size <= self.high and size % self.step == 0


@dataclass(frozen=True)
class Variant:
    """An entry point that runs a model for inputs up to some sizes."""

    #: That of the entry point.
    name: str
    #: The least size of each dimension, by name.
    low: dict[str, int]
    #: The greatest size of each dimension, for which the variant was compiled.
    high: dict[str, int]
    #: Bytes of the buffers of its inputs and outputs.
    memory: int
