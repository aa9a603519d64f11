# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles for AArch64 in an emulator: all outputs and states have the bits of the same model on x86-64.

TTC_ARM_BUILD names the build of the preset arm64 (default: build-arm64), TTC_ARM_EMULATOR the command that runs its
programs (default: qemu-aarch64-static -L build-arm64-root). Without them, the tests are skipped."""
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT
from gate import NIGHTLY, nightly

sys.path.insert(0, str(ROOT / "test/conformance"))

BUILD = pathlib.Path(os.environ.get("TTC_ARM_BUILD", ROOT / "build-arm64"))
EMULATOR = shlex.split(os.environ.get("TTC_ARM_EMULATOR", f"qemu-aarch64-static -L {ROOT}/build-arm64-root"))
# The CPU that LLVM compiles for, that of the emulator, and the one of x86-64 with the same instructions for products of bytes.
CPUS = [("cortex-a53", "cortex-a53", "x86-64-v3"), ("cortex-a72", "cortex-a72", "x86-64-v3"), ("cortex-a76", "cortex-a76", "x86-64-v3"),
        ("neoverse-n1", "neoverse-n1", "x86-64-v3"), ("neoverse-v2", "max", "x86-64-v3"), ("apple-m1", "max", "x86-64-v3")]


class Arm:
    def run(self, name, *args, cpu="max", check=True):
        done = subprocess.run([*EMULATOR, BUILD / "bin" / name, *map(str, args)], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "QEMU_CPU": cpu})
        assert not check or done.returncode == 0, f"{name}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done


@pytest.fixture(scope="session")
def arm():
    if platform.machine() != "x86_64":
        pytest.skip("the results of x86-64 are compared with")
    if not (BUILD / "bin/ttc-outputs").exists():
        pytest.skip(f"nothing is built for AArch64 in {BUILD} (docs/arm.md)")
    if not shutil.which(EMULATOR[0]):
        pytest.skip(f"there is no {EMULATOR[0]} (docs/arm.md)")
    return Arm()


def outputs(text):
    """{entry, run and output: hash}, all NaNs as one."""
    lines = [line.rsplit(" ", 2) for line in text.splitlines()]
    assert lines
    return {name: same for name, _, same in lines}


def compare(tools, arm, models, folder, *options, cpu=CPUS[1], cores=2):
    """A model, or several in one bundle, on both architectures; the names of outputs and states with other bits."""
    models = models if isinstance(models, list) else [models]
    kind, found = pathlib.Path(models[0]).suffix[1:], []
    name, emulated, other = cpu
    for target in (other, name):
        bundle = folder / f"{target}.ttcb"
        tools.run("ttc-translate", f"--{kind}-to-bundle", *models, f"--target-cpu={target}", "-o", bundle, *options)
        done = tools.run("ttc-outputs", cores, bundle) if target == other else arm.run("ttc-outputs", cores, bundle, cpu=emulated)
        found.append(outputs(done.stdout))
    expected, found = found
    assert found.keys() == expected.keys()
    return [name for name in found if found[name] != expected[name]]


# In the gate, without dot products of bytes, with them, and with SVE; the names between have the same instructions.
@pytest.mark.parametrize("cpu", [CPUS[0], CPUS[2], CPUS[4], *nightly(CPUS[1::2])], ids=lambda cpu: cpu[0])
def test_digits(cpu, tools, arm, tmp_path):
    assert compare(tools, arm, ROOT / "examples/digits/digits.onnx", tmp_path, cpu=cpu) == []


def save(path, nodes, shapes, outputs, **weights):
    """`shapes` and `outputs`: of inputs and outputs, f32 where no type is given."""
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper

    ports = [[helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in of.items()] for of in (shapes, outputs)]
    graph = helper.make_graph([helper.make_node(*node, **attributes) for node, attributes in nodes], "g", *ports,
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.mark.parametrize("length", [10, 100, *nightly([5, 49, 1000])])
def test_sums(length, tools, arm, tmp_path):
    """Sums and products of a dimension, which LLVM could reorder: with few elements, blocks and a rest."""
    ops = {"soft": ("Softmax", {"axis": 1}), "log": ("LogSoftmax", {"axis": 1}), "mean": ("ReduceMean", {"axes": [1]}),
           "square": ("ReduceSumSquare", {"axes": [1]}), "product": ("ReduceProd", {"axes": [1]}), "most": ("ReduceMax", {"axes": [1]})}
    model = save(tmp_path / "sums.onnx", [((op, ["x"], [name]), attributes) for name, (op, attributes) in ops.items()],
                 {"x": [12, length]}, {name: [12, length if "axis" in attributes else 1] for name, (_, attributes) in ops.items()})
    for cpu in (CPUS[1], CPUS[4]):
        assert compare(tools, arm, model, tmp_path, cpu=cpu) == []


@pytest.mark.parametrize("name", ["small_32", *nightly(["minilm_16"])])
def test_encoder(name, tools, arm, tmp_path):
    import encoders

    model = tmp_path / f"{name}.onnx"
    encoders.fill(ROOT / f"test/conformance/encoders/{name}.onnx", model)
    assert compare(tools, arm, model, tmp_path) == []


@pytest.mark.parametrize("batch", range(40 if NIGHTLY else 1))
def test_node_cases(batch, tools, arm, build_dir, tmp_path):
    """ONNX's own tests that pass as written, many in a bundle. Their inputs are not the tests' own."""
    pytest.importorskip("onnx")
    import node_cases
    from bundles import onnx, share

    _, listed, _ = node_cases.listed()
    cases = [case for case in node_cases.collect(build_dir) if case.name not in listed]
    models = []
    for case in share(cases, batch, 40) if NIGHTLY else cases[::60]:
        models.append(tmp_path / f"{case.name}.onnx")
        onnx.save(node_cases.Case(case).compiled(constants=False), models[-1])
    assert compare(tools, arm, models, tmp_path, "--queues=1", f"--entry={','.join(model.stem for model in models)}") == []


LIGHT = ["squeezenet", "shufflenet", "inception_v1", "zfnet512", "densenet121", "resnet50", "inception_v2", "bvlc_alexnet", "vgg19"]


@pytest.mark.parametrize("name", nightly(LIGHT))
def test_light_model(name, tools, arm, shared, tmp_path):
    model = tmp_path / f"{name}.onnx"
    subprocess.run([sys.executable, shared / "tools/realize_light_models.py", shared / f"data/light/light_{name}.onnx", model], check=True)
    assert compare(tools, arm, model, tmp_path) == []


def test_every_way_to_run(tools, arm, tmp_path):
    """Two queues, without the trace, with programs checked, and a mesh of threads and of processes."""
    for model, output, options in (("digits", "logits", ["--slots=2"]), ("mlp", "probabilities", ["--mesh=2x2", "--parallel=data:x,pipeline:y"])):
        bundles = {}
        for cpu in ("x86-64-v3", "cortex-a76"):
            bundles[cpu] = tmp_path / f"{model}.{cpu}.ttcb"
            tools.run("ttc-translate", "--onnx-to-bundle", ROOT / f"examples/{model}/{model}.onnx", f"--target-cpu={cpu}", *options,
                      "-o", bundles[cpu])
        file = tmp_path / "output.npy"
        tools.ttrun("run", bundles["x86-64-v3"], "--random=7", f"--output={output}={file}")
        of_one, of_a_mesh = [["--queues=2", "--loops=20"], ["--no-trace"], ["--flush-denormals"]], [["--devices=4"], ["--processes=4"]]
        for way in of_one if model == "digits" else of_a_mesh:
            arm.run("ttrun", "run", bundles["cortex-a76"], "--random=7", f"--expect={output}={file}", "--rtol=0", "--atol=0", *way)
    arm.run("ttrun", "check", "--execute", tmp_path / "digits.cortex-a76.ttcb")


def test_an_older_cpu_is_refused(tools, arm, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.run("ttc-translate", "--onnx-to-bundle", ROOT / "examples/digits/digits.onnx", "--target-cpu=neoverse-v2", "-o", bundle)
    done = arm.run("ttc-outputs", 1, bundle, cpu="cortex-a72", check=False)
    assert done.returncode == 1 and "needs features that this one (aarch64) lacks: " in done.stdout
    assert {"dotprod", "i8mm", "sve2"} <= set(done.stdout.strip().partition("lacks: ")[2].split(", "))


def test_the_other_architecture_is_refused(tools, arm, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.run("ttc-translate", "--onnx-to-bundle", ROOT / "examples/digits/digits.onnx", "--target-cpu=x86-64-v3", "-o", bundle)
    done = arm.run("ttc-outputs", 1, bundle, check=False)
    assert done.returncode == 1 and "bundle is compiled for x86_64 (x86-64-v3); this machine is aarch64" in done.stdout


@pytest.mark.parametrize("format", ["Q8_0", "IQ4_XS", *nightly(["Q4_K", "MXFP4", "Q6_K"])])
def test_decoder(format, tools, arm, tmp_path):
    pytest.importorskip("numpy")
    import gguf_models

    model = tmp_path / "model.gguf"
    gguf_models.write(model, format=format, layers=1, width=256, hidden=256, head_size=64)
    assert compare(tools, arm, model, tmp_path, "--context=128", "--logits") == []
