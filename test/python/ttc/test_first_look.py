# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m ttc, the installed commands, ttrun bench."""
import json
import os
import shlex
import sys

import pytest


def test_first_look(python, digits):
    done = python("-m", "ttc", digits)
    for text in ("digits.onnx: compiled in", "input   image: f32[1, 1, 8, 8]", "output  logits: f32[1, 10], from",
                 "time    median"):
        assert text in done.stdout


def test_first_look_with_options(python, digits):
    done = python("-m", "ttc", digits, digits, "--entry=left,right", "--target-cpu=x86-64-v3")
    assert "\nleft\n" in done.stdout and "\nright\n" in done.stdout


def test_first_look_at_several_models(python, digits, tmp_path):
    """Entry points have the names of the files; what to do next can be pasted into a shell."""
    other = tmp_path / "it's another.onnx"
    other.write_bytes(digits.read_bytes())
    done = python("-m", "ttc", digits, other)
    assert "\ndigits\n" in done.stdout and "\nit's another\n" in done.stdout
    (command,) = [line for line in done.stdout.splitlines() if line.startswith("next: python -m ttc compile ")]
    arguments = shlex.split(command.removeprefix("next: python ").replace("FILE", str(tmp_path / "both")))
    python(*arguments)
    assert (tmp_path / "both.ttcb").exists()
    assert "\ndigits_1\n" in python("-m", "ttc", digits, digits).stdout


@pytest.mark.parametrize("arguments, message", [
    (["-o", "x.ttcb"], "found '-o'; 'python -m ttc compile' makes a file"),
    (["--slots"], "--slots option: requires a value"),
    (["--entry=a,b"], "error: entries: expected the name of one entry point"),
    (["no.onnx"], "error: no such model: 'no.onnx'"),
])
def test_wrong_first_look(python, digits, arguments, message):
    done = python("-m", "ttc", digits, *arguments, check=False)
    assert done.returncode in (1, 2) and message in done.stderr and "Traceback" not in done.stderr


def test_first_look_at_a_model_that_random_inputs_do_not_fit(python, tmp_path):
    onnx = pytest.importorskip("onnx")
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[6] x, int64[2] s) => (float[2,3] y) { y = Reshape(x, s) }')
    onnx.save(model, tmp_path / "m.onnx")
    done = python("-m", "ttc", tmp_path / "m.onnx", check=False)
    assert done.returncode == 1 and "on random inputs" in done.stderr and "than the declared [2, 3]" in done.stderr
    assert "output  y" in python("-m", "ttc", tmp_path / "m.onnx", "--input-value=s=[2,3]").stdout


def test_benchmark_that_the_first_look_proposes(python, tmp_path):
    """With the options that the model needs."""
    onnx = pytest.importorskip("onnx")
    open_ = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", 4]) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g", open_[:1], open_[1:])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8),
              tmp_path / "open.onnx")
    done = python("-m", "ttc", tmp_path / "open.onnx", "--input-shape=x:3x4")
    (command,) = [line for line in done.stdout.splitlines() if line.startswith("next: ")]
    arguments = shlex.split(command.removeprefix("next: python ").removesuffix(" --against=onnxruntime"))
    assert "ttc          median" in python(*arguments, "--seconds=0.1").stdout


def test_help_of_the_first_look(python, digits):
    assert "--name=value" in python("-m", "ttc", digits, "--help").stdout


def test_first_look_at_a_bad_model(python, tmp_path):
    (tmp_path / "bad.onnx").write_text("nonsense")
    done = python("-m", "ttc", tmp_path / "bad.onnx", check=False)
    assert done.returncode == 1 and "not an ONNX model" in done.stderr and "Traceback" not in done.stderr


def test_commands_are_those_of_the_tool(python, digits, tmp_path):
    python("-m", "ttc", "compile", digits, "-o", tmp_path / "d.ttcb")
    assert python("-m", "ttc", "check", tmp_path / "d.ttcb").stdout.startswith(f"{tmp_path}/d.ttcb: ok")
    assert python("-m", "ttc", "--version").stdout.startswith("ttc ")
    assert python("-m", "ttc", "nonsense", check=False).returncode == 2


@pytest.mark.parametrize("function", ["ttc", "ttc_opt", "ttc_translate", "ttrun"])
def test_installed_commands(python, function):
    script = f"import sys; sys.argv[1:] = ['--version']; import ttc._tools; ttc._tools.{function}()"
    assert python("-c", script).stdout.strip()


def test_commands_that_the_wheel_declares(root):
    import tomllib

    import ttc._tools

    for command, target in tomllib.loads((root / "pyproject.toml").read_text())["project"]["scripts"].items():
        module, function = target.split(":")
        assert module == "ttc._tools" and callable(getattr(ttc._tools, function)), command


def test_bench_of_a_model(tools, digits):
    got = json.loads(tools.run("ttrun", "bench", digits, "--seconds=0.1", "--cores=1", "--json").stdout)
    assert got["cores"] == 1 and got["loops"] >= 10 and got["compile_seconds"] > 0
    assert 0 < got["ttc_ms"]["p10"] <= got["ttc_ms"]["median"] <= got["ttc_ms"]["p90"]
    assert "against" not in got


def test_bench_against_onnxruntime(python, digits):
    pytest.importorskip("onnxruntime")
    done = python("-m", "ttc", "bench", digits, "--against=onnxruntime", "--seconds=0.1", "--json")
    got = json.loads(done.stdout)
    import onnxruntime

    assert got["against"] == "onnxruntime" and got["version"] == onnxruntime.__version__
    assert got["ratio"]["median"] > 0 and got["against_ms"]["median"] > 0
    assert got["largest_difference"] <= 1e-4 * got["largest_value"]


def test_bench_of_a_bundle(tools, digits, tmp_path):
    pytest.importorskip("onnxruntime")
    tools.run("ttc", digits, "-o", tmp_path / "d.ttcb")
    done = tools.run("ttrun", "bench", tmp_path / "d.ttcb", "--against=onnxruntime", f"--model={digits}",
                     f"--python={sys.executable}", "--seconds=0.1")
    assert "ratio " in done.stdout and "outputs      differ by at most" in done.stdout


@pytest.mark.parametrize("arguments, message", [
    ([], "expected one model or bundle, found 0"),
    (["no.onnx"], "no.onnx was not compiled; --compile=OPTION passes"),
    (["DIGITS", "--against=tflite"], "expected onnxruntime|openvino"),
    (["DIGITS", "--against=onnxruntime", "--python=/no/python"], "cannot start '/no/python'"),
    (["DIGITS", "--model=x.onnx"], "--model: expected a bundle, found the model"),
    (["x.ttcb", "--against=onnxruntime"], "name its model with --model"),
    (["x.ttcb", "--compile=--winograd=false"], "--compile: expected a model, found the bundle"),
])
def test_wrong_bench(tools, digits, arguments, message):
    arguments = [str(digits) if argument == "DIGITS" else argument for argument in arguments]
    done = tools.run("ttrun", "bench", *arguments, check=False)
    assert done.returncode == 2 and message in done.stderr


def test_bench_without_the_engine(tools, digits, tmp_path):
    """A Python that has no packages at all."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S -I "$@"\n')
    python.chmod(0o755)
    done = tools.run("ttrun", "bench", digits, "--against=onnxruntime", f"--python={python}", check=False,
                     env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 2
    assert " has no numpy" in done.stderr and "onnxruntime ended without an answer" in done.stderr
