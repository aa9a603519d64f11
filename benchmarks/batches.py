# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with another batch than they were exported with."""
import onnx
from onnx import numpy_helper


def with_batch(path, batch, folder):
    """A copy in `folder` of the ONNX model `path`, whose inputs and outputs have a batch of 1 in dimension 0: with `batch`.

    Constant shapes of reshapes that begin with 1 begin with `batch`.
    """
    model = onnx.load(path)
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.shape.dim[0].dim_value = batch
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        shape = constants.get(node.input[1]) if node.op_type == "Reshape" else None
        array = numpy_helper.to_array(shape).copy() if shape is not None else []
        if len(array) and array[0] == 1:
            array[0] = batch
            shape.CopyFrom(numpy_helper.from_array(array, shape.name))
    del model.graph.value_info[:]
    changed = folder / f"{path.stem}_b{batch}.onnx"
    onnx.save(model, changed)
    return changed
