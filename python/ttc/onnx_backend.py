# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's `Backend` interface (https://onnx.ai/onnx/api/backend.html), for tools that use it.

    import ttc.onnx_backend as backend
    logits, = backend.prepare(onnx.load("model.onnx")).run([image])

Values are computed on this machine's CPU. `prepare` compiles; `run` replays. A model that ttc does not
take raises `ttc.CompileError`, which says why.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
try:
    import onnx
except ModuleNotFoundError as error:
    if error.name != "onnx":
        raise
    raise ImportError("ttc.onnx_backend needs the package onnx, which is not installed: pip install onnx") from error
from onnx import helper, shape_inference
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

import ttc

__all__ = ["TtcBackend", "TtcBackendRep", "is_compatible", "prepare", "run_model", "run_node",
           "supports_device"]


class TtcBackendRep(BackendRep):
    """A compiled model. Runs of one object may come from several threads; they take turns."""

    def __init__(self, model: onnx.ModelProto, bundle: Any) -> None:
        initial = {value.name for value in model.graph.initializer}
        self.bundle = bundle
        self._inputs = [value.name for value in model.graph.input if value.name not in initial]
        self._outputs = [(value.name, _numpy_type(value)) for value in model.graph.output]
        self._result = namedtupledict("Outputs", [name for name, _ in self._outputs])

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Computes the outputs, as a tuple whose elements can also be asked for by name.

        `inputs`: arrays in the order of the model's inputs, {name: array}, or the only array. Raises
        ValueError if their number is wrong, and what `ttrt.Bundle.run` raises if they do not fit.
        """
        if kwargs:
            raise TypeError(f"run() has no options, found {', '.join(kwargs)}")
        if isinstance(inputs, Mapping):
            given = dict(inputs)
        else:
            if not isinstance(inputs, (Sequence, tuple)):
                inputs = [inputs]
            if len(inputs) != len(self._inputs):
                raise ValueError(f"expected {len(self._inputs)} inputs ({', '.join(self._inputs)}), "
                                 f"found {len(inputs)}")
            given = dict(zip(self._inputs, inputs))
        ports = self.bundle.inputs
        results = self.bundle.run(**{name: _of_type(value, ports[name].dtype) if name in ports else value
                                     for name, value in given.items()})
        return self._result(*(_of_type(results[name], dtype) for name, dtype in self._outputs))


class TtcBackend(Backend):
    """The interface's functions, as class methods."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether ttc compiles the model: this compiles it."""
        if not cls.supports_device(device):
            return False
        try:
            ttc.compile(_checked(model), **kwargs)
        except ttc.CompileError:
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> TtcBackendRep:
        """Compiles a model. `kwargs` are options of `ttc.compile`, such as `cores`."""
        if not cls.supports_device(device):
            raise ValueError(f"expected the device CPU, found {device}")
        return TtcBackendRep(model, ttc.compile(_checked(model), **kwargs))

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None,
                 **kwargs: Any) -> tuple[Any, ...]:
        """Computes one node. `inputs`: the arrays of its inputs that have names, in order, or {name:
        array}. `opset_version`: of ONNX's own ops; by default the newest."""
        names = [name for name in node.input if name]
        if isinstance(inputs, Mapping):
            arrays = {name: np.asarray(inputs[name]) for name in names}
        else:
            if len(inputs) != len(names):
                raise ValueError(f"expected {len(names)} inputs ({', '.join(names)}), found {len(inputs)}")
            arrays = {name: np.asarray(array) for name, array in zip(names, inputs)}
        opset = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        outputs = [name for name in node.output if name]
        if outputs_info is None:
            values = [onnx.ValueInfoProto(name=name) for name in outputs]
        else:
            values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)),
                                                    shape)
                      for name, (dtype, shape) in zip(outputs, outputs_info)]
        graph = helper.make_graph(
            [node], node.op_type or "node",
            [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
             for name, array in arrays.items()], values)
        domains = [helper.make_opsetid("", opset)]
        if node.domain not in ("", "ai.onnx"):
            domains.append(helper.make_opsetid(node.domain, kwargs.pop("domain_version", 1)))
        # Values that decide shapes, such as axes, are known here: they are part of the model.
        model = helper.make_model(graph, opset_imports=domains)
        model = shape_inference.infer_shapes(_with_parameters(model, arrays), data_prop=True)
        given = [arrays[value.name] for value in model.graph.input]
        return cls.prepare(model, device, **kwargs).run(given)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether values can be computed there: on "CPU", and on no other device."""
        try:
            return bool(Device(device).type == DeviceType.CPU)
        except AttributeError:
            return False


def _checked(model: Any) -> onnx.ModelProto:
    if not isinstance(model, onnx.ModelProto):
        raise TypeError(f"expected onnx.ModelProto, found {type(model).__name__}; onnx.load() reads a file")
    return model


def _with_parameters(model: onnx.ModelProto, arrays: Mapping[str, Any]) -> onnx.ModelProto:
    """Makes constants of all inputs but the first that are integers: shapes, axes, indices."""
    inputs = list(model.graph.input)
    constant = {value.name for value in inputs[1:] if arrays[value.name].dtype.kind in "iu"
                and arrays[value.name].ndim < 2}
    del model.graph.input[:]
    model.graph.input.extend(value for value in inputs if value.name not in constant)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(arrays[name], name)
                                   for name in sorted(constant))
    return model


def _numpy_type(value: onnx.ValueInfoProto) -> np.dtype[Any] | None:
    """The type of an array with the values of an output; None where only the bundle has it."""
    if value.type.WhichOneof("value") != "tensor_type" or not value.type.tensor_type.elem_type:
        return None
    return np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))


def _of_type(value: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """An array as the bundle or the caller wants it. Types that NumPy lacks are exchanged as integers
    of the same size; anything else is left to whoever checks it."""
    array = np.asarray(value)
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    if dtype is None or array.dtype == dtype or array.dtype.itemsize != np.dtype(dtype).itemsize:
        return array
    both_numpys = array.dtype.isbuiltin == 1 and np.dtype(dtype).isbuiltin == 1
    return array if both_numpys else array.view(dtype)


is_compatible = TtcBackend.is_compatible
prepare = TtcBackend.prepare
run_model = TtcBackend.run_model
run_node = TtcBackend.run_node
supports_device = TtcBackend.supports_device
