# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX as StableHLO in MLIR's generic form, with names for inputs and outputs."""
from __future__ import annotations

import contextlib
import functools
import inspect
import pathlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import export, tree_util

from ttc._compile import CompileError

#: The types of ports by those of arrays.
TYPES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "bool",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}  # fmt: skip


def _show_callers() -> None:
    """Messages of the compiler name lines of the function: without those of this package that called it."""
    with contextlib.suppress(ImportError, AttributeError):  # no public interface
        from jax._src import source_info_util

        for path in pathlib.Path(__file__).parents[1].rglob("*.py"):
            source_info_util.register_exclusion(str(path))


_show_callers()


def _few_callers() -> Any:
    """Of the lines that led to an op, the innermost ones: those of the function."""
    try:
        from jax._src import config

        return config.traceback_in_locations_limit(3)
    except (ImportError, AttributeError, TypeError):
        return contextlib.nullcontext()


@dataclass(frozen=True)
class Leaf:
    """An array among the arguments or results of a function."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]  #: of the memory: keys of random numbers are uint32
    #: Of a key of random numbers, the implementation that makes and reads it.
    key: Any = None
    weak: bool = False  #: as that of a number of Python


@dataclass(frozen=True)
class Program:
    """A function of JAX for certain shapes and types."""

    name: str
    text: str  #: the module
    code: str  #: without locations: equal for equal programs
    inputs: list[Leaf]
    outputs: list[Leaf]
    in_tree: Any  #: of (arguments, keyword arguments) that are not fixed
    out_tree: Any
    parameters: Parameters
    fixed: frozenset[str]  #: the parameters that the example has fixed


class Parameters:
    """The parameters of a function, and which of them are fixed."""

    def __init__(self, function: Callable[..., Any], fixed: int | str | Iterable[int | str] = (), argument: str = "constants") -> None:
        called = function.func if isinstance(function, functools.partial) else function
        name = getattr(called, "__name__", None) or getattr(called, "fun_name", type(called).__name__)
        self.name = str(name)
        if isinstance(function, export.Exported):
            function = function.call
        try:
            self._signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):  # of what is written in C
            self._signature = None
        self.fixed = self._names(fixed, argument)

    def _names(self, fixed: int | str | Iterable[int | str], argument: str) -> frozenset[str]:
        wanted = [fixed] if isinstance(fixed, (int, str)) else list(fixed)
        if not wanted:
            return frozenset()
        if self._signature is None:
            raise ValueError(f"{argument}: expected none, as '{self.name}' does not say its parameters; use functools.partial")
        parameters = list(self._signature.parameters.values())
        names, positional = [], [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        for item in wanted:
            if isinstance(item, int) and -len(positional) <= item < len(positional):
                names.append(positional[item])
            elif isinstance(item, str) and item in self._signature.parameters:
                names.append(item)
            else:
                known = ", ".join(f"'{p.name}'" for p in parameters) or "none"
                raise ValueError(f"{argument}: expected positions or names of parameters ({known}), found {item!r}")
        return frozenset(names)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as they are passed by this signature, the same however the caller names them."""
        if self._signature is None:
            return tuple(args), dict(kwargs)
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"'{self.name}': {error}") from None
        return bound.args, bound.kwargs

    def positional(self, args: Sequence[Any]) -> list[str]:
        """Names for arguments by position; those of *args have its name and a number."""
        if self._signature is None:
            return [f"arg{i}" for i in range(len(args))]
        names: list[str] = []
        for parameter in self._signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                names += [f"{parameter.name}_{i}" for i in range(len(args) - len(names))]
            elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names.append(parameter.name)
        return names[: len(args)]

    def split(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]:
        """The arguments with nothing in the place of each that is fixed, and the values of these by name."""
        args, kwargs = self.bind(args, kwargs)
        if not self.fixed:
            return args, kwargs, {}
        assert self._signature is not None
        bound = self._signature.bind(*args, **kwargs)
        values = {name: bound.arguments[name] for name in self.fixed if name in bound.arguments}
        bound.arguments.update({name: self._nothing(name) for name in values})
        return bound.args, bound.kwargs, values

    def join(self, args: Sequence[Any], kwargs: Mapping[str, Any], values: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The opposite of split()."""
        if not values:
            return tuple(args), dict(kwargs)
        assert self._signature is not None
        bound = self._signature.bind(*args, **kwargs)
        bound.arguments.update(values)
        return bound.args, bound.kwargs

    def bind_free(self, args: Sequence[Any], kwargs: Mapping[str, Any], fixed: Iterable[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments without those that are fixed, as split() returns them for a call with the fixed ones of these names."""
        if self._signature is None:
            return tuple(args), dict(kwargs)
        free = [parameter for name, parameter in self._signature.parameters.items() if name not in self.fixed]
        try:
            given = self._signature.replace(parameters=free).bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"'{self.name}': {error}") from None
        given |= {name: self._nothing(name) for name in fixed}
        bound = inspect.BoundArguments(self._signature, given)
        return bound.args, bound.kwargs

    def _nothing(self, name: str) -> Any:
        assert self._signature is not None
        kind = self._signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            return ()
        return {} if kind is inspect.Parameter.VAR_KEYWORD else None


def examples(function: Any, parameters: Parameters, inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The example arguments: a tuple in order, a dictionary by name, or the only one."""
    if isinstance(function, export.Exported) and inputs is None:
        avals = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in function.in_avals]
        args, kwargs = tree_util.tree_unflatten(function.in_tree, avals)
        return tuple(args), dict(kwargs)
    if inputs is None:
        return parameters.bind((), {})
    if isinstance(inputs, tuple) and not hasattr(inputs, "_fields"):
        return parameters.bind(inputs, {})
    if isinstance(inputs, Mapping) and all(isinstance(key, str) for key in inputs):
        return parameters.bind((), inputs)
    return parameters.bind((inputs,), {})


def trace(
    function: Callable[..., Any], parameters: Parameters, args: Sequence[Any], kwargs: Mapping[str, Any], entry: str = "main"
) -> Program:
    """The program for arguments of these shapes and types. Fixed ones become constants, or are passed as they are if
    they are no arrays.

    CompileError if the program cannot be a bundle, TypeError for an argument that JAX does not take.
    """
    args, kwargs, fixed = parameters.split(args, kwargs)
    leaves, in_tree = tree_util.tree_flatten((args, kwargs))
    if isinstance(function, export.Exported):
        _check_exported(function)
        paths, function = _exported_names(function), function.call
    else:
        paths = _paths(parameters, args, kwargs)
    for path, leaf in zip(paths, leaves):
        _check_example(parameters.name, path, leaf)

    # Outside, keys of random numbers are the words that they consist of.
    keys = [_key_of(leaf) for leaf in leaves]
    leaves = [leaf if key is None else _words(leaf, key) for leaf, key in zip(leaves, keys)]
    returned: list[Any] = []

    def flat(*words: Any) -> Any:
        given = [leaf if key is None else jax.random.wrap_key_data(leaf, impl=key.name) for leaf, key in zip(words, keys)]
        args, kwargs = tree_util.tree_unflatten(in_tree, given)
        args, kwargs = parameters.join(args, kwargs, fixed)
        results, tree = tree_util.tree_flatten(function(*args, **kwargs))
        returned[:] = [_key_of(result) for result in results]
        return tree_util.tree_unflatten(tree, [
            result if key is None else jax.random.key_data(result) for result, key in zip(results, returned)
        ])  # fmt: skip

    flat.__name__ = flat.__qualname__ = parameters.name
    # What the function does not use stays an input; without it, jax leaves it out.
    with _few_callers():
        traced = jax.jit(flat, keep_unused=True).trace(*leaves)
        _check_effects(parameters.name, traced.jaxpr.jaxpr)
        module = traced.lower(lowering_platforms=("cpu",)).compiler_ir("stablehlo")
    results, out_tree = tree_util.tree_flatten_with_path(traced.out_info)
    inputs = _leaves(paths, traced.jaxpr.in_avals, keys)
    outputs = _leaves([_join("output", path) for path, _ in results], traced.jaxpr.out_avals, returned)
    if not outputs:
        raise CompileError(f"'{parameters.name}' returns no arrays: a bundle needs at least one")
    _name(module, inputs, outputs, parameters.name, entry)
    text, code = (
        module.operation.get_asm(print_generic_op_form=True, enable_debug_info=debug, large_elements_limit=None)
        for debug in (True, False)
    )
    return Program(parameters.name, text, code, inputs, outputs, in_tree, out_tree, parameters, frozenset(fixed))


def _check_exported(exported: export.Exported) -> None:
    if "cpu" not in exported.platforms:
        raise CompileError(
            f"'{exported.fun_name}' was exported for {', '.join(exported.platforms)}: export it for the CPU, "
            'jax.export.export(jax.jit(f), platforms=["cpu"])(...)'
        )


def _check_example(function: str, path: str, leaf: Any) -> None:
    if isinstance(leaf, jax.core.Tracer):
        raise TypeError(
            f"'{function}' is called with a tracer, as jax.jit, jax.grad or jax.vmap pass it, where a bundle needs arrays: "
            "call it outside of JAX's transformations, or transform the function first, as in ttc.jit(jax.grad(f))"
        )
    shape = getattr(leaf, "shape", ())
    if not all(isinstance(size, (int, np.integer)) for size in shape):
        raise CompileError(
            f"'{path}' has the shape ({', '.join(map(str, shape))}): a function of JAX is compiled for sizes that are "
            "known. Give an example for each size that is needed, and compile for each, as ttc.jit() does"
        )
    if not isinstance(leaf, (jax.ShapeDtypeStruct, jax.Array, np.ndarray, np.generic, bool, int, float, complex)) and not hasattr(
        leaf, "__jax_array__"
    ):
        raise TypeError(
            f"'{path}': expected an array, jax.ShapeDtypeStruct or a number, found {type(leaf).__name__}: "
            "constants= fixes what is not an array"
        )


def _check_effects(function: str, jaxpr: Any) -> None:
    for name in _primitives(jaxpr):
        if name.startswith("debug_") or name in ("print", "debug_callback"):
            raise CompileError(
                f"'{function}' prints or calls back for debugging ({name}), which a bundle cannot: remove jax.debug.print and "
                "jax.debug.callback, or run the function with jax.jit to see what they show"
            )
        if "callback" in name:
            raise CompileError(
                f"'{function}' calls Python ({name}), which a bundle cannot: compute it in JAX, or outside of the "
                "function, and pass the result as an argument"
            )
    if jaxpr.effects:
        raise CompileError(
            f"'{function}' has side effects ({', '.join(sorted(map(str, jaxpr.effects)))}), and a bundle only computes its "
            "results: return what it changes"
        )


def _primitives(jaxpr: Any) -> Iterable[str]:
    """The names of all primitives, those of bodies included."""
    seen: set[int] = set()
    left = [jaxpr]
    while left:
        jaxpr = left.pop()
        if id(jaxpr) in seen:
            continue
        seen.add(id(jaxpr))
        for equation in jaxpr.eqns:
            yield equation.primitive.name
            for value in tree_util.tree_leaves(list(equation.params.values()), is_leaf=lambda v: hasattr(v, "eqns") or hasattr(v, "jaxpr")):
                inner = value if hasattr(value, "eqns") else getattr(value, "jaxpr", None)
                if hasattr(inner, "eqns"):
                    left.append(inner)


def _paths(parameters: Parameters, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
    """A name for each array of the arguments, in the order in which JAX flattens them."""
    named = [*zip(parameters.positional(args), args), *sorted(kwargs.items())]
    return [_join(name, path) for name, value in named for path, _ in tree_util.tree_flatten_with_path(value)[0]]


def _join(name: str, path: Sequence[Any]) -> str:
    """A name for an element of a tree: "params_dense_w". Results have the names of their keys, as those of modules."""
    steps = [str(next((getattr(step, a) for a in ("key", "idx", "name") if hasattr(step, a)), "")) for step in path]
    if name == "output" and steps and not steps[0].isdigit():
        return "_".join(steps)
    return "_".join([name, *steps])


def _key_of(leaf: Any) -> Any:
    """The implementation of an array of keys of random numbers; None of other arrays."""
    dtype = getattr(leaf, "dtype", None)
    return dtype._impl if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key) else None


def _words(leaf: Any, key: Any) -> Any:
    return jax.ShapeDtypeStruct(tuple(leaf.shape) + tuple(key.key_shape), np.uint32)


def _leaves(names: Sequence[str], avals: Sequence[Any], keys: Sequence[Any]) -> list[Leaf]:
    used: set[str] = set()
    leaves = []
    for name, aval, key in zip(names, avals, keys, strict=True):
        unique, number = name, 1
        while unique in used:
            number += 1
            unique = f"{name}_{number}"
        used.add(unique)
        shape, dtype = tuple(aval.shape), aval.dtype
        if str(dtype) not in TYPES:
            remedy = "pass and return .real and .imag" if "complex" in str(dtype) else "convert it in the function's caller"
            raise CompileError(f"'{unique}': expected one of {', '.join(TYPES)}, found {dtype}: {remedy}")
        weak = bool(getattr(aval, "weak_type", False))
        leaves.append(Leaf(unique, shape, np.dtype(dtype), key, weak))
    return leaves


def _name(module: Any, inputs: Sequence[Leaf], outputs: Sequence[Leaf], function: str, entry: str) -> None:
    """Writes the names of inputs and outputs into the module, and removes what only JAX reads."""
    from jaxlib.mlir import ir

    with module.context:
        (main,) = [op for op in module.body.operations if _symbol(op) == "main"]
        for attribute, leaves in (("arg_attrs", inputs), ("res_attrs", outputs)):
            attributes = main.operation.attributes[attribute] if attribute in main.operation.attributes else None
            if attributes is not None and len(attributes) != len(leaves):
                raise CompileError(
                    f"'{function}': expected {len(leaves)} {attribute}, found {len(attributes)}: jax passes closed-over arrays "
                    "as arguments; jax.config.update('jax_use_simplified_jaxpr_constants', False) makes them constants"
                )
            names = [ir.DictAttr.get({"ttc.name": ir.StringAttr.get(leaf.name)}) for leaf in leaves]
            main.operation.attributes[attribute] = ir.ArrayAttr.get(names)
        main.operation.attributes["sym_name"] = ir.StringAttr.get(entry)


def _symbol(op: Any) -> str:
    attributes = op.operation.attributes
    return str(attributes["sym_name"].value) if "sym_name" in attributes else ""


def _exported_names(exported: export.Exported) -> list[str]:
    """Names of an exported function's arguments: those of its module, which has what the function uses."""
    main = re.search(r"func\.func public @main\((.*)", exported.mlir_module())
    found = re.findall(r'%arg\d+: [^%]*?loc\("([^"]*)"\)', main.group(1)) if main else []
    kept = exported.module_kept_var_idx
    names = [f"arg{i}" for i in range(len(exported.in_avals))]
    if len(found) == len(kept):
        for i, name in zip(kept, found):
            names[i] = re.sub(r"\W+", "_", name).strip("_") or names[i]
    return names
