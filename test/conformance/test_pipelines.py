# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are divided into stages: the loader proves the bundle, and the IR that is read of it is written as the same file."""
import os
import shutil
import subprocess

import pytest

from bundles import np, relative_to_largest
from gate import nightly_rows
from mesh_models import Graph, MODELS, SHAPES, batch_last

DIVISIONS = [("2", "pipeline", 1), ("2", "pipeline", 2), ("2x2", "data:x,pipeline:y", 1),
             ("2x2", "tensor:x,pipeline:y", 1), ("2x2", "pipeline:x,tensor:y", 2), ("4", "pipeline", 1)]


@pytest.fixture(scope="module", params=MODELS)
def model(request, tools, tmp_path_factory):
    """The name, the file, an input, and the output of one device."""
    folder = tmp_path_factory.mktemp("model")
    path = folder / f"{request.param}.onnx"
    MODELS[request.param](path)
    x = np.random.default_rng(4).standard_normal(SHAPES[request.param]).astype(np.float32)
    np.save(folder / "x.npy", x)
    tools.compile(path, folder / "one.ttcb")
    tools.ttrun("run", folder / "one.ttcb", f"--input=x={folder / 'x.npy'}", f"--output=y={folder / 'y.npy'}")
    return request.param, path


@pytest.mark.parametrize("mesh,parallel,batches", [*DIVISIONS[1:4], *nightly_rows([DIVISIONS[0], *DIVISIONS[4:]])])
def test_computes_the_same(tools, model, tmp_path, mesh, parallel, batches):
    name, path = model
    if (name, mesh) == ("mlp", "4"):
        pytest.skip("two programs are not four stages")
    bundle, again = tmp_path / "model.ttcb", tmp_path / "again.ttcb"
    tools.compile(path, bundle, f"--mesh={mesh}", f"--parallel={parallel}",
              f"--micro-batches={batches}")
    tools.ttrun("check", bundle)
    tools.run("ttc-translate", "--bundle-to-ttc", bundle, "-o", tmp_path / "plan.mlir")
    tools.run("ttc-translate", "--ttc-to-bundle", tmp_path / "plan.mlir", "-o", again)
    assert bundle.read_bytes() == again.read_bytes()
    # Stages alone change no bit; parts of a batch may have other kernels, and sums are split.
    same = parallel == "pipeline" and batches == 1
    close = relative_to_largest({"y": np.load(path.parent / "y.npy")}, 1e-5)
    tolerance = ["--rtol=0"] if same else ["--rtol=1e-5", f"--atol={close}"]
    devices = {"2": 2, "4": 4, "2x2": 4}[mesh]
    ways = [[f"--devices={devices}"], [f"--devices={devices}", "--no-trace"], [f"--processes={devices}", "--loops=20"],
            [f"--processes={devices}", "--loops=20", "--schedule=single"],  # inferences follow each other
            [f"--devices={devices}", "--loops=5", "--queues=2"]]
    for way in ways:
        tools.ttrun("run", bundle, f"--input=x={path.parent / 'x.npy'}", f"--expect=y={path.parent / 'y.npy'}",
                    *tolerance, *way)


@pytest.mark.parametrize("mesh,parallel", [("2", "pipeline"), ("2x2", "data:x,pipeline:y")])
def test_batch_of_output_last(tools, tmp_path, mesh, parallel):
    """The parts of the output are those of micro-batches, along whatever dimension."""
    model, one, bundle = (tmp_path / name for name in ("model.onnx", "one.ttcb", "model.ttcb"))
    batch_last(model)
    x, y = tmp_path / "x.npy", tmp_path / "y.npy"
    np.save(x, np.random.default_rng(4).standard_normal((8, 32)).astype(np.float32))
    tools.compile(model, one)
    tools.ttrun("run", one, f"--input=x={x}", f"--output=y={y}")
    tools.compile(model, bundle, f"--mesh={mesh}", f"--parallel={parallel}",
              "--micro-batches=2")
    tools.ttrun("run", bundle, f"--input=x={x}", f"--expect=y={y}", "--rtol=1e-5", "--atol=1e-6")


def takes_input(path):
    """The state becomes the input, which no program computes, and is read in the last stage."""
    graph = Graph(21)
    y = graph.linear(graph.op("Relu", graph.linear("x", 32, 32)), 32, 32)
    graph.op("Add", y, "past")
    graph.name("x", "present")
    graph.save(path, [8, 32], past=[8, 32])
    return ["--state=past=present"]


def shifts(path):
    """A shift register: one state becomes the other one."""
    graph = Graph(22)
    y = graph.op("Add", graph.linear("x", 32, 32), "s1")
    y = graph.op("Add", graph.linear(graph.op("Relu", y), 32, 32), "s2")
    graph.linear(graph.op("Relu", y), 32, 32)
    graph.name("x", "n1")
    graph.name("s1", "n2")
    graph.save(path, [8, 32], s1=[8, 32], s2=[8, 32])
    return ["--state=s1=n1", "--state=s2=n2"]


@pytest.mark.parametrize("make", [takes_input, shifts])
def test_states_without_work(tools, tmp_path, make):
    model, one, two = (tmp_path / name for name in ("model.onnx", "one.ttcb", "two.ttcb"))
    states = make(model)
    np.save(tmp_path / "x.npy", np.random.default_rng(4).standard_normal((8, 32)).astype(np.float32))
    tools.compile(model, one, *states)
    tools.compile(model, two, *states, "--mesh=2", "--parallel=pipeline")
    outputs = []
    for loops in range(1, 5):
        for bundle in (one, two):
            y = tmp_path / f"{bundle.stem}.npy"
            tools.ttrun("run", bundle, f"--input=x={tmp_path / 'x.npy'}", f"--output=y={y}", f"--loops={loops}")
        outputs.append(np.load(tmp_path / "one.npy"))
        assert np.array_equal(outputs[-1], np.load(tmp_path / "two.npy")), f"after {loops} inferences"
    assert not np.array_equal(outputs[0], outputs[-1])


def test_over_mpi(tools, model, tmp_path):
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun: install openmpi-bin")
    if not (tools.path("ttrun").parent.parent / "lib" / "libttrt-mpi.so.0").exists():
        pytest.skip("libttrt-mpi is not built: install libopenmpi-dev")
    _, path = model
    bundle = tmp_path / "model.ttcb"
    tools.compile(path, bundle, "--mesh=2", "--parallel=pipeline")
    command = ["mpirun", "--oversubscribe", "-n", 2, tools.path("ttrun"), "run", bundle, "--rtol=0", "--loops=10",
               f"--input=x={path.parent / 'x.npy'}", f"--expect=y={path.parent / 'y.npy'}"]
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr


def test_parts_and_wholes(tools, model, tmp_path):
    """The whole has a name; the parts' names are not for a mesh."""
    _, path = model
    bundle = tmp_path / "model.ttcb"
    tools.compile(path, bundle, "--mesh=2", "--parallel=pipeline")
    failed = tools.ttrun("run", bundle, "--entry=main_1", "--random", check=False)
    assert failed.returncode != 0 and "no entry point 'main_1'; the bundle has: main" in failed.stderr
