# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured and looked up: times, memory, proofs."""

from __future__ import annotations

from typing import NamedTuple


class Perf(NamedTuple):
    """Times of one inference, in seconds (`Entry.perf()`)."""

    #: Median of the whole run: writing inputs, executing, reading outputs.
    median: float
    #: 10th percentile of the same.
    p10: float
    #: 90th percentile of the same.
    p90: float
    #: Median of what the device executes, without transfers of inputs and outputs.
    device: float
    #: How often it was measured.
    loops: int

    def __str__(self) -> str:
        def us(seconds: float) -> str:
            return f"{seconds * 1e6:.1f} us"

        return (
            f"median {us(self.median)} (10 %: {us(self.p10)}, 90 %: {us(self.p90)}), "
            f"device {us(self.device)}, {self.loops} loops"
        )


class MemoryUse(NamedTuple):
    """Use of one type of device memory, in bytes."""

    #: What there is.
    total: int
    #: Addresses that anything uses at any time.
    used: int
    #: The rest.
    free: int
    #: The most bytes in use at the same time.
    peak: int
    #: The longest range of addresses that is never used.
    largest_free: int


class Memory(NamedTuple):
    """Device memory that a bundle uses, in bytes (`Bundle.memory`)."""

    #: Constants, slots and activations: the end of the highest one.
    dram_bytes: int
    #: Per core: buffers and the scratch of programs.
    l1_bytes: int
    #: The trace region, which holds the command streams.
    trace_bytes: int
    #: Where the trace region begins in DRAM.
    trace_address: int
    #: All banks of DRAM, without the trace region.
    dram: MemoryUse
    #: One core's L1.
    l1: MemoryUse
    #: The trace region.
    trace: MemoryUse


class Check(NamedTuple):
    """What the verification of a bundle has proved (`Bundle.check()`)."""

    #: Schedules that were proved.
    schedules: int
    #: Steps of all schedules.
    steps: int
    #: Commands of all traces.
    commands: int
    #: Iterations of a schedule's body until a fixpoint was reached.
    iterations: int
    #: Accesses to memory by commands and steps.
    accesses: int
    #: Pairs of accesses to the same bytes.
    pairs: int
    #: How long the proof took.
    seconds: float


def size_text(count: int) -> str:
    """1.5 MiB, 512 B"""
    if count < 1024:
        return f"{count} B"
    size = float(count)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        size /= 1024
        if size < 1024:
            break
    return f"{size:.1f} {unit}"


def frame(page: str, height: int) -> str:
    """A page of HTML inside another one, where its scripts and styles see only itself."""
    from html import escape

    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" '
        f'style="width: 100%; height: {height}px; border: 1px solid #8884"></iframe>'
    )
