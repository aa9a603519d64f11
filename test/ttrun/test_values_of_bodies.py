# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun run --trace-values --against=onnxruntime: values in bodies of Loop, Scan and If, and in functions."""
import json
import shlex
import sys

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed")
onnx = pytest.importorskip("onnx", reason="onnx is not installed: no model is made")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing is compared")

F32, I64, BOOL = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.BOOL


def node(op, inputs, *outputs, **attributes):
    return onnx.helper.make_node(op, inputs, outputs, name=attributes.pop("name", f"{op}_{outputs[0]}"), **attributes)


def port(name, shape=(2, 4), dtype=F32):
    return onnx.helper.make_tensor_value_info(name, dtype, shape)


def graph(nodes, inputs=(), outputs=(), **constants):
    return onnx.helper.make_graph(nodes, "g", list(inputs), list(outputs),
                                  [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])  # fmt: skip


def save(path, nodes, opset=17, outputs=("y",), functions=(), **constants):
    made = graph(nodes, [port("x")], [onnx.ValueInfoProto(name=name) for name in outputs], **constants)
    domains = [onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("own", 1)]
    proto = onnx.helper.make_model(made, opset_imports=domains, functions=list(functions))
    proto.ir_version = 9
    onnx.save(proto, path)
    return path


def branches(shift):
    return {f"{name}_branch": graph([node(op, ["b", "c"], f"b{name}")], outputs=[port(f"b{name}")], c=np.float32(shift))
            for name, op in (("then", "Add"), ("else", "Sub"))}  # fmt: skip


def loop(path, shift=1.0, limit=100.0, in_branch=0.5):
    """At most three steps of h = tanh(h * k + x) + shift, and then an addition or subtraction in an If; they
    end when an element exceeds `limit`."""
    inner = [node("Mul", ["h", "k"], "m"), node("Add", ["m", "x"], "s"), node("Tanh", ["s"], "t"), node("Add", ["t", "shift"], "b"),
             node("If", ["goes_on"], "n", **branches(in_branch)),
             node("ReduceMax", ["n"], "most", keepdims=0), node("Less", ["most", "limit"], "more")]  # fmt: skip
    body = graph(inner, [port("i", (), I64), port("goes_on", (), BOOL), port("h")], [port("more", (), BOOL), port("n")],
                 shift=np.float32(shift), limit=np.float32(limit))  # fmt: skip
    nodes = [node("Relu", ["x"], "start"), node("Loop", ["three", "", "start"], "last", body=body, name="loop"),
             node("Add", ["last", "x"], "y")]  # fmt: skip
    return save(path, nodes, three=np.int64(3), k=np.full((1, 4), 0.5, np.float32), outputs=("y", "last"))


def trace(tools, folder, ours, theirs=None, *options):
    values = folder / "values"
    tools.run("ttc", ours, "--keep-values", "-o", folder / "ours.ttcb")
    done = tools.ttrun("run", folder / "ours.ttcb", "--random=3", f"--trace-values={values}", "--against=onnxruntime",
                       f"--model={theirs or ours}", f"--python={sys.executable}", *options, check=False)  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done, json.loads((values / "values.json").read_text())["values"]


def compare(tools, folder, ours, theirs=None, *options):
    done, listed = trace(tools, folder, ours, theirs, "--json", *options)
    return json.loads(done.stdout)["values"], listed


def not_compared(found):
    return {group["reason"]: group["values"] for group in found["not_compared"]}


def repeat_first(tools, folder, found):
    """The command that shows the node alone. Its model is the other one, so it is right."""
    again = tools.ttrun(*shlex.split(found["command"])[1:], check=False)
    assert again.returncode == 0, again.stdout + again.stderr
    return onnx.load(folder / "values/first/model.onnx").graph


def test_each_step_of_a_loop(tools, tmp_path):
    found, listed = compare(tools, tmp_path, loop(tmp_path / "m.onnx"))
    assert found["differing"] == 0 and found["outputs_equal"] is True
    names = [value["name"] for value in listed]
    for step in range(3):
        assert {f"loop/{step}/{name}" for name in "mstb"} < set(names)
    # The condition is computed, so both branches are; ONNX Runtime runs one. The first step certainly runs.
    assert found["compared"] == len(names) - 2
    assert not_compared(found) == {"ONNX Runtime takes the other branch": [f"loop/{step}/If_n/else/belse" for step in (1, 2)]}
    inputs = {value["name"]: value["inputs"] for value in listed}
    assert inputs["loop/1/m"] == ["loop/1/h", "k"] and inputs["loop/1/s"] == ["loop/1/m", "x"]
    assert inputs["loop/2/If_n/then/bthen"] == ["loop/2/b", "loop/2/If_n/then/c"]


@pytest.mark.parametrize("change, op, name", [
    ({"shift": 1.25}, "Add", "loop/0/b"),
    ({"in_branch": 0.75}, "Add", "loop/0/If_n/bthen"),
])
def test_fault_in_a_loop(tools, tmp_path, change, op, name):
    """The first value that is wrong, with the inputs that it had in its step."""
    found, listed = compare(tools, tmp_path, loop(tmp_path / "ours.onnx", **change), loop(tmp_path / "theirs.onnx"))
    assert found["first_different"]["name"] == name and found["first_different"]["op"] == op and found["own"] is True
    small = repeat_first(tools, tmp_path, found)
    assert [n.op_type for n in small.node] == [op] and len(small.input) == len(small.initializer) == 1


def counted(path, factors):
    """A loop whose step i multiplies by factors[i]."""
    inner = [node("Gather", ["factors", "i"], "f"), node("Mul", ["h", "f"], "n"), node("Identity", ["goes_on"], "more")]
    body = graph(inner, [port("i", (), I64), port("goes_on", (), BOOL), port("h")], [port("more", (), BOOL), port("n")],
                 factors=np.array(factors, np.float32))  # fmt: skip
    return save(path, [node("Loop", ["three", "", "x"], "y", body=body, name="loop")], three=np.int64(len(factors)))


def test_fault_in_a_later_step(tools, tmp_path):
    ours, theirs = counted(tmp_path / "ours.onnx", [1, 1.5, 3]), counted(tmp_path / "theirs.onnx", [1, 1.5, 2])
    found, listed = compare(tools, tmp_path, ours, theirs)
    assert found["first_different"]["name"] == "loop/2/f" and found["own"] is True
    tools.run("ttc", ours, "--keep-values=Mul", "-o", tmp_path / "some.ttcb")
    done = tools.ttrun("run", tmp_path / "some.ttcb", "--random=3", f"--trace-values={tmp_path}/v", "--against=onnxruntime", "--json",
                       f"--model={theirs}", f"--python={sys.executable}", check=False)  # fmt: skip
    found = json.loads(done.stdout)["values"]
    assert found["compared"] == 3 and found["differing"] == 1 and found["first_different"]["name"] == "loop/2/n"


def test_loop_that_ends(tools, tmp_path):
    """Steps after the end are computed, but mean nothing: each is named."""
    done, listed = trace(tools, tmp_path, loop(tmp_path / "m.onnx", limit=1.0))
    names = [value["name"] for value in listed if value["name"].startswith(("loop/1/", "loop/2/"))]
    text = " ".join(done.stdout.split())
    assert f"not compared {len(names)} values, because the loop has ended in ONNX Runtime: '{names[0]}', '{names[1]}'" in text
    assert f"{len(listed) - len(names)} values compared, none differs" in text


def steps(path, factor=0.5, opset=17, direction=1):
    """A Scan over rows: sums of products, with the outputs in either direction."""
    inner = [node("Mul", ["part", "factor"], "p"), node("Add", ["sum", "p"], "next"), node("Exp", ["p"], "e")]
    shape = [4]
    body = graph(inner, [port("sum", shape), port("part", shape)], [port("next", shape), port("e", shape)], factor=np.float32(factor))
    if opset >= 9:
        nodes = [node("Scan", ["zero", "x"], "last", "all", body=body, num_scan_inputs=1, name="scan",
                      scan_input_directions=[direction], scan_output_axes=[1])]  # fmt: skip
        return save(path, [*nodes, node("MatMul", ["all", "x"], "y")], opset, zero=np.zeros(shape, np.float32))
    nodes = [node("Unsqueeze", ["x"], "batches", axes=[1]),
             node("Scan", ["", "zero", "batches"], "last", "y", body=body, num_scan_inputs=1, name="scan", directions=[direction])]
    return save(path, nodes, opset, zero=np.zeros([2, 4], np.float32))


@pytest.mark.parametrize("opset, direction", [(17, 0), (17, 1), (8, 0)])
def test_scan(tools, tmp_path, opset, direction):
    found, listed = compare(tools, tmp_path, steps(tmp_path / "m.onnx", opset=opset, direction=direction))
    assert found["differing"] == 0 and found["not_compared"] == [] and found["compared"] == len(listed)
    second = "scan/1/" if opset == 17 else "scan/1/0/"
    assert {second + name for name in ("p", "next", "e")} < {value["name"] for value in listed}
    found, _ = compare(tools, tmp_path, tmp_path / "m.onnx", steps(tmp_path / "theirs.onnx", 0.75, opset, direction))
    assert found["first_different"]["op"] == "Mul" and found["own"] is True
    small = repeat_first(tools, tmp_path, found)
    assert [i.name for i in small.input] == ["part"]
    part, x = np.load(tmp_path / "values/first/input0.npy"), np.load(tmp_path / "values/input0.npy")
    assert np.array_equal(part, x[1 if direction else 0])


def call(path, slope=0.25):
    """A function with an attribute, an omitted input, and a body that uses both; called in a loop."""
    leaky = node("LeakyRelu", ["a"], "l")
    leaky.attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))
    inner = [leaky, node("Clip", ["l", "low", "high"], "c"), node("Add", ["c", "c"], "out")]
    function = onnx.helper.make_function("own", "Act", ["a", "low", "high"], ["out"], inner, [onnx.helper.make_opsetid("", 17)], ["slope"])
    called = node("Act", ["h", "", "high"], "n", domain="own", slope=slope, name="act")
    body = graph([called, node("Identity", ["goes_on"], "more")], [port("i", (), I64), port("goes_on", (), BOOL), port("h")],
                 [port("more", (), BOOL), port("n")])  # fmt: skip
    nodes = [node("Neg", ["x"], "start"), node("Loop", ["two", "", "start"], "y", body=body, name="loop")]
    return save(path, nodes, functions=[function], two=np.int64(2), high=np.float32(0.4))


def test_function_in_a_loop(tools, tmp_path):
    found, listed = compare(tools, tmp_path, call(tmp_path / "m.onnx"))
    assert found["differing"] == 0 and found["not_compared"] == []
    assert [value["name"] for value in listed if "act" in value["name"]] == [f"loop/{i}/act/{n}" for i in (0, 1) for n in ("l", "c", "out")]
    found, _ = compare(tools, tmp_path, tmp_path / "m.onnx", call(tmp_path / "theirs.onnx", 0.5))
    assert found["first_different"]["name"] == "loop/0/act/l" and found["own"] is True
    assert onnx.helper.get_attribute_value(repeat_first(tools, tmp_path, found).node[0].attribute[0]) == 0.5


def growing(path, factor=2.0):
    """A state that grows, and a sequence that does."""
    inner = [node("Mul", ["h", "factor"], "p"), node("SequenceInsert", ["s", "p"], "t"), node("SequenceAt", ["t", "i"], "at"),
             node("Concat", ["h", "at"], "n", axis=0), node("Identity", ["goes_on"], "more")]  # fmt: skip
    sequence = [onnx.helper.make_tensor_sequence_value_info(name, F32, None) for name in "st"]
    body = graph(inner, [port("i", (), I64), port("goes_on", (), BOOL), port("h", None), sequence[0]],
                 [port("more", (), BOOL), port("n", None), sequence[1]], factor=np.float32(factor))  # fmt: skip
    nodes = [node("SequenceEmpty", [], "empty"), node("Loop", ["two", "", "x", "empty"], "y", "parts", body=body, name="loop"),
             node("ConcatFromSequence", ["parts"], "z", axis=0)]  # fmt: skip
    return save(path, nodes, two=np.int64(2), outputs=("y", "z"))


def test_growing_states_and_sequences(tools, tmp_path):
    found, listed = compare(tools, tmp_path, growing(tmp_path / "m.onnx"))
    assert found["differing"] == 0 and found["not_compared"] == [] and found["compared"] == len(listed)
    assert {"loop/1/p", "loop/1/n", "loop/1/at"} < {value["name"] for value in listed}


def test_input_that_is_a_sequence(tools, tmp_path):
    """The small model makes the sequence of its elements."""
    def make(path, index):
        nodes = [node("Neg", ["x"], "n"), node("SequenceConstruct", ["x", "n"], "s"), node("SequenceAt", ["s", "index"], "y")]
        return save(path, nodes, index=np.int64(index))

    found, _ = compare(tools, tmp_path, make(tmp_path / "ours.onnx", 0), make(tmp_path / "theirs.onnx", 1))
    assert found["first_different"]["name"] == "y" and found["own"] is True
    assert [n.op_type for n in repeat_first(tools, tmp_path, found).node] == ["SequenceConstruct", "SequenceAt"]


def test_nodes_of_one_name(tools, tmp_path):
    """Two loops of one name, which ONNX Runtime refuses: the loops are compared, and their values are named."""
    nodes = []
    for source, result in (("x", "first"), ("first", "y")):
        body = graph([node("Mul", ["h", "h"], "n"), node("Identity", ["goes_on"], "more")],
                     [port("i", (), I64), port("goes_on", (), BOOL), port("h")], [port("more", (), BOOL), port("n")])  # fmt: skip
        nodes.append(node("Loop", ["one", "", source], result, body=body, name="loop"))
    found, listed = compare(tools, tmp_path, save(tmp_path / "m.onnx", nodes, one=np.int64(1)))
    assert "loop/0/n~2" in [value["name"] for value in listed]
    assert set(not_compared(found)["several values have this name"]) >= {"loop/0/n", "loop/0/n~2"}
    assert found["differing"] == 0 and found["compared"] == 2
