# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random single ops: every op of the importer on every element type, with random shapes (sizes of 1
among them), broadcasts, attributes, negative axes, and operands that are transposed or strided.

A generator per op draws the operands. All values are small multiples of a power of two, so that
every float type holds them exactly, and comparisons, rounding and equal maxima mean the same in each.
The reference is onnx's ReferenceEvaluator: for floats on the same model in f64, for integers as is.
"""
import zlib

from bundles import np, onnx
from onnx import TensorProto, defs, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FLOATS = ("float16", "bfloat16", "float", "double")
# Types that are wide enough for the values drawn here; test_types.py has the others.
WHOLE = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
# Error relative to the largest element of a result; a result may be the sum of several rounded ones.
TOLERANCE = {"double": 1e-10, "float": 1e-5, "float16": 1e-2, "bfloat16": 6e-2}
GENERATORS = {}


def onnx_type(element):
    return TensorProto.DataType.Value(element.upper())


def dtype_of(element):
    return np.dtype(helper.tensor_dtype_to_np_dtype(onnx_type(element)))


def op(*names, type_of=0, elements=None, **attributes):
    """Registers a generator. `type_of`: the input whose type varies; `elements`: only these."""
    def register(generate):
        for name in names:
            assert name not in GENERATORS, name
            GENERATORS[name] = (lambda g, name=name: generate(g, name, **attributes), type_of, elements)
        return generate
    return register


def elements_of(name, opset, supported):
    """The element types that the op allows by its schema and the compiler supports."""
    _, type_of, elements = GENERATORS[name]
    if elements is None:
        schema = defs.get_schema(name, opset)
        type_name = schema.inputs[min(type_of, len(schema.inputs) - 1)].type_str
        allowed = next((c.allowed_type_strs for c in schema.type_constraints
                        if c.type_param_str == type_name), [type_name])
        elements = [t[len("tensor("):-1] for t in allowed if t.startswith("tensor(")]
    return [element for element in elements if element in supported and element in WHOLE]


class Case:
    """One random graph around an op. Its names are unique among the cases of a batch."""

    def __init__(self, name, element, seed, opset):
        self.op, self.element, self.opset = name, element, opset
        self.name = f"{name}-{element}-{seed}"
        self.random = np.random.default_rng([seed, zlib.crc32(f"{name} {element}".encode())])
        self.is_float = element in FLOATS
        self.nodes, self.inputs, self.constants, self.outputs, self.known = [], {}, {}, [], {}
        self.count = 0
        self.tolerance = 1
        GENERATORS[name][0](self)

    # What generators draw.

    def maybe(self, probability=0.5):
        return bool(self.random.random() < probability)

    def pick(self, *options):
        return options[self.random.integers(len(options))]

    def size(self, most=6):
        return 1 if self.maybe(0.2) else int(self.random.integers(2, most + 1))

    def shape(self, least=1, most=4, size=6):
        return tuple(self.size(size) for _ in range(self.random.integers(least, most + 1)))

    def axis(self, rank):
        """Counted from either end."""
        return int(self.random.integers(-rank, rank))

    def axes(self, rank, least=1):
        chosen = self.random.permutation(rank)[:self.random.integers(min(least, rank), rank + 1)]
        return [int(a) - (rank if self.maybe() else 0) for a in chosen]

    def broadcast(self, shape):
        """A shape that broadcasts to this one."""
        kept = shape[self.random.integers(len(shape) + 1):] if self.maybe(0.3) else shape
        return tuple(1 if self.maybe(0.3) else n for n in kept)

    def values(self, shape, low=-4, high=4, step=0.25):
        """Multiples of the step; of 1 for integers, not negative for unsigned ones."""
        if self.element == "bool":
            return self.random.integers(0, 2, shape).astype(np.float64)
        if not self.is_float:
            low, high, step = max(np.ceil(low), 0) if self.element.startswith("u") else np.ceil(low), high, 1
        return self.random.integers(int(np.ceil(low / step)), int(high / step) + 1, shape) * step

    # What generators emit.

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    def node(self, kind, inputs, outputs=1, **attributes):
        names = [self.fresh() for _ in range(outputs)]
        self.nodes.append((kind, list(inputs), names, attributes))
        return names if outputs > 1 else names[0]

    def given(self, array, element=None):
        """An input, as it is."""
        name = f"in{len(self.inputs)}"
        self.inputs[name] = (np.asarray(array), element or self.element)
        return name

    def constant(self, array, element="int64"):
        name = f"k{len(self.constants)}"
        self.constants[name] = (np.asarray(array), element)
        return name

    def operand(self, array, element=None):
        """An input that reaches the op directly, transposed, as every n-th element, or reversed."""
        array, rank = np.asarray(array), np.ndim(array)
        kind = self.pick("plain", "plain", "transposed", "strided", "constant") if rank else "plain"
        if kind == "transposed":
            order = [int(i) for i in self.random.permutation(rank)]
            return self.node("Transpose", [self.given(array.transpose(order), element)],
                             perm=[int(i) for i in np.argsort(order)])
        if kind == "strided":
            axis, step = int(self.random.integers(rank)), int(self.pick(1, 2, -1, -2))
            before = int(self.random.integers(0, 3))
            room = abs(step) * (array.shape[axis] - 1) + 1
            shape = list(array.shape)
            shape[axis] = before + room + int(self.random.integers(0, 3))
            whole = np.zeros(shape, array.dtype)
            place = [slice(None)] * rank
            last = before + room - 1
            first, end = (before, last + 1) if step > 0 else (last, before - 1 if before else None)
            place[axis] = slice(first, end, step)
            whole[tuple(place)] = array
            end = -2**40 if end is None else end
            return self.node("Slice", [self.given(whole, element), *(
                self.constant([v]) for v in (first, end, axis, step))])
        if kind == "constant" and self.inputs:
            return self.constant(array, element or self.element)
        return self.given(array, element)

    def tensor(self, shape, low=-4, high=4, step=0.25):
        return self.operand(self.values(shape, low, high, step))

    def result(self, name, element=None, expected=None):
        """An output of the case. `expected`: by numpy, where onnx's reference is limited or wrong."""
        self.outputs.append((name, element or self.element))
        if expected is not None:
            self.known[name] = expected

    # Models.

    def stored(self, array, element, wide):
        if wide and element in FLOATS:
            return np.asarray(array, np.float64)
        return np.asarray(array).astype(dtype_of(element))

    def type_number(self, element, wide):
        return TensorProto.DOUBLE if wide and element in FLOATS else onnx_type(element)

    def add_to(self, graph, prefix="", wide=False):
        for name, (array, element) in self.inputs.items():
            graph.input.append(helper.make_tensor_value_info(
                prefix + name, self.type_number(element, wide), array.shape))
        for name, (array, element) in self.constants.items():
            graph.initializer.append(numpy_helper.from_array(
                self.stored(array, element, wide), prefix + name))
        for kind, inputs, outputs, attributes in self.nodes:
            attributes = {key: self.type_number(value[1], wide) if isinstance(value, tuple) else value
                          for key, value in attributes.items()}
            graph.node.append(helper.make_node(
                kind, [prefix + i if i else "" for i in inputs], [prefix + o for o in outputs],
                name=prefix + kind, **attributes))
        for name, element in self.outputs:
            graph.output.append(helper.make_value_info(
                prefix + name, helper.make_tensor_type_proto(self.type_number(element, wide), None)))

    def given_arrays(self, wide=False):
        return {name: self.stored(array, element, wide) for name, (array, element) in self.inputs.items()}

    def expected(self):
        """{output: array} by the reference."""
        if self.known:
            return {name: np.asarray(self.known[name]).astype(dtype_of(element))
                    for name, element in self.outputs}
        graph = onnx.GraphProto(name="reference")
        self.add_to(graph, wide=True)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
        with np.errstate(all="ignore"):
            results = ReferenceEvaluator(model).run(None, self.given_arrays(wide=True))
            return {name: np.asarray(result).astype(dtype_of(element))
                    for (name, element), result in zip(self.outputs, results)}

    def check(self, name, actual, expected):
        assert actual.shape == expected.shape and actual.dtype == expected.dtype, \
            f"{actual.dtype}{actual.shape}, expected {expected.dtype}{expected.shape}"
        element = dict(self.outputs)[name]
        if element not in FLOATS:
            np.testing.assert_array_equal(actual, expected)
            return
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
        finite = np.abs(expected[np.isfinite(expected)])
        scale = finite.max(initial=0)
        limit = TOLERANCE[element] * self.tolerance
        np.testing.assert_allclose(actual, expected, rtol=limit, atol=limit * min(scale, 1 + scale / 8))


def model_of(cases):
    """Cases of one opset as one model; the values of case i are named c<i>_<name>."""
    graph = onnx.GraphProto(name="cases")
    for index, case in enumerate(cases):
        case.add_to(graph, f"c{index}_")
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", cases[0].opset)], ir_version=10)
