# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands in the documentation's `sh` blocks run, those of a block in order and in one folder, with small models in place of
those that they name. NOT_RUN lists the others."""
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from blocks import ROOT, blocks, pages_with
from test_pages import shell  # noqa: F401  (a fixture)

# Commands by how they begin, and why no test of the gate runs them, or what does.
NOT_RUN = {
    "scripts/": "a script that builds, installs or tests everything",
    "build-fuzz/": "a build with a fuzzer",
    "TTC_UPDATE_DOCS=1": "it would rewrite the pages that the tests compare",
    "bin=": "the README's tour: test_pages.py",
    "$bin/": "the README's tour: test_pages.py",
    "TTRT_MONITOR=1": "the README's tour: test_pages.py",
    "python3 -m venv": "it installs packages: scripts/check-wheels.sh",
    "venv/bin/": "packages that the line above installs: scripts/check-wheels.sh",
    "pip install": "it installs packages: scripts/check-wheels.sh",
    "examples/chat/chat.sh": "it downloads a model: test/examples/test_chat.py",
    "python examples/decoder/": "PyTorch: test/python/torch/test_torch_decoders.py",
    "cmake --install": "test/install/test_install.py",
    "cmake -S examples/c": "test/install/test_install.py",
    "/tmp/ttrt-example": "test/install/test_install.py",
    "cmake -S .": "a build of its own",
    "ninja -C build-asan-python": "a build of its own",
    "LD_PRELOAD=": "a build of its own",
    "benchmarks/models.py": "it takes minutes",
    "qemu-aarch64-static": "a build for AArch64: test/arm",
}
# What a test changes in a command: a limit of time, names that stand for those of the user, what waits for a user.
INSTEAD = {
    "--tune=60": "--tune=1",
    "profile/OLD": '"$(ls -d profile/* | sed -n 1p)"',
    "profile/NEW": '"$(ls -d profile/* | sed -n 2p)" || [ $? = 1 ]',  # 1: it is slower
    "--tokens 64": "--tokens 4",
}
MPI = {"mpirun -n 2": "mpirun --allow-run-as-root --oversubscribe -n 2"}

# x f32[64, 16] -> y f32[64, 10], and with a batch of 1 and states as prefill.onnx and decode.onnx.
MODELS = """
import numpy as np, onnx
from onnx import helper, numpy_helper, TensorProto
random = np.random.default_rng(1)
def save(name, nodes, inputs, outputs, **weights):
    value = lambda ports: [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in ports.items()]
    graph = helper.make_graph(nodes, "g", value(inputs), value(outputs), [numpy_helper.from_array(w, n) for n, w in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), name)
node = helper.make_node
number = lambda *shape: random.standard_normal(shape, dtype=np.float32) / 4
save("model.onnx", [node("MatMul", ["x", "a"], ["0"]), node("Relu", ["0"], ["1"]), node("MatMul", ["1", "b"], ["y"])],
     {"x": [64, 16]}, {"y": [64, 10]}, a=number(16, 32), b=number(32, 10))
save("encoder.onnx", [node("MatMul", ["x", "a"], ["0"]), node("Softmax", ["0"], ["y"], axis=1)],
     {"x": ["batch", "sequence", 16]}, {"y": ["batch", "sequence", 32]}, a=number(16, 32))
for name, rows in (("prefill", 8), ("decode", 1)):
    save(name + ".onnx", [node("ReduceMean", ["x"], ["m"], keepdims=0), node("Add", ["past_0", "m"], ["present_0"]), node("Add", ["x", "past_0"], ["y"])],
         {"x": [rows, 4], "past_0": [4]}, {"y": [rows, 4], "present_0": [4]})
np.save("x.npy", number(64, 16))
"""


def commands_of(block):
    """Its lines without comments; those that end with a backslash are continued."""
    text = re.sub(r"\\\n", " ", block.text)
    found = [re.sub(r"\s+#.*$", "", line) for line in text.splitlines()]
    return [line for line in found if line.strip() and not line.startswith("#")]


def why_not(command):
    return next((why for begin, why in NOT_RUN.items() if command.startswith(begin)), None)


@pytest.fixture
def folder(shell, tools, build_dir, tmp_path):  # noqa: F811
    pytest.importorskip("onnx")
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists() or "-fsanitize" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip(f"{writer} is not built, or sanitized")

    def python(*arguments, folder="."):
        subprocess.run([sys.executable, *map(str, arguments)], cwd=tmp_path / folder, check=True)

    def make(name, mesh=False):
        """The files that commands name and do not write."""
        if name.startswith("decoder/"):
            (tmp_path / "decoder").mkdir(exist_ok=True)
            python("-c", MODELS, folder="decoder")
        elif name in ("model.onnx", "encoder.onnx", "prefill.onnx", "decode.onnx", "x.npy"):
            python("-c", MODELS)
        elif name == "SmolLM2-135M-Instruct.Q4_1.gguf":
            python(ROOT / "test/conformance/gguf_models.py", name)
        elif name in ("model.ttcb", "resnet50.ttcb", "digits.ttcb"):
            make("model.onnx")
            tools.compile(tmp_path / "model.onnx", tmp_path / name, *(["--mesh=2", "--parallel=tensor"] if mesh else []))
        elif name == "swish.ttcb":
            tools.compile(ROOT / "examples/host-ops/swish.onnx", tmp_path / name, "--host-ops=com.acme.*")
        elif name in ("smollm2.ttcb", "smollm2-4.ttcb"):
            tools.run(writer, "chat" if name == "smollm2.ttcb" else "sequences", tmp_path / name)
        elif name == "libacme.so":
            (tmp_path / name).symlink_to(build_dir / "test/unit/libacme.so")
        elif name == "./application":
            (tmp_path / name).write_text("#!/bin/sh\nexec ttrun run resnet50.ttcb --random\n")
            (tmp_path / name).chmod(0o755)

    def before(command, page):
        words = shlex.split(command)
        for word in (part for word in words for part in (word, *word.split("="))):
            if not (tmp_path / word).exists() and not word.startswith("/") and word not in written(words):
                make(word, mesh=page == "docs/mesh.md")

    return before


def written(words):
    return [words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-o", ">")]


@pytest.mark.parametrize("page", [page for page in pages_with("sh") if any(not why_not(c) for b in blocks("sh", page) for c in commands_of(b))])
def test_page(page, shell, folder, tools, tmp_path):  # noqa: F811
    for block in blocks("sh", page):
        for left in tmp_path.iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            elif left.name != "examples":
                left.unlink()
        for command in commands_of(block):
            if why_not(command):
                continue
            folder(command, page)
            for old, new in (INSTEAD | MPI).items():
                command = command.replace(old, new)
            if command.startswith("mpirun") and not (tools.path("ttrun").parent.parent / "lib/libttrt-mpi.so.0").exists():
                continue
            try:
                shell(f"({command}) < /dev/null")
            except AssertionError as error:
                raise AssertionError(f"{block.where}: {error}") from None


def test_what_is_not_run():
    """Each entry is for a command; what it names in this repository is there; its syntax is right."""
    all_commands = [(block, command) for block in blocks("sh") for command in commands_of(block)]
    unused = [begin for begin in NOT_RUN if not any(command.startswith(begin) for _, command in all_commands)]
    unused += [old for old in INSTEAD | MPI if not any(old in command for _, command in all_commands)]
    assert not unused, unused
    for block, command in all_commands:
        done = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True)
        assert done.returncode == 0, f"{block.where}: {done.stderr}"
        absent = [path for path in re.findall(r"(?<![\w/.-])(?:scripts|examples|benchmarks|test)/[\w./-]+", command) if not (ROOT / path).exists()]
        assert not absent, f"{block.where}: {absent}"
    for why in NOT_RUN.values():
        assert not [path for path in re.findall(r"(?:test|scripts)/[\w/.-]+\.\w+", why) if not (ROOT / path).exists()], why
