# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a graph of Dynamo does with one set of inputs: which of its inputs are constants, what its
outputs are, and why PyTorch has to run it, if it has to."""
from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo import source as dynamo_source
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from ttc._cache import Rejected

# What a bundle's ports can hold with the same bits.
DTYPES = {
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool,
    torch.int8, torch.int16, torch.int32, torch.int64,
    torch.uint8, torch.uint16, torch.uint32, torch.uint64,
}  # fmt: skip


@dataclass(frozen=True)
class Inputs:
    """Positions of a graph's inputs, by kind."""

    constants: tuple[int, ...]  #: parameters and buffers of modules
    tensors: tuple[int, ...]  #: all other tensors
    values: tuple[int, ...]  #: numbers: sizes that Dynamo made dynamic, and the like
    dynamic: bool  #: whether shapes differ from call to call


def classify(gm: torch.fx.GraphModule, examples: list[Any]) -> Inputs:
    """Newer Dynamo passes parameters and buffers as inputs of the graph."""
    constants, tensors, values, dynamic = [], [], [], False
    for position, (node, example) in enumerate(zip(_placeholders(gm), examples, strict=True)):
        if not isinstance(example, torch.Tensor) or _is_number(node, example):
            values.append(position)
        elif isinstance(example, torch.nn.Parameter) or _comes_from(node, _OF_MODULES):
            constants.append(position)
        else:
            tensors.append(position)
            known = node.meta.get("example_value")
            if isinstance(known, torch.Tensor):
                dynamic |= any(isinstance(size, torch.SymInt) for size in (*known.shape, *known.stride()))
    return Inputs(tuple(constants), tuple(tensors), tuple(values), dynamic or bool(values))


def _placeholders(gm: torch.fx.GraphModule) -> list[torch.fx.Node]:
    return [node for node in gm.graph.nodes if node.op == "placeholder"]


def _is_number(node: torch.fx.Node, example: torch.Tensor) -> bool:
    """A float that changes, which Dynamo passes as a tensor only to take its item()."""
    return example.dim() == 0 and all(
        user.op == "call_method" and user.target == "item" for user in node.users
    ) and len(node.users) > 0


_OF_MODULES = (dynamo_source.ParamBufferSource, dynamo_source.UnspecializedParamBufferSource)


def _comes_from(node: torch.fx.Node, kinds: tuple[type, ...]) -> bool:
    source = getattr(node, "_dynamo_source", None)
    while source is not None:
        if isinstance(source, kinds):
            return True
        source = getattr(source, "base", None)
    return False


def value_of(arg: Any) -> Any:
    """A number that is an input. Dynamo passes a float that changes as a tensor of no dimensions."""
    return arg.item() if isinstance(arg, torch.Tensor) else arg


def shapes_of(inputs: Inputs, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What differs from call to call, but for the elements of tensors."""
    values = [value_of(args[p]) for p in inputs.values]
    return (*(args[p].shape for p in inputs.tensors), *((type(v), repr(v)) for v in values))


def place(gm: torch.fx.GraphModule) -> str:
    """Where the graph begins in the user's program: "model.py:12, in forward"."""
    for node in gm.graph.nodes:
        found = re.findall(r'File "([^"]+)", line (\d+), in (\S+)', node.meta.get("stack_trace") or "")
        if node.op != "placeholder" and found:
            file, line, function = found[-1]
            return f"{file}:{line}, in {function}"
    return "a graph without a place in a file"


def check_inputs(inputs: Inputs, args: tuple[Any, ...]) -> None:
    """Rejects what the compiled code could not even be given."""
    if torch.is_autocast_enabled("cpu"):
        raise Rejected("autocast is on")
    for position in (*inputs.constants, *inputs.tensors):
        tensor = args[position]
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
            raise Rejected(f"an input is a {type(tensor).__module__}.{type(tensor).__qualname__}")
        if tensor.device.type != "cpu":
            raise Rejected(f"an input is on the device '{tensor.device}'; expected the CPU")
        if tensor.layout != torch.strided:
            raise Rejected(f"an input is {tensor.layout}; expected a dense tensor")
        if tensor.is_quantized or tensor.dtype not in DTYPES:
            raise Rejected(f"an input has elements of {tensor.dtype}")
        if tensor.is_conj() or tensor.is_neg():
            raise Rejected("an input is a view that conjugates or negates")
    for position in inputs.tensors:
        if args[position].numel() == 0:
            raise Rejected("an input has no elements")
    for position in inputs.constants:
        if args[position].is_inference():
            raise Rejected(
                "a parameter was made in inference mode, where PyTorch does not count its changes"
            )
    for position in inputs.values:
        value = value_of(args[position])
        if type(value) not in (int, float, bool):
            raise Rejected(f"an input is a {type(value).__qualname__}")


# An output of a graph is one of:
#   ["value", value]                        a number or None
#   ["input", position]                     that input itself
#   ["input_view", position, size, stride, offset]
#   ["new", index]                          what the bundle computes
#   ["new_view", index, size, stride, offset]  a view of that
#   ["empty", size, dtype]                  no elements
Output = list[Any]


@dataclass
class New:
    """A tensor that the bundle computes. `order` permutes the dimensions into the order of their
    strides in PyTorch, in which the bundle stores it; None if that changes nothing."""

    output: int  #: the first output of the graph that is this tensor
    order: list[int] | None
    dtype: torch.dtype
    stored: list[int]  #: its shape in the bundle


def analyse(gm: torch.fx.GraphModule, args: tuple[Any, ...]) -> tuple[list[Output], list[New]]:
    """Runs the graph without data. Rejects what replaying could not repeat: gradients, changes of
    inputs, random numbers."""
    _check_autocast(gm)
    grad = torch.is_grad_enabled()
    with torch.inference_mode(False), torch.set_grad_enabled(grad):
        with FakeTensorMode(allow_non_fake_inputs=True):
            fakes = [_fake(arg) for arg in args]
            versions = [_version(fake) for fake in fakes]
            with _OpsToReject({_storage(fake) for fake in fakes if isinstance(fake, torch.Tensor)}):
                results = gm.forward(*fakes)
        changed = [p for p, fake in enumerate(fakes) if _version(fake) != versions[p]]
        if changed:
            name = _placeholders(gm)[changed[0]].name
            raise Rejected(f"it changes its input '{name}'")
        return _outputs(list(results), fakes)


def _fake(arg: Any) -> Any:
    if not isinstance(arg, torch.Tensor):
        return arg
    made = torch.empty_strided(arg.shape, arg.stride(), dtype=arg.dtype, device="cpu")
    return made.requires_grad_(arg.requires_grad)


def _version(fake: Any) -> int:
    return fake._version if isinstance(fake, torch.Tensor) else 0


def _check_autocast(gm: torch.fx.GraphModule) -> None:
    """The exporter drops a block of autocast. One that switches it off, as some models have, changes
    nothing where autocast is off."""
    for module in gm.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            if node.target is torch.amp.autocast_mode._enter_autocast:
                given = dict(zip(("device", "dtype", "enabled"), node.args)) | node.kwargs
                if given.get("enabled", True) and given.get("device") == "cpu":
                    raise Rejected("it switches autocast on")


class _OpsToReject(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Rejects ops that draw random numbers, that raise exceptions which depend on data, or that see how
    a tensor lies in memory where that is not as in a bundle."""

    def __init__(self, inputs: set[int]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._inputs = inputs  # their storages

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = dict(zip((argument.name for argument in func._schema.arguments), args)) | (kwargs or {})
        if torch.Tag.nondeterministic_seeded in func.tags:
            # Attention is tagged whether or not it drops anything.
            if not ("dropout_p" in str(func._schema) and not given.get("dropout_p")):
                raise Rejected(f"it draws random numbers ({func})")
        if "assert" in func._schema.name:
            raise Rejected(f"it checks a condition that depends on data ({func})")
        if func._schema.name in _STRIDED and not self._is_as_in_bundle(given):
            raise Rejected(f"it depends on how a tensor lies in memory ({func})")
        return func(*args, **(kwargs or {}))

    def _is_as_in_bundle(self, given: dict[str, Any]) -> bool:
        """Whether the tensor is dense and row-major, and its first element where the op counts from."""
        tensor = given["self"]
        if not tensor.is_contiguous() or tensor.storage_offset():
            return False
        # The first element of an input may be anywhere.
        return given.get("storage_offset") is None or _storage(tensor) not in self._inputs


_STRIDED = {"aten::as_strided", "aten::as_strided_", "aten::as_strided_copy", "aten::as_strided_scatter"}


def _outputs(results: list[Any], fakes: list[Any]) -> tuple[list[Output], list[New]]:
    owners = {_storage(fake): p for p, fake in reversed(list(enumerate(fakes))) if isinstance(fake, torch.Tensor)}
    outputs: list[Output] = []
    groups: dict[int, list[int]] = {}  # by storage, outputs that are not inputs
    for index, result in enumerate(results):
        outputs.append(_output(result, fakes, owners))
        if outputs[-1][0] == "new":
            groups.setdefault(_storage(result), []).append(index)
    new: list[New] = []
    for members in groups.values():
        _share(members, results, outputs, new)
    return outputs, new


def _output(result: Any, fakes: list[Any], owners: dict[int, int]) -> Output:
    if result is None or type(result) in (int, float, bool):
        return ["value", result]
    if not isinstance(result, torch.Tensor):
        raise Rejected(f"an output is a {type(result).__qualname__} that depends on data")
    if result.requires_grad:
        raise Rejected("its outputs need gradients: call it under torch.no_grad() or torch.inference_mode()")
    if result.device.type != "cpu":
        raise Rejected(f"an output is on the device '{result.device}'; expected the CPU")
    if result.layout != torch.strided or result.dtype not in DTYPES:
        raise Rejected(f"an output is {result.layout} of {result.dtype}")
    if result.is_conj() or result.is_neg():
        raise Rejected("an output is a view that conjugates or negates")
    if result.numel() == 0:
        return ["empty", list(result.shape), str(result.dtype).removeprefix("torch.")]
    owner = owners.get(_storage(result))
    if owner is None:
        return ["new", -1]
    base = fakes[owner]
    for position, fake in enumerate(fakes):
        if fake is result:
            return ["input", position]
    if base.dtype != result.dtype:
        raise Rejected(f"an output is a view of an input of {base.dtype} as {result.dtype}")
    return ["input_view", owner, list(result.shape), list(result.stride()), result.storage_offset()]


def _share(members: list[int], results: list[Any], outputs: list[Output], new: list[New]) -> None:
    """Outputs of one storage: views of one of them that is all of it, or parts without overlap."""
    base = next((m for m in members if _is_all(results[m])), None)
    if base is not None:
        members = [base, *(m for m in members if m != base)]
    elif len(members) > 1 and _overlap([results[m] for m in members]):
        raise Rejected("its outputs are views of a tensor that is not an output")
    for member in members:
        result = results[member]
        if base is not None and member != base and result.dtype == results[base].dtype:
            kind = ["new", outputs[base][1]]
            if not (result.shape == results[base].shape and result.stride() == results[base].stride()):
                kind = ["new_view", kind[1], list(result.shape), list(result.stride()), result.storage_offset()]
            outputs[member] = kind
        else:
            outputs[member] = ["new", len(new)]
            order = dense_order(result)
            stored = [result.shape[d] for d in order or range(result.dim())]
            new.append(New(member, order, result.dtype, stored))


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _is_all(tensor: torch.Tensor) -> bool:
    bytes_ = tensor.numel() * tensor.element_size()
    return bytes_ == tensor.untyped_storage().nbytes() and (
        tensor.is_contiguous() or dense_order(tensor) is not None
    )


def _overlap(tensors: list[torch.Tensor]) -> bool:
    if len({tensor.dtype for tensor in tensors}) > 1:
        return True
    last = max(t.storage_offset() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    taken = torch.zeros(last + 1, dtype=torch.bool)
    for tensor in tensors:
        size = [1 if stride == 0 else n for n, stride in zip(tensor.shape, tensor.stride())]
        part = taken.as_strided(size, tensor.stride(), tensor.storage_offset())
        if part.any():
            return True
        part.fill_(True)
    return False


def dense_order(tensor: torch.Tensor) -> list[int] | None:
    """The order of dimensions in which the tensor is dense and row-major; None if that is its own
    order, or if there is none."""
    if tensor.is_contiguous():
        return None
    # Dimensions of one element go where they are: their strides say nothing.
    order = list(range(tensor.dim()))
    moving = [d for d in order if tensor.shape[d] != 1]
    for place_, d in zip(moving, sorted(moving, key=lambda d: tensor.stride(d), reverse=True)):
        order[place_] = d
    return order if tensor.permute(order).is_contiguous() else None


def with_values(
    gm: torch.fx.GraphModule, inputs: Inputs, args: tuple[Any, ...], without: Collection[int] = ()
) -> torch.fx.GraphModule:
    """The graph with numbers, but those at the positions `without`, as literals. Their inputs stay, unused, so
    positions stay."""
    graph = torch.fx.Graph()
    numbers = {p: value_of(args[p]) for p in inputs.values if p not in without}
    values: dict[torch.fx.Node, Any] = {}
    for position, node in enumerate(gm.graph.nodes):  # placeholders come first
        known = _literal(node, values)
        if known is None:
            values[node] = graph.node_copy(node, lambda n: values[n])
        else:
            values[node] = known
        if node.op == "placeholder" and position in numbers:
            values[node] = numbers[position]
    return torch.fx.GraphModule(gm, graph)


def _literal(node: torch.fx.Node, values: dict[torch.fx.Node, Any]) -> Any:
    """The value of item() of an input that is a number."""
    if node.op == "call_method" and node.target == "item":
        value = values[node.args[0]]  # type: ignore[index]
        return value if isinstance(value, (int, float)) else None
    return None


def specialise(
    gm: torch.fx.GraphModule,
    inputs: Inputs,
    args: tuple[Any, ...],
    new: list[New],
    sizes: Mapping[int, tuple[int, int]] | None = None,
) -> torch.fx.GraphModule:
    """A module of the tensors of `inputs.tensors` that returns `new`: parameters and buffers are
    its own, numbers are literals, and what only concerns gradients is gone. `sizes` has the numbers that
    are sizes of tensors: the position of the tensor, and its dimension."""
    graph = torch.fx.Graph()
    attributes: dict[str, Any] = {}
    values: dict[torch.fx.Node, Any] = {}
    known = set(inputs.constants)
    tensors = set(inputs.tensors)

    def of(argument: Any) -> Any:
        return torch.fx.node.map_arg(argument, lambda node: values[node])

    position = 0
    nodes: list[torch.fx.Node] = []
    waiting: dict[int, torch.fx.Node] = {}
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            if position in tensors:
                values[node] = graph.placeholder(f"input_{position}")
            elif position in known:
                attributes[f"constant_{position}"] = args[position]
                values[node] = graph.get_attr(f"constant_{position}")
            elif sizes and position in sizes:
                waiting[position] = node
            else:
                values[node] = args[position]
            nodes.append(node)
            position += 1
            continue
        while waiting:  # all placeholders come first
            number, size = waiting.popitem()
            tensor, dim = (sizes or {})[number]
            values[size] = graph.call_function(torch.ops.aten.sym_size.int, (values[nodes[tensor]], dim))
        if node.op == "output":
            results = of(node.args[0])
            graph.output(tuple(_stored(graph, results[n.output], n.order) for n in new))
        elif node.target is torch._C._set_grad_enabled:
            values[node] = None
        else:
            if node.op in ("get_attr", "call_module"):
                attributes[node.target] = _attribute(gm, node.target)
            values[node] = graph.create_node(node.op, node.target, of(node.args), of(node.kwargs), node.name)
    # Nothing is removed: what only changes a tensor in place has no users.
    return torch.fx.GraphModule(attributes, graph).eval()


def _stored(graph: torch.fx.Graph, result: Any, order: list[int] | None) -> Any:
    return result if order is None else graph.call_method("permute", (result, order))


def _attribute(gm: torch.fx.GraphModule, target: str) -> Any:
    found: Any = gm
    for name in target.split("."):
        found = getattr(found, name)
    return found
