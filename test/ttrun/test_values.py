# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun run --trace-values: the values of a model's nodes, those that are not finite, and the first one
that differs from ONNX Runtime's."""
import json
import shlex
import sys

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed")
onnx = pytest.importorskip("onnx", reason="onnx is not installed: no model is made")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing is compared")

F32 = onnx.TensorProto.FLOAT


def model(path, nodes, constants=(), inputs=(("x", (2, 4)),), outputs=("y",)):
    graph = onnx.helper.make_graph(
        nodes, "g", [onnx.helper.make_tensor_value_info(name, F32, shape) for name, shape in inputs],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in dict(constants).items()])
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    proto.ir_version = 9
    onnx.save(proto, path)
    return path


def node(op, inputs, output, **attributes):
    return onnx.helper.make_node(op, inputs, [output], name=f"{op}_{output}", **attributes)


def chain(path, factor=1.0, shift=3.0):
    """A product whose epilogue is fused, and what follows."""
    weights = np.random.default_rng(5).standard_normal((4, 8)).astype(np.float32)
    return model(path, [node("MatMul", ["x", "w"], "h"), node("Relu", ["h"], "r"), node("Mul", ["r", "k"], "m"),
                        node("Add", ["m", "c"], "s"), node("Softmax", ["s"], "y", axis=1)],
                 {"w": weights, "k": np.float32(factor), "c": np.float32(shift)})


def trace(tools, folder, file, *options, check=True):
    values = folder / "values"
    done = tools.ttrun("run", file, "--random=3", f"--trace-values={values}", *options, check=check)
    return done, json.loads((values / "values.json").read_text())


def test_every_value(tools, tmp_path):
    """All results, also of ops that are fused, with the model's outputs unchanged to the bit."""
    done, index = trace(tools, tmp_path, chain(tmp_path / "m.onnx"), "--against=onnxruntime", f"--python={sys.executable}")
    assert [(v["op"], v["name"]) for v in index["values"]] == [
        ("MatMul", "h"), ("Relu", "r"), ("Mul", "m"), ("Add", "s"), ("Softmax", "y")]
    assert "outputs      the same bits as those of main" in done.stdout
    assert "not finite   none" in done.stdout
    assert "5 values compared, none differs" in done.stdout
    arrays = {v["name"]: np.load(tmp_path / "values" / v["file"]) for v in index["values"]}
    assert np.array_equal(arrays["r"], np.maximum(arrays["h"], 0)) and (arrays["h"] < 0).any()
    assert index["values"][1]["min"] == 0 and index["values"][1]["inputs"] == ["h"]


def test_only(tools, tmp_path):
    file = chain(tmp_path / "m.onnx")
    assert [v["name"] for v in trace(tools, tmp_path, file, "--only=Relu", "--only=s")[1]["values"]] == ["r", "s"]
    tools.run("ttc", file, "--keep-values", "-o", tmp_path / "kept.ttcb")
    assert [v["name"] for v in trace(tools, tmp_path, tmp_path / "kept.ttcb", "--only=S*")[1]["values"]] == ["y"]
    done = tools.ttrun("run", tmp_path / "kept.ttcb", "--random", f"--trace-values={tmp_path / 'v'}", "--only=Conv", check=False)
    assert done.returncode == 2 and "--only: no op, node or value has such a name" in done.stderr


def test_not_finite(tools, tmp_path):
    file = model(tmp_path / "m.onnx", [node("Sub", ["x", "one"], "d"), node("Log", ["d"], "l"), node("Relu", ["l"], "y")], {"one": np.float32(1)})
    done, index = trace(tools, tmp_path, file)
    assert "not finite   2 values; the first is of node 'Log_l' (Log), value 'l': 8 NaN and 0 infinite of 8 elements, the first at [0, 0]" in " ".join(
        done.stdout.split()).replace("not finite ", "not finite   ")
    assert [v["nan"] for v in index["values"]] == [0, 8, 8]


def first(tools, folder, ours, theirs, *options):
    """What differs, if a bundle was made of another model than it is compared with."""
    tools.run("ttc", ours, "--keep-values", "-o", folder / "ours.ttcb")
    done, _ = trace(tools, folder, folder / "ours.ttcb", "--against=onnxruntime", f"--model={theirs}", f"--python={sys.executable}", "--json",
                    *options, check=False)
    return done.returncode, json.loads(done.stdout)["values"]


def test_first_that_differs(tools, tmp_path):
    """The op that is wrong, as a model that shows it alone."""
    status, found = first(tools, tmp_path, chain(tmp_path / "a.onnx", shift=3.5), chain(tmp_path / "b.onnx"))
    assert status == 1 and found["compared"] == 5 and found["differing"] == 1
    assert found["first_different"]["node"] == "Add_s" and found["own"] is True
    again = tools.ttrun(*shlex.split(found["command"])[1:], check=False)
    assert again.returncode == 0 and "s: ok" in again.stdout  # the model alone is right: it is b's
    small = onnx.load(tmp_path / "values/first/model.onnx")
    assert [n.op_type for n in small.graph.node] == ["Add"] and [i.name for i in small.graph.input] == ["m"]
    assert [i.name for i in small.graph.initializer] == ["c"]
    got, want = (np.load(tmp_path / f"values/first/{name}.npy") for name in ("got", "want"))
    assert np.allclose(got - want, 0.5, atol=1e-6)


def test_difference_that_grows(tools, tmp_path):
    """A difference within the tolerance, of which a subtraction leaves nothing else."""
    def make(path, factor):
        return model(path, [node("Mul", ["x", "k"], "m"), node("Sub", ["m", "x"], "y")], {"k": np.float32(factor)})

    status, found = first(tools, tmp_path, make(tmp_path / "a.onnx", 1.0004), make(tmp_path / "b.onnx", 1.0001))
    assert status == 1 and found["first_different"]["node"] == "Sub_y" and found["own"] is False


def test_control_flow_and_functions(tools, tmp_path):
    """Nodes in bodies are traced and compared, too. Shapes that are computed are constants of the small
    model."""
    branch = onnx.helper.make_graph([node("Exp", ["x"], "e")], "then", [], [onnx.ValueInfoProto(name="e")])
    other = onnx.helper.make_graph([node("Neg", ["x"], "n")], "else", [], [onnx.ValueInfoProto(name="n")])
    nodes = [node("If", ["yes"], "i", then_branch=branch, else_branch=other), node("Shape", ["x"], "shape"),
             node("Slice", ["shape", "zero", "one"], "rows"), node("Concat", ["rows", "rest"], "to", axis=0),
             node("Reshape", ["i", "to"], "flat"), node("Tanh", ["flat"], "y")]
    constants = {"yes": np.array(True), "zero": np.array([0]), "one": np.array([1]), "rest": np.array([2, 2])}
    done, index = trace(tools, tmp_path, model(tmp_path / "m.onnx", nodes, constants), "--against=onnxruntime",
                        f"--python={sys.executable}", "--rtol=0", "--atol=1e-30", "--json", check=False)
    assert "Exp" in [v["op"] for v in index["values"]]
    found = json.loads(done.stdout)["values"]
    assert found["compared"] == 7 and found["not_compared"] == []
    assert found["outputs_equal"] is True


def test_states(tools, tmp_path):
    """A state that a value replaces; the entry point starts from the same states."""
    file = model(tmp_path / "m.onnx", [node("Add", ["past", "x"], "now"), node("Relu", ["now"], "y")],
                 inputs=(("x", (2, 4)), ("past", (2, 4))), outputs=("y", "now"))
    done, index = trace(tools, tmp_path, file, "--compile=--state=past=now")
    assert [v["name"] for v in index["values"]] == ["y"] and "the same bits" in done.stdout
    assert "not written  1 value, which states replace: 'now'" in done.stdout


@pytest.mark.parametrize("parallel", ["tensor", "pipeline"])
def test_devices_of_a_mesh(tools, tmp_path, parallel):
    """Values are whole tensors, and those of one device; devices are threads."""
    file = chain(tmp_path / "m.onnx")
    mesh = ["--mesh=2", f"--parallel={parallel}", "--keep-values"]
    tools.compile(file, tmp_path / "mesh.ttcb", *mesh)
    done, index = trace(tools, tmp_path, tmp_path / "mesh.ttcb", "--entry=main", f"--model={file}", "--against=onnxruntime",
                        f"--python={sys.executable}")
    assert [v["name"] for v in index["values"]] == ["h", "r", "m", "s", "y"]
    assert "5 values compared, none differs" in done.stdout
    done = tools.ttrun("run", tmp_path / "mesh.ttcb", "--random", "--entry=main", "--processes=2", f"--trace-values={tmp_path}/v",
                       check=False)
    assert done.returncode != 0
    assert "--trace-values: expected all 2 devices of the mesh in this process, as threads, found 1" in done.stderr


@pytest.mark.parametrize("options, message", [
    (["--only=Relu"], "--only needs --trace-values=FOLDER"),
    (["--against=onnxruntime"], "--against needs --trace-values=FOLDER"),
    (["--trace-values=v", "--against=onnxruntime"], "found {bundle}; name its model with --model"),
    (["--trace-values=v"], "{bundle}: expected an entry point 'main.values' with the values of nodes, found none; "
                           "compile the ONNX model with --keep-values"),
    (["--trace-values=v", "--loops=2"], "--trace-values runs one inference"),
    (["--compile=--slots=2"], "--compile: expected a model, found the bundle {bundle}"),
])
def test_usage(tools, tmp_path, options, message):
    tools.compile(chain(tmp_path / "m.onnx"), tmp_path / "plain.ttcb")
    done = tools.ttrun("run", tmp_path / "plain.ttcb", "--random", *options, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert message.format(bundle=tmp_path / "plain.ttcb") in done.stderr


def test_python_lacks_the_engine(tools, tmp_path):
    done, _ = trace(tools, tmp_path, chain(tmp_path / "m.onnx"), "--against=onnxruntime", "--python=/bin/false", check=False)
    assert done.returncode == 2 and "onnxruntime ended without an answer" in done.stderr
