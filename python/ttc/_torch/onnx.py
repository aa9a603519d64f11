# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and exported programs as ONNX, by PyTorch's own exporter."""
from __future__ import annotations

import contextlib
import functools
import logging
import pathlib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ttc._cache import Rejected
from ttc._torch.dims import Dims, ProgramDims, make_dynamic
from ttc._torch.exact import divisions, nodes_of, restore_numbers
from ttc._torch.recurrent import Recurrent, translations

_log = logging.getLogger("ttc.torch")


def export_program(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, shapes: Any = None
) -> Any:
    """The module as an ExportedProgram: PyTorch's ops without side effects, with static shapes, but for the
    dimensions that `shapes` names, as torch.export's dynamic_shapes."""
    with _quiet(), torch.inference_mode(False), torch.no_grad(), _Attention(), Recurrent():
        return torch.export.export(module, args, kwargs, dynamic_shapes=shapes, strict=False)


class _Attention(TorchFunctionMode):
    """What the exporter of attention leaves out: that a row whose mask lets nothing through is 0 in PyTorch,
    negative scales, and tensors of three dimensions."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is not torch.nn.functional.scaled_dot_product_attention:
            return func(*args, **kwargs)
        given = dict(zip(("query", "key", "value", "attn_mask", "dropout_p", "is_causal"), args)) | kwargs
        query, mask, scale = given["query"], given.get("attn_mask"), given.get("scale")
        if isinstance(scale, (int, float)) and scale < 0:
            query, given["scale"] = -query, -scale
        flat = query.dim() == 3
        parts = [query, given["key"], given["value"]]
        given |= zip(("query", "key", "value"), [part.unsqueeze(0) if flat else part for part in parts])
        result = func(**given)
        if mask is not None:
            seen = mask if mask.dtype == torch.bool else mask > -torch.inf
            result = torch.where(seen.any(-1, keepdim=True), result, torch.zeros((), dtype=result.dtype))
        return result.squeeze(0) if flat else result


def check_program(program: Any) -> None:
    """Rejects a program that changes what it was given, as a run of a bundle changes nothing, and what the exporter
    computes wrongly."""
    for node in nodes_of(program):
        _check_op(node)
    if not any(_may_change(module) for module in program.graph_module.modules()):
        return
    # Only what has been made functional says in its signature what it changes.
    with _quiet(), torch.inference_mode(False), torch.no_grad():
        signature = program.run_decompositions({}).graph_signature
    changed = [*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values()]
    if changed:
        raise Rejected(f"it changes '{changed[0]}'")


def _check_op(node: torch.fx.Node) -> None:
    if not isinstance(node.target, torch._ops.OpOverload):
        return
    given = dict(zip((argument.name for argument in node.target._schema.arguments), node.args)) | node.kwargs
    if given.get("divisor_override") is not None:
        raise Rejected(f"PyTorch's exporter drops the divisor ({node.target})")
    factors = given.get("scale_factors")
    if given.get("align_corners") and factors and any(float(factor) % 1 for factor in factors if isinstance(factor, float)):
        # PyTorch aligns the corners of the size that it has rounded down, ONNX those of the product.
        raise Rejected(f"PyTorch's exporter aligns corners of sizes that are not whole ({node.target})")
    if node.target._schema.name == "aten::logcumsumexp":
        # It subtracts the largest element of all: sums before it underflow, and NaN spreads to them.
        raise Rejected(f"PyTorch's exporter loses sums before a much larger element ({node.target})")


def check_outputs(program: Any, expected: list[tuple[list[int], torch.dtype]], has_sizes: bool = False) -> None:
    """Rejects a program whose outputs have other shapes or types than PyTorch's: the exporter drops what
    it does not support. For shapes with sizes that change, only the number of dimensions is compared."""
    values = [node.meta["val"] for node in program.graph.output_node().args[0]]
    found = [(list(value.shape), value.dtype) for value in values]
    for ours, theirs in zip(found, expected, strict=True):
        is_same = len(ours[0]) == len(theirs[0]) if has_sizes else ours[0] == theirs[0]
        if not is_same or ours[1] != theirs[1]:
            raise Rejected(f"PyTorch's exporter makes an output {ours[1]} {ours[0]} of {theirs[1]} {theirs[0]}")


def _may_change(module: torch.nn.Module) -> bool:
    """Whether the module has an op that changes an argument, be it an intermediate result. The schemas of
    normalisations do not say that they change their statistics."""
    graph = getattr(module, "graph", None)
    targets = [node.target for node in graph.nodes] if isinstance(graph, torch.fx.Graph) else []
    return any(
        isinstance(target, torch._ops.OpOverload)
        and (target._schema.is_mutable or "running_mean" in str(target._schema))
        for target in targets
    )


def save_onnx(
    program: Any,
    folder: pathlib.Path,
    input_names: list[str] | None,
    output_names: list[str] | None,
    dims: ProgramDims | None = None,
) -> pathlib.Path:
    """Writes the program to a file in the folder, its weights beside it."""
    try:
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "PyTorch's ONNX exporter needs the package onnxscript: pip install onnxscript"
        ) from error
    with _quiet(), torch.inference_mode(False), torch.no_grad():
        made = torch.onnx.export(
            program,
            dynamo=True,
            verbose=False,
            input_names=input_names,
            output_names=output_names,
            custom_translation_table=translations() | _casts_first() | divisions(),
        )
    assert made is not None  # by its documentation, with dynamo=True
    restore_numbers(made.model.graph, program)
    _cast_outputs(made.model.graph, program)
    if dims is not None and dims.names:
        dims.rename(made.model.graph)
    path = folder / "model.onnx"
    made.save(str(path), external_data=True)
    return path


def _casts_first() -> dict[Any, Any]:
    """Means and softmaxes in a type that is given: the exporter casts their result, and computes it in the type of the
    operand, which has fewer digits or only integers."""
    from onnxscript import opset18
    from onnxscript.function_libs.torch_lib.ops import core, special

    exported: Any = core.aten_mean_dim
    op: Any = opset18

    @functools.wraps(getattr(exported, "func", exported))  # with its signature, which the exporter reads
    def mean(self: Any, dim: Any, keepdim: bool = False, dtype: int = -1) -> Any:
        if dtype is None or dtype == -1:
            return exported(self, dim, keepdim)
        cast = op.Cast(self, to=dtype)
        if len(self.shape) == 0:
            return cast
        axes = op.Reshape(dim, op.Constant(value_ints=[-1]))
        return op.ReduceMean(cast, axes, keepdims=keepdim)

    def casting(exported: Any, compute: Any) -> Any:
        @functools.wraps(getattr(exported, "func", exported))
        def softmax(self: Any, dim: int, dtype: int = -1) -> Any:
            if dtype is None or dtype == -1:
                return exported(self, dim)
            cast = op.Cast(self, to=dtype)
            if len(self.shape) == 0:
                return op.Squeeze(compute(op.Unsqueeze(cast, [0]), axis=dim))
            return compute(cast, axis=dim)

        return softmax

    log_softmax = casting(special.aten_special_log_softmax, op.LogSoftmax)
    return {
        torch.ops.aten.mean.dim: mean,
        torch.ops.aten.softmax.int: casting(core.aten_softmax, op.Softmax),
        torch.ops.aten.log_softmax.int: log_softmax,
        torch.ops.aten.special_log_softmax.default: log_softmax,
    }


def _cast_outputs(graph: Any, program: Any) -> None:
    """Gives outputs the types that they have in PyTorch: the exporter computes reductions of 16-bit floats in f32, and
    leaves out the last Cast."""
    import onnx_ir

    values = [node.meta["val"] for node in program.graph.output_node().args[0] if isinstance(node, torch.fx.Node)]
    wanted = [value.dtype for value in values if isinstance(value, torch.Tensor)]
    for i, (output, dtype) in enumerate(zip(graph.outputs, wanted, strict=True)):
        name = str(dtype).removeprefix("torch.").upper()
        to = onnx_ir.DataType[{"FLOAT32": "FLOAT", "FLOAT64": "DOUBLE"}.get(name, name)]
        if output.dtype == to:
            continue
        cast = onnx_ir.node("Cast", [output], {"to": to})
        result = cast.outputs[0]
        result.name, output.name = output.name, f"{output.name}_as_computed"
        result.dtype, result.shape = to, output.shape
        graph.append(cast)
        graph.outputs[i] = result


def unflatten_names(spec: Any, count: int) -> list[str]:
    """Names for a program's outputs: "output" for a single one, keys for a dictionary's and what
    is like one, "output_0" and so on for a sequence's."""
    paths, _ = torch.utils._pytree.tree_flatten_with_path(
        torch.utils._pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
    )
    names = []
    for path, _ in paths:
        parts = [str(getattr(step, "key", getattr(step, "idx", getattr(step, "name", "")))) for step in path]
        text = "_".join(parts)
        names.append(text if parts and not parts[0].isdigit() else "_".join(["output", *parts]))
    return names if len(names) == count else [f"output_{i}" for i in range(count)]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The exporter warns of what its optimiser could not fold, and of deprecations inside PyTorch.
    What matters is in its exceptions."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir", "torch.export")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels):
            logger.setLevel(level)


def export_module(
    model: Any, inputs: Any, folder: pathlib.Path, dims: Dims, open_dims: bool = False
) -> tuple[pathlib.Path, dict[str, Any]]:
    """What ttc.compile() makes of a torch.nn.Module or torch.export.ExportedProgram: a model, and the sizes of
    its dimensions by their names in it; with `open_dims`, also if some have no bound."""
    if isinstance(model, torch.export.ExportedProgram):
        if inputs is not None:
            raise TypeError("inputs: expected none with an ExportedProgram, which has shapes of its own")
        program = model
    else:
        args, kwargs, shapes, dims = make_dynamic(model, *_examples(inputs), dims)
        training = [module for module in model.modules() if module.training]
        model.eval()
        try:
            program = export_program(model, args, kwargs, shapes)
        finally:
            for module in training:
                module.training = True
    try:
        check_program(program)
    except Rejected as reason:
        raise ValueError(f"the module cannot be compiled: {reason}") from None
    kinds = torch.export.graph_signature
    tensors = [o for o in program.graph_signature.output_specs if isinstance(o.arg, kinds.TensorArgument)]
    every = [o for o in program.graph_signature.output_specs]
    names = unflatten_names(program.call_spec.out_spec, len(every))
    names = [name for name, output in zip(names, every) if output in tensors]
    known = ProgramDims(program)
    sizes = known.sizes(dims, open_dims)
    return save_onnx(program, folder, None, names if len(set(names)) == len(names) else None, known), sizes


def _examples(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if inputs is None:
        raise TypeError(
            "inputs: a torch.nn.Module needs example inputs: a tuple of tensors, or {name: tensor}; "
            "only their shapes and types matter"
        )
    if isinstance(inputs, torch.Tensor):
        return (inputs,), {}
    if isinstance(inputs, Mapping):
        return (), {str(name): value for name, value in inputs.items()}
    if isinstance(inputs, (list, tuple)):
        return tuple(inputs), {}
    raise TypeError(f"inputs: expected a tuple of tensors or {{name: tensor}}, found {type(inputs).__name__}")
