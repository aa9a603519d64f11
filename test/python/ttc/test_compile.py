# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.compile() and ttc.build(): what they take, what they leave, what they report."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pytest
import ttc
import ttrt

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
IMAGE = np.random.default_rng(3).random((1, 1, 8, 8), dtype=np.float32)


def affine(rows="n", width=4):
    """y = 2 x + 1 on f32[rows, width]; `rows` may be a name, whose size is open."""
    x = helper.make_tensor_value_info("x:0", TensorProto.FLOAT, [rows, width])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, width])
    two = numpy_helper.from_array(np.full(width, 2, np.float32), "two")
    one = numpy_helper.from_array(np.ones(width, np.float32), "one")
    nodes = [helper.make_node("Mul", ["x:0", "two"], ["m"]), helper.make_node("Add", ["m", "one"], ["y"])]
    graph = helper.make_graph(nodes, "affine", [x], [y], [two, one])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture(scope="module")
def expected(digits):
    with ttc.compile(digits) as bundle:
        return bundle.run(image=IMAGE)["logits"]


@pytest.mark.parametrize("form", ["path", "text", "bytes", "bytearray", "proto"])
def test_every_form_of_a_model_gives_the_same(digits, expected, form):
    data = digits.read_bytes()
    model = {"path": digits, "text": str(digits), "bytes": data, "bytearray": bytearray(data),
             "proto": onnx.load_from_string(data)}[form]
    with ttc.compile(model) as bundle:
        np.testing.assert_array_equal(bundle.run(image=IMAGE)["logits"], expected)


def test_relative_path(digits, expected, monkeypatch):
    monkeypatch.chdir(digits.parent)
    np.testing.assert_array_equal(ttc.compile("digits.onnx").run(image=IMAGE)["logits"], expected)


def test_mlir(tmp_path, tools):
    tools.path("ttc-opt")
    model = tmp_path / "tosa.mlir"
    model.write_text("func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {\n"
                     "  %0 = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32>\n  return %0 : tensor<1x4xf32>\n}\n")
    x = np.array([[0, 0.5, 1, 2]], np.float32)
    (y,) = ttc.compile(model).run(x).values()
    np.testing.assert_allclose(y, np.tanh(x), rtol=1e-6)


@pytest.mark.parametrize("shape", [(3, 4), [3, 4], np.zeros((3, 4))])
def test_inputs_fix_open_dimensions(shape):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    bundle = ttc.compile(affine(), {"x:0": shape})
    assert bundle.inputs["x:0"].shape == (3, 4)
    np.testing.assert_array_equal(bundle.run(x)["y"], 2 * x + 1)


def test_dims_and_what_is_proposed():
    """A message names arguments of Python, which are right as they stand."""
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", "columns"]) for name in ("x:0", "y")]
    graph = helper.make_graph([helper.make_node("Relu", ["x:0"], ["y"])], "g", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with pytest.raises(ttc.CompileError, match=r"has dynamic shape \[rows, columns\].*\n.*note: this sets it: ttc\.compile\(model, ") as raised:
        ttc.compile(model)
    call = str(raised.value).partition("this sets it: ")[2]
    bundle = eval(call, {"ttc": ttc, "model": model})
    assert bundle.inputs["x:0"].shape == (1, 1) and "dims={" in call
    with pytest.raises(ttc.CompileError, match=r"note: this sets it: ttc\.compile\(model, dims=\{\"columns\": 1\}\)$"):
        ttc.compile(model, dims={"rows": 5})
    graph.input[0].type.tensor_type.shape.dim[1].dim_param = "seq"
    with pytest.raises(ttc.CompileError, match=r"range of sizes makes one bundle for all of them .*: dims=\{\"seq\": \(1, 128\)\}$"):
        ttc.compile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    assert ttc.compile(model, dims={"rows": 5, "columns": np.int64(2)}).inputs["x:0"].shape == (5, 2)
    bundle = ttc.compile({"one": model, "two": model}, dims={"one/rows": 1, "two/rows": 2, "columns": 3})
    assert [entry.inputs["x:0"].shape for entry in bundle.entries.values()] == [(1, 3), (2, 3)]
    with pytest.raises(ttc.CompileError, match=r"dims=\{\"two/rows\": 1\}"):
        ttc.compile({"one": model, "two": model}, dims={"one/rows": 1, "columns": 3})
    for wrong, error in [({"rows": -1}, ValueError), ({"rows": 1.5}, ValueError), ([("rows", 1)], TypeError)]:
        with pytest.raises(error, match="dims: expected"):
            ttc.compile(model, dims=wrong)


@pytest.mark.parametrize("models, inputs, entries", [
    ({"one": 1, "two": 2}, {"one": {"x:0": (1, 4)}, "two": {"x:0": (2, 4)}}, None),
    ([1, 2], [{"x:0": (1, 4)}, {"x:0": (2, 4)}], ["one", "two"]),
    ([1, 2], {"two": {"x:0": (2, 4)}, "one": {"x:0": (1, 4)}}, ("one", "two")),
])
def test_several_entry_points(models, inputs, entries):
    models = dict.fromkeys(models, affine()) if isinstance(models, dict) else [affine() for _ in models]
    bundle = ttc.compile(models, inputs, entries=entries)
    assert list(bundle.entries) == ["one", "two"]
    for rows, name in enumerate(bundle.entries, 1):
        x = np.full((rows, 4), rows, np.float32)
        np.testing.assert_array_equal(bundle[name].run(x)["y"], 2 * x + 1)


def test_name_of_the_entry_point(digits):
    assert list(ttc.compile(digits, entries="classify").entries) == ["classify"]
    assert list(ttc.compile({"classify": digits}).entries) == ["classify"]
    assert list(ttc.compile([digits]).entries) == ["main"]


def test_output_is_kept_and_can_be_loaded(digits, expected, tmp_path):
    path = tmp_path / "digits.ttcb"
    with ttc.compile(digits, output=path, cores=1) as bundle:
        np.testing.assert_array_equal(bundle.run(image=IMAGE)["logits"], expected)
    with ttrt.load(path) as bundle:
        np.testing.assert_array_equal(bundle.run(image=IMAGE)["logits"], expected)


def test_build_does_not_open(digits, tmp_path):
    path = ttc.build(digits, tmp_path / "chip.ttcb", target="wormhole_n150")
    assert path == tmp_path / "chip.ttcb"
    assert ttrt.load(path).check().schedules > 0


def test_nothing_is_left(digits, tmp_path, monkeypatch):
    """Neither files nor descriptors, after success and after failure."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def descriptors():
        return sorted(os.listdir("/proc/self/fd"))

    before = descriptors()
    bundle = ttc.compile(digits.read_bytes())
    assert bundle.check().schedules > 0  # reads the file, which has no name
    bundle.close()
    del bundle
    with pytest.raises(ttc.CompileError):
        ttc.compile(b"nonsense")
    assert descriptors() == before and not list(tmp_path.iterdir())


def test_failure_keeps_the_output(tmp_path):
    path = tmp_path / "old.ttcb"
    path.write_bytes(b"old")
    with pytest.raises(ttc.CompileError):
        ttc.compile(b"nonsense", output=path)
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_diagnostics_are_the_text_of_the_exception(digits):
    with pytest.raises(ttc.CompileError, match=r"<model>: error: not an ONNX model"):
        ttc.compile(b"nonsense")
    with pytest.raises(ttc.CompileError, match=r"digits.onnx: error: inputs names 'x', .* are: image"):
        ttc.compile(digits, {"x": (1,)})
    with pytest.raises(ttc.CompileError, match="fooo"):
        ttc.compile(digits, options=["--fooo"])
    with pytest.raises(ttc.CompileError, match="n150x"):
        ttc.compile(digits, target="n150x")


@pytest.mark.parametrize("arguments, error, message", [
    ((3,), TypeError, "found builtins.int"),
    (("no.onnx",), FileNotFoundError, "no.onnx"),
    (("",), ValueError, "model: expected a name or path, found ''"),
    (("a\0b",), ValueError, "model: expected a name or path"),
    (([],), ValueError, "expected a model, found none"),
    ((b"", [(1,)], ), TypeError, r"inputs: expected \{name: shape\}"),
    ((b"", [1, 2]), ValueError, "a list of 1, one for each model"),
    ((b"", 3), TypeError, r"inputs: expected \{name: shape\}"),
    ((b"", {"x": "abc"}), ValueError, "shape of 'x'"),
    ((b"", {"x": (1, -3)}), ValueError, "shape of 'x'"),
    (([b"", b""],), ValueError, "entries: expected 2 names, one for each model, found none"),
    (({"a,b": b""},), ValueError, "without comma"),
    (({1: b""},), TypeError, "as the keys of the models, found 1"),
])
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        ttc.compile(*arguments)


@pytest.mark.parametrize("named, error, message", [
    ({"options": "--weights=int8"}, TypeError, "options: expected a sequence of strings, found str"),
    ({"options": None}, TypeError, "options: expected a sequence of strings, found NoneType"),
    ({"options": {"slots": 2}}, TypeError, "options: expected a sequence of strings, found dict"),
    ({"options": [3]}, TypeError, "options: expected strings such as '--slots=2', found 3"),
    ({"options": ["other.onnx"]}, ValueError, "such as '--slots=2', found 'other.onnx'"),
    ({"options": ["-o", "other.ttcb"]}, ValueError, "that say how to compile, found '-o'"),
    ({"options": ["--help"]}, ValueError, "that say how to compile, found '--help'"),
    ({"options": ["--slots"]}, ttc.CompileError, "the --slots option: requires a value"),
    ({"entries": 3}, TypeError, "entries: expected a name or a list of names, found 3"),
    ({"entries": [None]}, TypeError, "entries: expected a name or a list of names, found None"),
    ({"entries": ["a", "b"]}, ValueError, r"entries: expected the name of one entry point, found \['a', 'b'\]"),
    ({"entries": "a\udc80"}, ValueError, "entries: expected names"),
    ({"target": 3}, TypeError, "target: expected a string or os.PathLike, found int"),
    ({"target": ""}, ValueError, "target: expected a name or path, found ''"),
    ({"cores": "2"}, TypeError, "cores: expected an int, found '2'"),
    ({"host_functions": [abs]}, TypeError, r"host_functions: expected \{name: function\}, found list"),
    ({"output": b"x.ttcb"}, TypeError, "output: expected a string or os.PathLike, found bytes"),
    ({"output": ""}, ValueError, "output: expected a name or path, found ''"),
])
def test_wrong_named_arguments(digits, named, error, message):
    with pytest.raises(error, match=message):
        ttc.compile(digits, **named)


def test_option_with_its_value_apart(digits):
    assert ttc.compile(digits, options=("--target-cpu", "x86-64-v3")).run(image=IMAGE)["logits"].shape == (1, 10)


def test_output_is_not_the_model(digits, tmp_path):
    model = tmp_path / "model.onnx"
    model.write_bytes(digits.read_bytes())
    os.symlink(model, tmp_path / "link")
    with pytest.raises(ValueError, match="output: expected another file than the model"):
        ttc.build(model, tmp_path / "link")
    assert model.read_bytes() == digits.read_bytes()


def test_mlir_is_alone(digits, tmp_path):
    (tmp_path / "m.mlir").write_text("")
    with pytest.raises(ValueError, match=r"expected one .mlir file or .gguf file, .*m.mlir' among 2"):
        ttc.compile({"a": digits, "b": tmp_path / "m.mlir"})


def test_external_data(tmp_path):
    model = affine(2)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0, location="weights.bin")
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(ttc.compile(tmp_path / "m.onnx").run(x)["y"], 2 * x + 1)
    bare = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    with pytest.raises(ValueError, match="the tensor 'two' in the file 'weights.bin'"):
        ttc.compile(bare)
    with pytest.raises(ttc.CompileError, match=r"(?s)<model>: .* external data 'weights.bin'.*pass the path of its file"):
        ttc.compile((tmp_path / "m.onnx").read_bytes())


def test_model_that_protobuf_cannot_serialize(digits, expected, tmp_path, monkeypatch):
    """As beyond 2 GiB: the weights travel in a file, and the model stays as it is."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = onnx.load(digits)
    before = model.SerializeToString()

    class Large:
        """A ModelProto with a SerializeToString() that fails."""

        graph = model.graph

        def SerializeToString(self):
            raise ValueError("exceeds 2 GiB")

    monkeypatch.setattr(onnx.ModelProto, "CopyFrom", lambda copy, _: copy.MergeFrom(model), raising=False)
    np.testing.assert_array_equal(ttc.compile(Large()).run(image=IMAGE)["logits"], expected)
    assert model.SerializeToString() == before and not list(tmp_path.iterdir())


def test_crash_of_the_compiler(digits, tmp_path, monkeypatch):
    tool = tmp_path / "ttc-translate"
    tool.write_text("#!/bin/sh\necho last words >&2\nkill -SEGV $$\n")
    tool.chmod(0o755)
    monkeypatch.setenv("TTC_BIN", str(tmp_path))
    with pytest.raises(ttc.CompileError, match="(?s)ended by signal SIGSEGV.*last words"):
        ttc.compile(digits)


def test_killed_compiler_leaves_nothing(digits, tmp_path, monkeypatch):
    """What it has in TMPDIR at that moment is not in the way of anybody."""
    tool, temporary = tmp_path / "bin/ttc-translate", tmp_path / "tmp"
    tool.parent.mkdir()
    temporary.mkdir()
    tool.write_text("#!/bin/sh\nmkdir $TMPDIR/ttc-link; echo 1 >$TMPDIR/ttc-link/0.o\nkill -KILL $$\n")
    tool.chmod(0o755)
    monkeypatch.setenv("TTC_BIN", str(tool.parent))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    for arguments in ({}, {"output": tmp_path / "x.ttcb"}):
        with pytest.raises(ttc.CompileError, match="ended by signal SIGKILL"):
            ttc.compile(digits, **arguments)
        assert not list(temporary.iterdir()) and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("folder", ["/no/such/folder", "/proc"])
def test_without_a_usable_tmpdir(python, digits, folder):
    """As for all of Python: another folder is taken."""
    python("-c", f"import ttc; ttc.compile({str(digits)!r})", env={"TMPDIR": folder})


def test_missing_compiler(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("TTC_BIN", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="the tool 'ttc-translate' is not in /.*TTC_BIN"):
        ttc.compile(digits)


def test_relative_folder_of_the_tools(digits, expected, monkeypatch):
    folder = pathlib.Path(os.environ["TTC_BIN"]).resolve()
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("TTC_BIN", folder.name)
    assert ttc.tool_path("ttc-translate") == folder / "ttc-translate"
    np.testing.assert_array_equal(ttc.compile(digits).run(image=IMAGE)["logits"], expected)
    for name in ("", "no-such-tool", "."):
        with pytest.raises(FileNotFoundError, match="is not in /"):
            ttc.tool_path(name)


def test_warnings_of_the_compiler(digits, tmp_path, monkeypatch):
    real = ttc.tool_path("ttc-translate")
    tool = tmp_path / "ttc-translate"
    tool.write_text(f'#!/bin/sh\necho "warning: of a model" >&2\nexec {real} "$@"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("TTC_BIN", str(tmp_path))
    with pytest.warns(ttc.CompileWarning, match="warning: of a model") as caught:
        ttc.compile(digits)
    assert caught[0].filename == __file__


def test_interrupt_ends_the_compiler(tmp_path, python):
    """Ctrl-C in a script that compiles: KeyboardInterrupt, and no process of it lives on."""
    mark = tmp_path / "pid"
    tool = tmp_path / "ttc-translate"
    tool.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! $$ > {mark}.new\nmv {mark}.new {mark}\nwait\n")
    tool.chmod(0o755)
    # Tests in the background of a shell ignore SIGINT, which their children inherit.
    script = ("import signal, ttc\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
              "try:\n    ttc.compile(b'x')\nexcept KeyboardInterrupt:\n    print('interrupted')")
    process = subprocess.Popen([sys.executable, "-c", script], text=True, stdout=subprocess.PIPE,
                               env={**os.environ, "TTC_BIN": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)})
    while not mark.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "interrupted\n"
    for pid in map(int, mark.read_text().split()):
        state = pathlib.Path(f"/proc/{pid}/stat")
        while state.exists() and re.search(r"\) ([A-Z])", state.read_text())[1] != "Z":
            time.sleep(0.01)  # pytest's own limit ends a test that hangs


def test_compiles_in_threads(digits, expected):
    results = []

    def work():
        results.append(ttc.compile(digits.read_bytes()).run(image=IMAGE)["logits"])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3 and all(np.array_equal(result, expected) for result in results)


def test_version():
    project = re.search(r"project\(ttc VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert ttc.__version__ == ttrt.__version__ == project


def test_another_ttrt_is_refused(python):
    script = "import ttrt; ttrt.__version__ = '9.9'; import ttc"
    done = python("-c", script, check=False)
    assert done.returncode == 1 and re.search(r"ttc \S+ needs ttrt \S+, found ttrt 9\.9 .*pip uninstall ttc ttrt'", done.stderr)


def test_imports_nothing_large(python):
    done = python("-c", "import sys, ttc; print({'numpy', 'onnx', 'torch', 'asyncio'} & set(sys.modules))")
    assert done.stdout == "set()\n"


def test_backend_without_onnx(python):
    done = python("-c", "import sys; sys.modules['onnx'] = None; import ttc.onnx_backend", check=False)
    assert "ImportError: ttc.onnx_backend needs the package onnx, which is not installed: pip install onnx" in done.stderr


def test_backend_takes_models_only(digits):
    import ttc.onnx_backend

    with pytest.raises(TypeError, match="expected onnx.ModelProto, found str; onnx.load"):
        ttc.onnx_backend.prepare(str(digits))
