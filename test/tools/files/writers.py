# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands that write files, for the tests of how they do, and the shim that they preload."""
import json
import os
import pathlib
import shutil
import subprocess

# For the shim; clang-22 builds ttc.
COMPILER = shutil.which("cc") or shutil.which("clang-22")
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def _is_json(data):
    try:
        json.loads(data)
        return True
    except ValueError:
        return False


class Writers:
    """Commands by name. command(name, path) writes `path`; is_complete(name, data) is whether these are
    all the bytes that it writes."""

    def __init__(self, build, work):
        self.bin, self.work = pathlib.Path(build) / "bin", pathlib.Path(work)
        self.bundle = self.work / "mlp.ttcb"
        model = ROOT / "examples/mlp/mlp.onnx"
        if not self.bundle.exists():
            subprocess.run([self.bin / "ttc-translate", "--onnx-to-bundle", model, "-o", self.bundle], check=True)
        problem = self.work / "problem.csv"
        problem.write_text("id,lower,upper,size\n" + "".join(f"b{i},{i},{i + 5},64\n" for i in range(2000)))
        mlir = ROOT / "test/tools/ttc/Inputs/tosa.mlir"
        self.commands = {
            "ttc-translate": ["ttc-translate", "--onnx-to-bundle", model, "-o", "{}"],
            "ttc-opt": ["ttc-opt", mlir, "--convert-tosa-to-ttc", "--ttc-trace-pipeline", "-o", "{}"],
            "ttc": ["ttc", "compile", model, "-o", "{}"],
            "ttc-plan": ["ttc-plan", problem, "--nodes=0", "-o", "{}"],
            "ttrun-run": ["ttrun", "run", self.bundle, "--random", "--output={}"],
            "ttrun-map": ["ttrun", "read", self.bundle, "--memory-map={}"],
            "ttrun-csv": ["ttrun", "perf", self.bundle, "--loops=1", "--warmup=1", "--csv={}"],
            "ttrun-timeline": ["ttrun", "perf", self.bundle, "--loops=1", "--warmup=1", "--timeline={}"],
        }
        self.names = list(self.commands)
        self.reference = {}

    def command(self, name, path):
        program, *arguments = self.commands[name]
        return [str(self.bin / program), *(str(a).replace("{}", str(path)) for a in arguments)]

    def is_complete(self, name, data):
        if name == "ttrun-timeline":  # times differ
            return _is_json(data)
        if name == "ttrun-csv":
            lines = self.write_once(name).splitlines()
            found = data.splitlines()
            return len(found) == len(lines) and found[0] == lines[0] and data.endswith(b"\n")
        return data == self.write_once(name)

    def write_once(self, name):
        if name not in self.reference:
            path = self.work / f"reference-{name}"
            subprocess.run(self.command(name, path), check=True, capture_output=True)
            self.reference[name] = path.read_bytes()
        return self.reference[name]

    def shim(self, **settings):
        """The environment of a command under the shim."""
        library = self.work / "shim.so"
        if not library.exists():
            subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", library, HERE / "shim.c"], check=True)
        return {**os.environ, "LD_PRELOAD": str(library), **{f"SHIM_{k}": str(v) for k, v in settings.items()}}
