# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.jit: a bundle for each signature that a function of JAX is called with."""
from __future__ import annotations

import functools
import hashlib
import json
import logging
import pathlib
import os
import threading
import time
import types
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import tree_util
from jax.api_util import shaped_abstractify

import ttrt
from ttc._cache import Made, environment, named_files, open_kept
from ttc._compile import build
from ttc._jax.calls import Array, Calls
from ttc._jax.trace import Parameters, Program, _check_example, trace

try:  # all settings that change what a function is traced to
    from jax._src.config import trace_context as _context
except ImportError:
    def _context() -> Any:
        return jax.config.jax_enable_x64

_log = logging.getLogger("ttc.jax")
_flatten = tree_util.tree_flatten

# The version of what is stored, and of what this package makes of a function.
FORMAT = 1
# Signatures of one function for which there are bundles: the least recently made goes first.
MOST_SIGNATURES = 256


@dataclass
class JitInfo:
    """What became of a function's signatures."""

    compiled: int = 0  #: bundles that were compiled
    cached: int = 0  #: bundles that were found in the cache
    seconds: float = 0.0  #: spent in tracing, and in making and opening bundles


class _Plan:
    """The bundle of one signature."""

    def __init__(self, key: Any, avals: Sequence[Any], keeps: Any, bundle: ttrt.Bundle, calls: Calls) -> None:
        self.tree, _, self.fixed, self.context = key
        self.key, self._avals, self._keeps = key, list(avals), keeps
        self.bundle, self.calls, self.process = bundle, calls, os.getpid()

    def fits(self, leaves: Sequence[Any]) -> bool:
        for i, (leaf, aval) in enumerate(zip(leaves, self._avals)):
            if type(leaf) is Array:
                found = leaf.aval
                if found is not aval:  # mostly, it is: to compare takes a microsecond
                    if found != aval:
                        return False
                    self._avals[i] = found
            elif type(leaf) is np.ndarray:
                if leaf.shape != aval.shape or leaf.dtype != aval.dtype or aval.weak_type:
                    return False
            elif isinstance(leaf, jax.core.Tracer) or shaped_abstractify(leaf) != aval:
                return False
        return True


class Jitted:
    """A function that ttc.jit() has made: it is called as the original, and returns arrays of JAX."""

    def __init__(
        self, function: Callable[..., Any], fixed: Sequence[int | str], argument: str, cores: int, target: str | None,
        options: Sequence[str], cache: bool,
    ) -> None:  # fmt: skip
        functools.update_wrapper(self, function)
        self._function = function
        self._parameters = Parameters(function, fixed, argument)
        self._cores, self._target, self._options, self._cache = cores, target, tuple(options), cache
        self._plans: OrderedDict[Any, _Plan] = OrderedDict()
        self._latest: _Plan | None = None
        self._lock = threading.RLock()
        self.info = JitInfo()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values: dict[str, Any] = {}
        fixed: Any = ()
        if self._parameters.fixed:
            args, kwargs, values = self._parameters.split(args, kwargs)
            fixed = _identity(values)
        leaves, tree = _flatten((args, kwargs))
        context = _context()
        plan = self._latest
        if plan is None or plan.tree != tree or plan.fixed != fixed or plan.context != context or not plan.fits(leaves):
            plan = self._find(args, kwargs, values, leaves, (tree, fixed, context))
        try:
            return plan.calls(leaves)
        except ttrt.UnsupportedError:
            if plan.process == os.getpid():
                raise
            with self._lock:  # a device does not survive a fork
                self._plans.clear()
                self._latest = None
            plan = self._find(args, kwargs, values, leaves, (tree, fixed, context))
            return plan.calls(leaves)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As functions of a class are methods."""
        return self if instance is None else types.MethodType(self, instance)

    @property
    def bundles(self) -> list[ttrt.Bundle]:
        """The bundles that there are, one for each signature, in the order in which they were made."""
        return [plan.bundle for plan in list(self._plans.values())]

    def __repr__(self) -> str:
        return f"<ttc.jit {self._parameters.name}: {len(self._plans)} bundles>"

    def _find(self, args: Any, kwargs: Any, values: Any, leaves: Sequence[Any], key: Any) -> _Plan:
        tree, fixed, context = key
        for path, leaf in zip(tree_util.tree_flatten_with_path((args, kwargs))[0], leaves):
            _check_example(self._parameters.name, tree_util.keystr(path[0]), leaf)
        avals = tuple(map(shaped_abstractify, leaves))
        key = tree, avals, fixed, context
        plan = self._plans.get(key)
        if plan is None:
            with self._lock:
                plan = self._plans.get(key)
                if plan is None:
                    plan = self._plans[key] = self._make(args, kwargs, values, key, avals)
                    if len(self._plans) > MOST_SIGNATURES:
                        self._plans.popitem(last=False)
        self._latest = plan
        return plan

    def _make(self, args: Any, kwargs: Any, values: Any, key: Any, avals: Sequence[Any]) -> _Plan:
        started = time.perf_counter()
        args, kwargs = self._parameters.join(args, kwargs, values)
        program = trace(self._function, self._parameters, args, kwargs)

        def open_made(made: Made, found: bool) -> _Plan:
            bundle = ttrt.load(made[1], cores=self._cores)
            plan = _Plan(key, avals, values, bundle, Calls(next(iter(bundle.entries.values())), program))
            self.info.cached += found
            return plan

        try:
            return open_kept("jax", self._key(program), lambda folder: self._build(program, folder), open_made)
        finally:
            self.info.seconds += time.perf_counter() - started

    def _key(self, program: Program) -> str | None:
        if not self._cache:
            return None
        parts: list[Any] = [FORMAT, program.code, self._target, self._options, named_files(self._target, self._options)]
        return hashlib.sha256(json.dumps(parts + environment(("jax", "jaxlib"))).encode()).hexdigest()

    def _build(self, program: Program, folder: pathlib.Path) -> Made:
        model = folder / f"{program.name if program.name.isidentifier() else 'function'}.mlir"
        model.write_text(program.text)
        path = build(model, folder / "bundle.ttcb", target=self._target, options=self._options)
        model.unlink()
        self.info.compiled += 1
        return {}, path


def _identity(values: dict[str, Any]) -> Any:
    """What stands for fixed values in a signature: arrays of JAX, which never change, by identity; others by value."""
    parts: list[Any] = []
    for name, value in sorted(values.items()):
        leaves, tree = _flatten(value)
        parts += [name, tree]
        for leaf in leaves:
            if isinstance(leaf, jax.core.Tracer):
                raise TypeError(f"'{name}': expected a value that is fixed, found a tracer")
            if isinstance(leaf, jax.Array):
                parts.append(id(leaf))
                continue
            if isinstance(leaf, np.ndarray):
                raise TypeError(f"'{name}': expected an array of JAX, found numpy.ndarray, which may change: jax.numpy.asarray() makes one")
            try:
                hash(leaf)
            except TypeError:
                raise TypeError(f"'{name}': expected a value that can be hashed, found {type(leaf).__name__}") from None
            parts += [type(leaf), leaf, repr(leaf) if isinstance(leaf, (float, complex)) else None]
    return tuple(parts)
