# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step times of meshes: predicted by `ttrun read --mesh-time`, and measured.

    mesh-time.py --build BUILD                 both tables below
    mesh-time.py --build BUILD --only validate compares predictions with 1, 2, 4 and 8 processes of this
                                               machine, whose links are slowed (TTRT_EMULATE_LINKS); the exit
                                               status is 1 if one is off by more than --tolerance
    mesh-time.py --build BUILD --only predict  predicts 8, 64 and 1024 devices of a cluster

Computing is measured on one device alone (`ttrun perf --alone`). Four and more processes share this machine's cores,
so their links are slow enough to make up most of a step; two have a core each, and links of medium speed. Steps follow each other without a pause, as
they do in the prediction.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import machine_facts  # noqa: E402


def perceptron(path, batch, width, hidden, layers):
    """Layers of two products with a residual connection; random weights."""
    random = np.random.default_rng(0)
    nodes, weights, x = [], [], "x"
    for i in range(layers):
        for name, shape in (("a", (width, hidden)), ("b", (hidden, width))):
            array = (random.standard_normal(shape) / shape[0]**0.5).astype(np.float32)
            weights.append(numpy_helper.from_array(array, f"{name}{i}"))
        nodes += [helper.make_node("MatMul", [x, f"a{i}"], [f"up{i}"]),
                  helper.make_node("Relu", [f"up{i}"], [f"hidden{i}"]),
                  helper.make_node("MatMul", [f"hidden{i}", f"b{i}"], [f"down{i}"]),
                  helper.make_node("Add", [f"down{i}", x], [f"x{i}" if i + 1 < layers else "y"])]
        x = f"x{i}"
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, width]) for name in "xy"]
    graph = helper.make_graph(nodes, "perceptron", tensors[:1], tensors[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Tools:
    def __init__(self, build, folder):
        self.bin, self.folder = build / "bin", folder

    def call(self, tool, *arguments, **environment):
        done = subprocess.run([self.bin / tool, *map(str, arguments)], capture_output=True, text=True,
                              env=os.environ | environment)
        if done.returncode:
            sys.exit(f"{tool} {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def compile(self, model, mesh, parallel, algorithm="auto"):
        """`parallel` may name micro-batches after the word: pipeline:4."""
        bundle = self.folder / "model.ttcb"
        options = [f"--mesh={mesh}", f"--parallel={parallel}", f"--algorithm={algorithm}"] if mesh else []
        if parallel.startswith("pipeline:"):
            options[1:2] = ["--parallel=pipeline", f"--micro-batches={parallel.split(':')[1]}"]
        self.call("ttc-translate", "--onnx-to-bundle", model, *options, "-o", bundle)
        return bundle

    def predict(self, bundle, loops, verify="full"):
        """The prediction, with the commands' times measured on one device alone; of stages, on one of each."""
        # Tables that are not verified are not printed; bundles that are too large for the proof have no stages here.
        mesh = json.loads(self.call("ttrun", "read", bundle, "--json"))["mesh"] if verify == "full" else {}
        parts = [stage["devices"][0] for pipeline in mesh.get("pipelines", []) for stage in pipeline["stages"]]
        options = []
        for device in parts or [0]:
            times = self.folder / f"times{device}.json"
            times.write_text(self.call("ttrun", "perf", bundle, f"--alone={device}", "--cores=1", "--ops", "--json",
                                       f"--loops={loops}", f"--verify={verify}"))
            options.append(f"--command-times={times}")
        return json.loads(self.call("ttrun", "read", bundle, "--mesh-time", "--json", *options,
                                    f"--verify={verify}"))["entries"][0]

    def measure(self, bundle, devices, loops):
        """Microseconds from one step to the next, of many: the median. Devices that have a core each stay there:
        otherwise, the system lets two of them share one now and then."""
        bind = ["--bind=cores"] if devices <= len(os.sched_getaffinity(0)) else []
        printed = json.loads(self.call("ttrun", "perf", bundle, f"--processes={devices}", "--cores=1", "--json",
                                       f"--loops={loops}", "--warmup=4", "--schedule=single", *bind, TTRT_EMULATE_LINKS="1"))
        return 1000 * printed["interval_ms"]["median"]


# Links of the first table. With those of 0.1 MB/s and 20 ms, computing is next to nothing, and any number of
# processes can share the cores; with the others, two processes compute for half of a step or more.
SLOW, MEDIUM = "0.1e6:20e6", "400e6:100e3"
SMALL, LARGE = (16, 64, 256, 2), (256, 512, 2048, 4)  # samples, width, hidden features, layers
VALIDATED = [
    # mesh, parallel, algorithm
    (f"x:2:all:{MEDIUM}", "tensor", "auto"),
    (f"x:2:all:{MEDIUM}", "pipeline", "auto"),
    (f"x:2:all:{MEDIUM}", "pipeline:4", "auto"),
    (f"x:4:all:{SLOW}", "pipeline:2", "auto"),
    (f"x:2:all:{SLOW}", "tensor", "auto"),
    (f"x:4:all:{SLOW}", "tensor", "direct"),
    (f"x:4:ring:{SLOW}", "tensor", "ring"),
    (f"x:4:line:{SLOW}", "tensor", "direct"),
    (f"x:4:all:{SLOW}", "tensor", "halving"),
    (f"x:2:all:{SLOW},y:2:all:{SLOW}", "data:x,tensor:y", "auto"),
    (f"x:8:all:{SLOW}", "tensor", "direct"),
    (f"x:8:ring:{SLOW}", "tensor", "ring"),
    (f"x:8:ring:{SLOW}", "tensor", "direct"),
    (f"x:8:all:{SLOW}", "tensor", "halving"),
    (f"x:2:all:{SLOW},y:4:ring:{SLOW}", "data:x,tensor:y", "auto"),
]


def devices_of(mesh):
    return int(np.prod([int(axis.split(":")[1]) for axis in mesh.split(",")]))


def validate(tools, loops, tolerance):
    model = tools.folder / "model.onnx"
    perceptron(model, *SMALL)
    print(f"predicted and measured, {loops} steps; links of 0.1 MB/s and 20 ms (slow), 400 MB/s and 0.1 ms (medium)")
    print(f"{'mesh':42} {'parallel':16} {'algorithm':9} {'predicted':>10} {'measured':>10}  error")
    # One device: its time is what perf measures, however it is run.
    one = tools.compile(model, "", "")
    measured = json.loads(tools.call("ttrun", "perf", one, "--cores=1", "--json", "--ops", "--loops=500"))
    again = json.loads(tools.call("ttrun", "perf", one, "--cores=1", "--json", "--loops=500"))
    us = [1000 * printed["device_ms"]["median"] for printed in (measured, again)]
    print(f"{'one device':42} {'':16} {'':9} {us[0]:7.1f} us {us[1]:7.1f} us  {100 * (us[0] / us[1] - 1):+.1f} %")
    worst = 0
    for mesh, parallel, algorithm in VALIDATED:
        isSlow = SLOW in mesh
        perceptron(model, *(SMALL if isSlow else LARGE))
        bundle = tools.compile(model, mesh, parallel, algorithm)
        # Where computing matters: the best of some turns, because neighbours of a virtual machine slow down single turns.
        turns = range(1 if isSlow else 6)
        predicted = min(tools.predict(bundle, 200 if isSlow else 20)["interval_us"] for _ in turns)
        measured = min(tools.measure(bundle, devices_of(mesh), loops) for _ in turns)
        error = predicted / measured - 1
        worst = max(worst, abs(error))
        print(f"{mesh.replace(SLOW, 'slow').replace(MEDIUM, 'medium'):42} {parallel:16} {algorithm:9} {predicted / 1000:7.2f} ms "
              f"{measured / 1000:7.2f} ms  {100 * error:+.1f} %", flush=True)
    print(f"the largest error: {100 * worst:.1f} %, at most {tolerance:g} % expected")
    return 100 * worst <= tolerance


NEAR, FAR = "50e9:700", "25e9:2000"  # links in a box, and between boxes
PREDICTED = [
    # devices, samples of a batch, mesh, parallel
    (8, 512, f"x:8:ring:{NEAR}", "tensor"),
    (8, 512, f"x:8:all:{FAR}", "data"),
    (64, 512, f"x:8:all:{FAR},y:8:ring:{NEAR}", "data:x,tensor:y"),
    (64, 512, f"x:8:all:{FAR},y:8:ring:{NEAR}", "tensor"),
    (64, 4096, f"x:8:all:{FAR},y:8:ring:{NEAR}", "data:x,tensor:y"),
    (1024, 512, f"x:128:all:{FAR},y:8:ring:{NEAR}", "data:x,tensor:y"),
    (1024, 8192, f"x:128:all:{FAR},y:8:ring:{NEAR}", "data:x,tensor:y"),
    (1024, 65536, f"x:128:all:{FAR},y:8:ring:{NEAR}", "data:x,tensor:y"),
    (1024, 512, f"x:32:ring:{NEAR},y:32:ring:{NEAR}", "tensor"),
]


def predict(tools):
    model = tools.folder / "model.onnx"
    print("predicted: a perceptron of 4 layers, 1024 wide with 4096 hidden features, commands measured on one core")
    print(f"{'devices':>7} {'batch':>6}  {'mesh':28} {'parallel':16} {'step':>10} {'samples/s':>10} {'of ideal':>8} "
          f"{'computes':>8} {'bytes of the busiest link':>25}")
    single = {}

    def step_of_one(batch):
        if batch not in single:
            perceptron(model, batch, 1024, 4096, 4)
            one = tools.compile(model, "", "")
            printed = json.loads(tools.call("ttrun", "perf", one, "--cores=1", "--json", "--loops=3"))
            single[batch] = printed["device_ms"]["median"] * 1000
        return single[batch]

    base = step_of_one(512) / 512  # of a sample
    print(f"{1:7} {512:6}  {'':28} {'':16} {base * 512 / 1000:7.2f} ms {1e6 / base:10.0f} {'100 %':>8} {'100 %':>8}")
    for devices, batch, mesh, parallel in PREDICTED:
        perceptron(model, batch, 1024, 4096, 4)
        bundle = tools.compile(model, mesh, parallel)
        found = tools.predict(bundle, 10, verify="full" if devices <= 256 else "none")
        step = found["interval_us"]
        samples = batch / step * 1e6
        name = mesh.replace(":" + NEAR, "").replace(":" + FAR, "")
        print(f"{devices:7} {batch:6}  {name:28} {parallel:16} {step / 1000:7.2f} ms {samples:10.0f} "
              f"{100 * samples * base / 1e6 / devices:6.1f} % {100 * found['efficiency']:6.1f} % "
              f"{found['links']['busiest_bytes']:13} ({found['links']['busiest_share'] * 100:.0f} % of the time)",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", choices=["validate", "predict"])
    parser.add_argument("--loops", type=int, default=10, help="measured steps of each mesh")
    parser.add_argument("--tolerance", type=float, default=10, help="percent")
    arguments = parser.parse_args()
    print("\n".join(machine_facts(arguments.build)), flush=True)
    isGood = True
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(arguments.build.resolve(), pathlib.Path(folder))
        if arguments.only != "predict":
            isGood = validate(tools, arguments.loops, arguments.tolerance)
        if arguments.only != "validate":
            predict(tools)
    sys.exit(not isGood)


if __name__ == "__main__":
    main()
