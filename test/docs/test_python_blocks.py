# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation's Python runs: the blocks of a page in order, with the names of the blocks before."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys

import pytest
from blocks import ROOT, blocks, pages_with

# What runs ahead of a block, by its first line.
BEFORE = {
    "tokenizer = ttrt.Tokenizer(bundle)": 'bundle = ttrt.load("chat.ttcb"); answer = list("é🙂".encode())',
    "compute, transfer = bundle.queues": 'bundle = ttrt.load("digits.ttcb")',
    'model = torch.compile(model.eval(), backend="ttc")': "model, x = torch.nn.Linear(4, 4), torch.ones(1, 4)",
    'bundle = ttc.compile("encoder.onnx", options=["--keep-values"])': """
import numpy as np, onnx, ttc
onnx.save(onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 17]> g (float[4, 4] x) => (float[4, 4] y)'
          '{ attention_probs = Softmax(x) y = Sqrt(attention_probs) }'), "encoder.onnx")
x = np.random.default_rng(1).random((4, 4), np.float32)
""",
    "bundle = ttc.compile(model, (x,))": "import ttc; model = torch.nn.Linear(4, 4)",
    'bundle = ttc.compile({"prefill": step, "decode": step}, {"prefill": inputs(16), "decode": inputs(1)},': """
import sys, torch, ttc
sys.path.insert(0, "examples/decoder")
import export
model = export.small_model("llama", 64)
past = export.cache_of(model, 64)
class Named(export.Step):
    def forward(self, tokens, position, past):
        logits, *present = super().forward(tokens, position, *past.values())
        return {"logits": logits, "present": dict(zip(past, present))}
step = Named(model).eval()
inputs = lambda rows: {"tokens": torch.zeros(1, rows, dtype=torch.int64), "position": torch.tensor([0]), "past": past}
""",
}
# What a page has reached after its last block.
AFTER = {
    "docs/values.md": "assert np.allclose(attention.sum(1), 1) and not trace.first_different",
    "docs/python.md": """
again = ttrt.load("digits.ttcb")
assert (mine == again.run(np.ones((1, 1, 8, 8), np.float32))["logits"]).all() and prompt
for i, x in enumerate(images):
    assert (table[i] == again.run(x)["logits"]).all() and (results[i] == table[i]).all()
assert recorded.closed and profiler.closed
with ttrt.load("swish.ttcb", host_functions={"com.acme.Swish": swish}) as other:
    other.run(np.ones((4, 16), np.float32))
""",
}
PRINTED = {"docs/python.md": ["image f32 (1, 1, 8, 8)\n", "é🙂"]}
# What the blocks of a page import beyond the package and numpy.
NEEDS = {"docs/generation.md": "onnxscript", "docs/python-jax.md": "jax", "docs/python-torch.md": "onnxscript", "docs/stablehlo.md": "jax", "docs/values.md": "onnxruntime"}

RUN = """
import json, sys
names = {"__name__": "page"}
for where, line, text in json.load(sys.stdin):
    exec(compile("\\n" * line + text, where, "exec"), names)
"""


@pytest.fixture(scope="module")
def folder(tools, build_dir, tmp_path_factory):
    if not list((build_dir / "python/ttrt").glob("_ttrt.*.so")):
        pytest.skip(f"{build_dir}/python/ttrt is not built (python3-dev, nanobind)")
    folder, writer = tmp_path_factory.mktemp("page"), build_dir / "test/unit/ttrt-write-sample"
    (folder / "examples").symlink_to(ROOT / "examples")
    shutil.copy(ROOT / "examples/digits/digits.onnx", folder)
    shutil.copy(ROOT / "examples/digits/digits.onnx", folder / "model.onnx")
    tools.compile(folder / "digits.onnx", folder / "digits.ttcb")
    tools.compile(ROOT / "examples/host-ops/swish.onnx", folder / "swish.ttcb", "--host-ops=com.acme.*")
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    tools.run(writer, "chat", folder / "chat.ttcb")
    return folder


@pytest.mark.parametrize("page", pages_with("python"))
def test_page(page, folder, build_dir):
    if page in NEEDS and not importlib.util.find_spec(NEEDS[page]):
        for block in blocks("python", page):
            compile(block.text, block.where, "exec")
        pytest.skip(f"its syntax is right; to run, it needs {NEEDS[page]}")
    parts = []
    for block in blocks("python", page):
        first = [code for line, code in BEFORE.items() if f"\n{line}" in f"\n{block.text}"]
        parts += [*((block.where, 0, code) for code in first), (page, block.line, block.text)]
    parts.append(("after the page", 0, AFTER.get(page, "")))
    paths = [str(build_dir / "python"), str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "TTC_BIN": str(build_dir / "bin"), "TTC_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", RUN], input=json.dumps(parts), cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert not [text for text in PRINTED.get(page, []) if text not in done.stdout], done.stdout


def test_what_runs_before_has_a_block():
    text = "".join(f"\n{block.text}" for block in blocks("python"))
    assert not [line for line in BEFORE if f"\n{line}" not in text]
