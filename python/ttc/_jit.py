# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.jit, which imports jax when it is called."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from ttc._compile import Constants, _options, _path

if TYPE_CHECKING:
    from ttc._jax.jit import Jitted


@overload
def jit(
    function: Callable[..., Any], *, constants: Constants = ..., static_argnums: int | Sequence[int] = ...,
    static_argnames: str | Sequence[str] = ..., cores: int = ..., target: str | os.PathLike[str] | None = ...,
    options: Sequence[str] = ..., cache: bool = ...,
) -> Jitted: ...  # fmt: skip
@overload
def jit(
    function: None = None, *, constants: Constants = ..., static_argnums: int | Sequence[int] = ...,
    static_argnames: str | Sequence[str] = ..., cores: int = ..., target: str | os.PathLike[str] | None = ...,
    options: Sequence[str] = ..., cache: bool = ...,
) -> Callable[[Callable[..., Any]], Jitted]: ...  # fmt: skip
def jit(
    function: Callable[..., Any] | None = None,
    *,
    constants: Constants = (),
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    cores: int = 0,
    target: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
    cache: bool = True,
) -> Any:
    """Makes of a function of JAX one that runs bundles. A decorator, with or without arguments.

    The first call with arguments of a signature compiles: their structure, shapes, types and fixed values. Later calls,
    and later starts of the program, replay the bundle, which is kept on disk. Results are arrays of JAX.

    constants  parameters, by position or name, whose values are fixed: arrays of JAX become weights of the
             bundle, other values are as static ones. Other arrays are another signature.
    static_argnums, static_argnames  as in jax.jit: parameters whose values are no arrays, and can be hashed.
    cores, target, options  as in ttc.compile().
    cache    False: bundles are not kept on disk.

    Calls raise CompileError if the function cannot be compiled, TypeError within jax.jit, jax.grad or jax.vmap.
    """
    if function is None:
        return lambda found: jit(
            found, constants=constants, static_argnums=static_argnums, static_argnames=static_argnames, cores=cores,
            target=target, options=options, cache=cache,
        )  # fmt: skip
    if not callable(function):
        raise TypeError(f"ttc.jit: expected a function, found {type(function).__name__}")
    try:
        from ttc._jax.jit import Jitted
    except ImportError as error:
        raise ImportError(f"ttc.jit needs jax, which cannot be imported ({error}): pip install jax") from error
    fixed: list[int | str] = []
    for given in (constants, static_argnums, static_argnames):
        fixed += [given] if isinstance(given, (int, str)) else given
    if not hasattr(cores, "__index__"):
        raise TypeError(f"cores: expected an int, found {cores!r}")
    to = None if target is None else _path("target", target)
    return Jitted(function, fixed, "constants" if constants != () else "static_argnums", cores, to, _options(options), bool(cache))
