# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models as trace bundles.

    model = torch.compile(model, backend="ttc")
    with torch.inference_mode():
        model(x)            # the first call compiles, or takes the bundle of an earlier start

Dynamo cuts a program into graphs. Those that ttc takes become bundles, kept in a folder on disk;
PyTorch runs the others, and one line says why.
"""
from __future__ import annotations

import errno
import itertools
import logging
import os
import pathlib
import re
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.convert_frame import compile_lock
from torch.autograd import forward_ad

import ttrt
from ttc._cache import Cache, Made, Rejected, cache_folder, open_kept
from ttc._compile import CompileError, build
from ttc._torch import analysis, onnx
from ttc._torch.key import graph_key
from ttc._torch.plan import Plan, RangePlan
from ttc._torch.sizes import MOST_EXPORTS, MOST_SIZE, Sizes, dims_of, guards_of, narrow
from ttc._torch.sizes import find as find_sizes

__all__ = ["GraphInfo", "cache_folder", "clear_cache", "compile_fx", "export", "graphs"]

_log = logging.getLogger("ttc.torch")

# By default, Dynamo leaves modules of recurrent layers to PyTorch, and cuts the graphs around them. It
# looks at this setting while it traces, before a backend is called: no narrower place can set it.
torch._dynamo.config.allow_rnn = True

# Shapes, with the values of numbers, of one graph and one module for which there are bundles.
MOST_SHAPES = 8
# Changes of weights after which a graph is left to PyTorch: each costs a compilation.
MOST_CHANGES = 8


@dataclass
class GraphInfo:
    """What became of a graph."""

    place: str  #: where it begins in the program
    state: str  #: "not called yet", "ttc" or "PyTorch"
    reason: str  #: why PyTorch runs it, or did last
    compiled: int  #: bundles that were compiled for it
    cached: int  #: bundles that were found in the cache
    seconds: float  #: spent in making and opening them


@dataclass(frozen=True)
class _Options:
    cores: int = 0
    target: str | None = None
    options: tuple[str, ...] = ()
    cache: bool = True
    fallback: bool = True
    max_size: int = MOST_SIZE


def compile_fx(
    gm: torch.fx.GraphModule,
    example_inputs: list[Any],
    *,
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """The backend "ttc" of torch.compile(), which calls it once for each graph.

    torch.compile(..., backend="ttc", options={...}) takes:
      cores     threads that compute; 0 (the default): as many as torch.get_num_threads() says
      target    as in ttc.compile()
      options   further options of ttc-translate, such as ["--weights=int8"]
      cache     False: bundles are not kept on disk
      fallback  False: a graph that ttc does not take raises ttc.CompileError when it is called
      max_size  the largest size of a dimension that the program leaves open, for one bundle of all sizes; 512

    ValueError for another option, TypeError for another type.
    """
    if mode not in (None, "default"):
        raise ValueError(f"mode: expected none with backend='ttc', found {mode!r}")
    return _Graph(gm, example_inputs, _read(options or {}))


def export(
    model: Any, inputs: Any, folder: str | os.PathLike[str], dims: Mapping[str, Any] | None = None
) -> pathlib.Path:
    """Writes a torch.nn.Module (for example inputs: a tensor, a tuple of them, or {name: tensor}) or a
    torch.export.ExportedProgram as ONNX into a folder, and returns the path of the model. A module is
    exported as in eval(). `dims` is as in ttc.compile().

    TypeError or ValueError if the inputs are missing or `dims` does not fit them; otherwise the exceptions of
    torch.export and torch.onnx.
    """
    return onnx.export_module(model, inputs, pathlib.Path(folder), dims or {}, open_dims=True)[0]


def clear_cache() -> int:
    """Removes all bundles that torch.compile() has kept on disk, and returns the number of bytes."""
    return Cache(cache_folder() / "torch").clear()


def graphs() -> list[GraphInfo]:
    """What became of the graphs that this process has compiled, in order."""
    return [graph.info for graph in sorted(_graphs, key=lambda graph: graph.number)]


_graphs: weakref.WeakSet[_Graph] = weakref.WeakSet()
_numbers = itertools.count()


def _read(given: Mapping[str, Any]) -> _Options:
    types: dict[str, Any] = {
        "cores": int, "target": (str, os.PathLike), "options": (list, tuple), "cache": bool, "fallback": bool,
        "max_size": int,
    }  # fmt: skip
    for name, value in given.items():
        if name not in types:
            raise ValueError(f"options: expected {', '.join(types)}; found '{name}'")
        if not isinstance(value, types[name]) or (types[name] is int and isinstance(value, bool)):
            raise TypeError(f"options: '{name}' cannot be {value!r}")
    read = dict(given)
    if "options" in read:
        read["options"] = tuple(map(str, read["options"]))
    if "target" in read:
        read["target"] = os.fspath(read["target"])
    return _Options(**read)


class _Graph:
    """One graph of Dynamo. Compiles when it is called, with the tensors of the call: so it has all
    weights and shapes."""

    def __init__(self, gm: torch.fx.GraphModule, examples: Sequence[Any], options: _Options) -> None:
        self._gm = gm
        self._options = options
        self._inputs = analysis.classify(gm, list(examples))
        # By the weights' identities: Dynamo has one graph for all modules that differ only in weights.
        self._plans: dict[tuple[int, ...], list[Plan]] = {}
        self._latest: Plan | None = None
        self._rejected: set[Any] = set()
        self._never = False  # PyTorch runs it whatever comes
        self._is_exact = False  # it has a bundle for each shape
        # By the weights' identities: how often they have changed, and their state at the last call.
        self._changes: dict[tuple[int, ...], int] = {}
        self._changed: dict[tuple[int, ...], Any] = {}
        self._said: set[str] = set()
        self._lock = threading.RLock()
        self.number = next(_numbers)
        self.info = GraphInfo(analysis.place(gm), "not called yet", "", 0, 0, 0.0)
        _graphs.add(self)

    def __call__(self, *args: Any) -> Any:
        plan = self._latest
        if plan is None or forward_ad._current_level >= 0 or not plan.is_fresh(args):
            plan = self._plan(args) if not self._never else None
            if plan is None:
                return self._gm.forward(*args)
        try:
            return plan.run(args)
        except (ttrt.Error, MemoryError, Rejected, ValueError) as error:
            self._fail(plan, args, error)
        return self._gm.forward(*args)

    def _plan(self, args: tuple[Any, ...]) -> Plan | None:
        """The bundle for these weights and shapes, found or made; None if PyTorch runs the call."""
        with self._lock:
            return self._plan_locked(args)

    def _plan_locked(self, args: tuple[Any, ...]) -> Plan | None:
        if forward_ad._current_level >= 0:  # Dynamo does not look at it
            self._say("it is differentiated in forward mode")
            return None
        weights = self._weights(args)
        plans = self._plans.get(weights, [])
        for plan in plans:
            if plan.is_fresh(args):
                self._latest = plan
                return plan
        shapes = analysis.shapes_of(self._inputs, args) if self._inputs.dynamic else ()
        if shapes in self._rejected:
            return None
        try:
            if not self._may_compile(weights, plans, args):
                return None
            ranges = self._make_for_ranges(args) if self._inputs.dynamic and not self._is_exact else None
            if ranges is not None:
                self._keep(weights, ranges)
                return ranges
            if len(self._plans.get(weights, [])) >= MOST_SHAPES:
                raise Rejected(f"it has been compiled for {MOST_SHAPES} other shapes or numbers")
            started = time.perf_counter()
            analysis.check_inputs(self._inputs, args)
            plan = self._make(args)
            self.info.seconds += time.perf_counter() - started
        except Rejected as reason:
            self._reject(str(reason), shapes)
            return None
        except (ImportError, OSError, MemoryError, ValueError) as error:
            # A full disk, a package that is not there, a bundle that is not of the graph.
            self._reject(_first_line(error), shapes)
            return None
        self._keep(weights, plan)
        return plan

    def _make_for_ranges(self, args: tuple[Any, ...]) -> Plan | None:
        """One bundle for all sizes that are likely to come; None if this graph has one for each shape."""
        started = time.perf_counter()
        try:
            analysis.check_inputs(self._inputs, args)
            plan = self._try_for_ranges(args)
        except (Rejected, ImportError, OSError, MemoryError, ValueError) as error:
            self._is_exact = True
            _log.info("%s: a bundle for each shape, as %s", self.info.place, _first_line(error))
            return None
        finally:
            self.info.seconds += time.perf_counter() - started
        return plan

    def _try_for_ranges(self, args: tuple[Any, ...]) -> Plan:
        narrowed: dict[str, tuple[int, int]] = {}
        for number in range(MOST_EXPORTS):
            sizes = find_sizes(self._gm, self._inputs, args, narrowed, self._options.max_size)
            try:
                return self._make(args, sizes)
            except Rejected as reason:
                narrowed = narrow(sizes, str(reason), args)
                if not narrowed or number + 1 == MOST_EXPORTS:
                    raise
        raise AssertionError

    def _describe(self, args: tuple[Any, ...]) -> dict[str, Any]:
        """What outputs are for these shapes."""
        with compile_lock:
            outputs, new = analysis.analyse(analysis.with_values(self._gm, self._inputs, args), args)
        return _record(outputs, new)

    def _weights(self, args: tuple[Any, ...]) -> tuple[int, ...]:
        return tuple(id(args[p]) for p in self._inputs.constants)

    def _may_compile(self, weights: tuple[int, ...], plans: list[Plan], args: tuple[Any, ...]) -> bool:
        """False while weights change from call to call."""
        stale = [plan for plan in plans if not plan.has_fresh_weights(args)]
        for plan in stale:
            self._drop(weights, plan)
        if stale:
            self._changes[weights] = self._changes.get(weights, 0) + 1
        if self._changes.get(weights, 0) >= MOST_CHANGES:
            self._say(f"its weights have changed {MOST_CHANGES} times")
            return False
        if stale or weights in self._changed:
            state = Plan.state(self._inputs, args)
            if self._changed.get(weights) != state:
                # PyTorch runs this call; the next one compiles if the weights are still the same.
                self._changed[weights] = state
                _log.info("%s: PyTorch runs one call, as weights have changed", self.info.place)
                return False
            del self._changed[weights]
        return True

    def _keep(self, weights: tuple[int, ...], plan: Plan) -> None:
        this, that = weakref.ref(self), weakref.ref(plan)

        def drop() -> None:
            graph, dead = this(), that()
            if graph is not None and dead is not None:
                graph._drop(weights, dead)

        plan.on_death = drop
        self._plans.setdefault(weights, []).append(plan)
        self._latest = plan
        self.info.state = "ttc"

    def _drop(self, weights: tuple[int, ...], plan: Plan) -> None:
        # Also called when a weight goes, between any two instructions of any thread: no lock.
        kept = [other for other in self._plans.get(weights, []) if other is not plan]
        if kept:
            self._plans[weights] = kept
        else:
            self._plans.pop(weights, None)
        if self._latest is plan:
            self._latest = None
        self._changed.pop(weights, None)

    def _fail(self, plan: Plan, args: tuple[Any, ...], error: Exception) -> None:
        """The bundle does not run any more: its file is gone when a forked process opens it again."""
        with self._lock:
            self._drop(self._weights(args), plan)
            self._reject(str(error), analysis.shapes_of(self._inputs, args) if self._inputs.dynamic else ())

    def _reject(self, reason: str, shapes: Any) -> None:
        self._say(reason)
        self._rejected.add(shapes)
        self._never |= not self._inputs.dynamic or len(self._rejected) >= 8 * MOST_SHAPES

    def _say(self, reason: str) -> None:
        if not self._options.fallback:
            raise CompileError(f"{self.info.place}: {reason}")
        self.info.reason = reason
        if not self._plans:
            self.info.state = "PyTorch"
        if reason not in self._said:
            self._said.add(reason)
            _log.warning("PyTorch runs the graph at %s: %s", self.info.place, reason)

    def _make(self, args: tuple[Any, ...], sizes: Sizes | None = None) -> Plan:
        cores = self._options.cores or torch.get_num_threads()
        wanted = [self._options.target, self._options.options]
        key = graph_key(self._gm, self._inputs, args, wanted, sizes) if self._options.cache else None

        def open_made(made: Made, found: bool) -> Plan:
            plan = self._load(made[1], cores, args, made[0], sizes)
            self.info.cached += found
            return plan

        return open_kept("torch", key, lambda folder: self._compile(args, folder, sizes), open_made)

    def _load(
        self, path: pathlib.Path, cores: int, args: tuple[Any, ...], record: dict[str, Any], sizes: Sizes | None
    ) -> Plan:
        if sizes is None:
            return Plan(path, cores, self._inputs, args, record)
        return RangePlan(path, cores, self._inputs, args, record, sizes, self._describe)

    def _trace(
        self, args: tuple[Any, ...], sizes: Sizes | None
    ) -> tuple[Any, list[analysis.Output], list[analysis.New]]:
        """The graph for these arguments as an exported program, and how its outputs become the graph's."""
        graph = analysis.with_values(self._gm, self._inputs, args) if self._inputs.values else self._gm
        outputs, new = analysis.analyse(graph, args)
        if not new:
            raise Rejected("its outputs are its inputs")
        if sizes is None:
            module = analysis.specialise(graph, self._inputs, args, new)
        else:
            graph = analysis.with_values(self._gm, self._inputs, args, sizes.numbers)
            module = analysis.specialise(graph, self._inputs, args, new, sizes.numbers)
        with torch.inference_mode(False):
            examples = tuple(torch.zeros_like(args[p]) for p in self._inputs.tensors)
        program = onnx.export_program(module, examples, shapes=sizes and sizes.shapes(self._inputs))
        onnx.check_program(program)
        onnx.check_outputs(program, [(n.stored, n.dtype) for n in new], sizes is not None)
        return program, outputs, new

    def _compile(
        self, args: tuple[Any, ...], folder: pathlib.Path, sizes: Sizes | None
    ) -> Made:
        """Makes a bundle in the folder. Returns what Plan needs of it, and its path."""
        started = time.perf_counter()
        try:
            with compile_lock:  # both change global state, and so does Dynamo in another thread
                program, outputs, new = self._trace(args, sizes)
                names = [f"input_{i}" for i in range(len(self._inputs.tensors))]
                model = onnx.save_onnx(program, folder, names, [f"output_{i}" for i in range(len(new))])
            dims = dims_of(model, self._inputs, sizes) if sizes else None
            path = build(
                model, folder / "bundle.ttcb", dims=dims, target=self._options.target, options=self._options.options
            )
        except (Rejected, ImportError, OSError, MemoryError):
            raise
        except Exception as error:
            _log.debug("%s", self.info.place, exc_info=True)
            if os.strerror(errno.ENOSPC) in str(error):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
            raise Rejected(guards_of(str(error)) or _first_line(error), _is_lasting(error)) from error
        self.info.compiled += 1
        _log.info("%s: compiled in %.1f s", self.info.place, time.perf_counter() - started)
        return _record(outputs, new), path


def _record(outputs: list[analysis.Output], new: list[analysis.New]) -> dict[str, Any]:
    """What Plan needs of a graph's outputs."""
    described = [[n.stored, str(n.dtype).removeprefix("torch."), n.order] for n in new]
    return {"outputs": outputs, "new": described}


def _first_line(error: BaseException) -> str:
    """What went wrong, in one line. PyTorch's exporter says it in the first of a chain of exceptions."""
    while error.__cause__ is not None and not isinstance(error, CompileError):
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, CompileError):
        # "model.onnx:0:0: error: ...": what it says of which op
        errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
        return (errors or lines or ["the compiler rejected it"])[0]
    text = re.sub(r"\x1b\[[0-9;]*m", "", lines[0]) if lines else ""
    return f"{type(error).__name__}: {text}".removesuffix(": ")


def _is_lasting(error: BaseException | None) -> bool:
    """Whether the same graph fails with it each time. A compiler that was killed, for its memory
    perhaps, may succeed next time."""
    while error is not None:
        passing = isinstance(error, (OSError, MemoryError, RecursionError, ImportError))
        if passing or "ended by signal" in str(error) or "allocate memory" in str(error):
            return False
        error = error.__cause__ or error.__context__
    return True
