#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares models on meshes with the same models on one device: every division, transport and number of queues.

    .venv/bin/python scripts/check-mesh.py [MODEL.onnx ...] [--gguf FILE.gguf] [--build=build] [--only TEXT]
        [--compile=OPTION ...]

Without models: the MLP of the examples. Each model is divided by batch (2 and 4 devices), by weights (2 and 4), into 2
stages, and in three mixed ways on 2x2 devices. The batch of a model has to be a multiple of 4; --batch=4 gives that batch
to models that were exported with 1. --compile=--hide-exchanges compiles with this option, too. Each bundle runs by threads, by processes and over MPI, with one queue, with two, and
with the host dispatching its commands. A decoder (--gguf) is divided by its heads, among --heads devices; its tokens and logits
are compared.

Outputs have to be within 1e-5 of the largest value, and equal where no sum is split and no kernel differs. Inputs are random.
A line for each bundle; exit status 1 if one differs. BERT-base, ResNet-50, MiniLM and SmolLM2 together take about 20 minutes on
two cores and 6 GB of memory; bundles are removed as soon as they have been compared.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmarks"))
from batches import with_batch  # noqa: E402

DIVISIONS = [("2", "data", 1), ("4", "data", 1), ("2", "tensor", 1), ("4", "tensor", 1), ("2", "pipeline", 1),
             ("2", "pipeline", 2), ("2x2", "data:x,tensor:y", 1), ("2x2", "data:x,pipeline:y", 1),
             ("2x2", "tensor:x,pipeline:y", 1)]
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
TOLERANCE = 1e-5


def devices_of(mesh):
    return int(np.prod([int(size) for size in mesh.split("x")]))


class Checker:
    def __init__(self, build, folder, given):
        self.bin, self.folder, self.only, self.options = build / "bin", folder, given.only, given.compile
        self.failures = self.compared = 0

    def call(self, *command, check=True):
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=os.environ | MPI)
        if check and done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
        return done

    def ways(self, devices):
        """Name, and the command's beginning and end."""
        yield "threads", [], [f"--devices={devices}"]
        yield "processes", [], [f"--processes={devices}"]
        yield "mpi", ["mpirun", "--oversubscribe", "-n", devices], []

    def compile(self, *arguments):
        bundle = self.folder / "model.ttcb"
        done = self.call(self.bin / "ttc-translate", *arguments, "-o", bundle, check=False)
        return bundle if done.returncode == 0 else done.stderr.strip().splitlines()[0]

    def report(self, name, results, begin):
        """`results`: by way, the largest difference, relative to the largest value; or a message."""
        wrong = [way for way, found in results.items() if isinstance(found, str) or found > TOLERANCE]
        self.failures += bool(wrong)
        self.compared += 1
        for way in wrong:
            print(f"  {way}: {results[way]}")
        numbers = [found for found in results.values() if not isinstance(found, str)]
        worst = max(numbers) if numbers else float("nan")
        print(f"{'DIFFERS' if wrong else 'equal' if worst == 0 else 'close':8}{name:62}{worst:9.1e}  {len(results)} runs, "
              f"{time.monotonic() - begin:.0f} s", flush=True)


def write_inputs(bundle, checker):
    """Random inputs of every kind: a file each. Integers are below the sizes of usual tables."""
    random, files = np.random.default_rng(11), []
    entry = json.loads(checker.call(checker.bin / "ttrun", "read", bundle, "--json").stdout)["entries"][0]
    for value in entry["inputs"]:
        shape, dtype = value["shape"], value["dtype"]
        if dtype.startswith("f"):
            array = random.standard_normal(shape).astype({"f32": np.float32, "f64": np.float64, "f16": np.float16}[dtype])
        else:
            array = random.integers(0, 2 if "mask" in value["name"] else 1000, shape)
            array = array.astype({"i64": np.int64, "i32": np.int32, "i8": np.int8, "u8": np.uint8}[dtype])
            if "mask" in value["name"]:
                array[..., 0] = 1  # a row without a valid position has no defined result
        file = checker.folder / f"in{len(files)}.npy"
        np.save(file, array)
        files.append(f"--input={value['name']}={file}")
    return files, [value["name"] for value in entry["outputs"]]


def check_model(checker, path):
    one = checker.compile("--onnx-to-bundle", path)
    if isinstance(one, str):
        sys.exit(one)
    inputs, outputs = write_inputs(one, checker)

    def outputs_of(bundle, before, options):
        files = [checker.folder / f"out{i}.npy" for i in range(len(outputs))]
        done = checker.call(*before, checker.bin / "ttrun", "run", bundle, *inputs, *options,
                            *[f"--output={name}={file}" for name, file in zip(outputs, files)], check=False)
        return [np.load(file) for file in files] if done.returncode == 0 else done.stderr.strip()

    wanted = outputs_of(one, [], [])
    for mesh, parallel, batches in DIVISIONS:
        name = f"{path.stem} {mesh} {parallel}" + (f" in {batches} micro-batches" if batches > 1 else "")
        if checker.only not in name:
            continue
        begin = time.monotonic()
        bundle = checker.compile("--onnx-to-bundle", path, f"--mesh={mesh}", f"--parallel={parallel}",
                                 f"--micro-batches={batches}", *checker.options)
        if isinstance(bundle, str):
            checker.report(name, {"compiling": bundle}, begin)
            continue
        results = {}
        for transport, before, after in checker.ways(devices_of(mesh)):
            for queues in ([], ["--queues=2", "--loops=3"], ["--no-trace"]):
                found = outputs_of(bundle, before, [*after, *queues])
                results[" ".join([transport, *queues])] = found if isinstance(found, str) else max(
                    float(np.abs(a.astype(np.float64) - b).max() / max(np.abs(b).max(), 1e-30))
                    for a, b in zip(found, wanted))
        checker.report(name, results, begin)


def check_decoder(checker, path, heads):
    prompt, exact = ["--prompt", "The capital of France is", "--tokens", "32", "--json"], ["--activations=f32", "--cache=f32"]

    def texts_of(bundle, before, options, logits):
        file = checker.folder / "logits.npy"
        with_logits = ["--logits", file] if logits else []
        done = checker.call(*before, checker.bin / "ttrun", "generate", bundle, *prompt, *options, *with_logits, check=False)
        if done.returncode:
            return done.stderr.strip(), None
        return json.loads(done.stdout)["tokens"], np.load(file) if logits else None

    for logits in (False, True):
        options = ["--gguf-to-bundle", path, "--context=256", *exact, *(["--logits"] if logits else [])]
        begin, one = time.monotonic(), checker.compile(*options)
        wanted, values = texts_of(one, [], [], logits)
        bundle = checker.compile(*options, f"--mesh={heads}", "--parallel=tensor", *checker.options)
        results = {}
        for transport, before, after in checker.ways(heads):
            for queues in ([], ["--schedule=single"], ["--no-trace"]):
                tokens, found = texts_of(bundle, before, [*after, *queues], logits)
                results[" ".join([transport, *queues])] = (
                    f"other tokens: {tokens}; expected {wanted}" if tokens != wanted
                    else float(np.abs(found - values).max() / np.abs(values).max()) if logits else 0.0)
        checker.report(f"{path.stem} {heads} tensor, {'logits' if logits else 'tokens'}", results, begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--gguf", type=pathlib.Path)
    parser.add_argument("--heads", type=int, default=3)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--compile", action="append", default=[], metavar="OPTION", help="for the compiler")
    parser.add_argument("--only", default="", help="divisions whose line contains this text")
    given = parser.parse_args()
    if not shutil.which("mpirun"):
        sys.exit("check-mesh.py: no mpirun: install openmpi-bin")
    models = given.models or ([] if given.gguf else [pathlib.Path("examples/mlp/mlp.onnx")])
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(given.build, pathlib.Path(folder), given)
        for model in models:
            check_model(checker, with_batch(model, given.batch, checker.folder) if given.batch else model)
        if given.gguf:
            check_decoder(checker, given.gguf, given.heads)
    print(f"{checker.compared - checker.failures} passed, {checker.failures} failed")
    return 1 if checker.failures or not checker.compared else 0


if __name__ == "__main__":
    sys.exit(main())
