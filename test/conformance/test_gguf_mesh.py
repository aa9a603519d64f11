# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders that are divided by heads among the devices of a mesh: the tokens and logits of one device, over each transport.

Logits are compared where sums that are split can differ in the last bits only: with exact activations and f32 caches. Rounding
(int8 activations, f16 and q8 caches) makes more of such a bit.
"""
import functools
import json
import os
import shutil
import subprocess

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed: decoders are not compared")

import gguf_models
from gate import nightly
from test_gguf import PROMPTS, compile_model, random_tokens, smollm2

EXACT = ["--activations=f32", "--cache=f32"]
# Three heads of keys and values; logits that are divided, and not all of them gathered.
SHAPE = {"heads": 6, "kv_heads": 3, "width": 192, "hidden": 192, "vocabulary": 3168}
TRANSPORTS = ["threads", "processes", "mpi"]


def generate(tools, bundle, prompt, tokens, *options, devices=1, transport="threads"):
    """Tokens, and logits if they are among the options."""
    options = ["--prompt-ids", ",".join(map(str, prompt)), "--tokens", tokens, "--ignore-eos", "--json", *options]
    if transport != "mpi":
        option = {"threads": "devices", "processes": "processes"}[transport]
        return json.loads(tools.ttrun("generate", bundle, *options, *([f"--{option}={devices}"] if devices > 1 else [])).stdout)["tokens"]
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun: install openmpi-bin")
    if not (tools.path("ttrun").parent.parent / "lib" / "libttrt-mpi.so.0").exists():
        pytest.skip("libttrt-mpi is not built: install libopenmpi-dev")
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "--oversubscribe", "-n", devices, tools.path("ttrun"), "generate", bundle, *options]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["tokens"]


class Runs:
    """`model.gguf` for one device and for meshes."""

    def __init__(self, tools, folder, *options, prefill="4,16", **shape):
        self.tools, self.folder, self.options = tools, folder, [f"--prefill={prefill}", *options]
        self.shape = gguf_models.write(folder / "model.gguf", **(SHAPE | shape))

    def bundle(self, devices, *options):
        name = self.folder / f"{devices}{''.join(options)}.ttcb"
        if not name.exists():
            mesh = [f"--mesh={devices}", "--parallel=tensor"] if devices > 1 else []
            compile_model(self.tools, self.folder / "model.gguf", name, "--context=64", *self.options, *options,
                          *mesh)
        return name

    @functools.cache
    def tokens(self, devices, *options, transport="threads", count=24):
        prompt = random_tokens(22, self.shape.vocabulary)
        return generate(self.tools, self.bundle(devices), prompt, count, *options, devices=devices, transport=transport)

    def logits(self, devices, transport="threads"):
        file = self.folder / f"{devices}{transport}.npy"
        prompt = random_tokens(22, self.shape.vocabulary)
        tokens = generate(self.tools, self.bundle(devices, "--logits"), prompt, 12, "--logits", file, devices=devices,
                          transport=transport)
        return tokens, np.load(file)

    def check_logits(self, devices, transports=("threads",)):
        tokens, logits = self.logits(1)
        for transport in transports:
            found, others = self.logits(devices, transport)
            assert found == tokens
            np.testing.assert_allclose(others, logits, rtol=0, atol=1e-5 * np.abs(logits).max())


def mesh_of(tools, bundle):
    return json.loads(tools.ttrun("read", bundle, "--json").stdout)


@pytest.fixture(scope="module")
def three(tools, tmp_path_factory):
    return Runs(tools, tmp_path_factory.mktemp("three"), *EXACT)


@pytest.mark.parametrize("devices", [3, *nightly([2])])
def test_logits(three, devices):
    three.check_logits(devices, TRANSPORTS)


@pytest.mark.parametrize("devices", [3, *nightly([2])])
@pytest.mark.parametrize("options", [
    [], ["--temperature=0.9", "--top-k=20", "--seed=3"], ["--temperature=0.9", "--top-k=64", "--top-p=0.9", "--seed=4"],
    ["--temperature=0.9", "--top-k=65", "--seed=5"], ["--temperature=0.9", "--top-p=0.8", "--seed=6"],
    ["--temperature=1.1", "--seed=7"], ["--repetition-penalty=1.4"],
    ["--temperature=0.9", "--top-k=9", "--repetition-penalty=1.4", "--seed=8"]], ids=lambda options: " ".join(options) or "greedy")
def test_sampling(three, devices, options):
    assert three.tokens(devices, *options) == three.tokens(1, *options)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_best_logits_over_transports(three, transport):
    options = ["--temperature=0.8", "--top-k=30", "--seed=9"]
    assert three.tokens(3, *options, transport=transport) == three.tokens(1, *options)


def test_exchanges(three, tools):
    """One all_reduce per half layer and one of the embedding; the best logits, or all of them."""
    found = mesh_of(tools, three.bundle(3))
    names = [entry["name"] for entry in found["entries"]]
    assert names == ["decode", "decode_best", "prefill_4", "prefill_16"]
    width, layers = three.shape.width, three.shape.layers
    exchanges = {(one["kind"], *one["operand_bytes"]): one["exchanges"] for one in found["collectives"]}
    logits = exchanges["all_gather", 4 * 3168 // 3, 4 * 3168]
    best = exchanges["all_gather", 4 * 64 * 17, 3 * 4 * 64 * 17]
    assert logits == best
    assert exchanges["all_reduce", 4 * width, 4 * width] == (logits + best) * (2 * layers + 1)
    # Prompts: the last layer only fills its caches.
    for tokens in (4, 16):
        bytes_of = 4 * tokens * width
        assert exchanges["all_reduce", bytes_of, bytes_of] == logits * (2 * layers - 1)
    own = {one["own_constants"] for one in found["mesh"]["holds"]}
    whole = mesh_of(tools, three.bundle(1))
    assert len(own) == 1 and len(found["states"]) == len(whole["states"])
    for mine, all_of_it in zip(found["states"], whole["states"]):
        divided = mine["name"].startswith(("keys_", "values_"))
        assert np.prod(mine["shape"]) * (3 if divided else 1) == np.prod(all_of_it["shape"]), mine["name"]


def test_a_number_of_heads_that_the_mesh_does_not_divide(three, tools):
    """Attention is on each device, the rest is divided."""
    found = mesh_of(tools, three.bundle(2))
    exchanges = {(one["kind"], *one["operand_bytes"]): one["exchanges"] for one in found["collectives"]}
    width = three.shape.width
    logits = exchanges["all_gather", 4 * 3168 // 2, 4 * 3168]
    assert exchanges["all_reduce", 4 * width, 4 * width] == 2 * logits * (three.shape.layers + 1)


VARIANTS = {
    "mixed formats": {"width": 512, "hidden": 512, "heads": 4, "kv_heads": 2, "head_size": 128, "format": "Q4_K",
                      "value_format": "Q6_K", "tied": False},
    "biases, an odd vocabulary": {"architecture": "qwen2", "heads": 4, "kv_heads": 2, "width": 128, "hidden": 128,
                                  "vocabulary": 301},
    "f32 weights, a small vocabulary": {"heads": 4, "kv_heads": 2, "width": 128, "hidden": 128, "format": "F32",
                                        "embedding_format": "F32", "vocabulary": 320},
    "norms of heads": {"architecture": "qwen3", "heads": 4, "kv_heads": 2, "width": 128, "hidden": 128},
    "norms of all heads, after layers": {"architecture": "olmo2", "heads": 4, "kv_heads": 2, "width": 128, "hidden": 128},
    "windows, soft caps": {"architecture": "gemma2", "heads": 4, "kv_heads": 2, "width": 128, "hidden": 128},
    "a parallel layer, parts of heads": {"architecture": "phi2", "heads": 4, "kv_heads": 2, "width": 128, "hidden": 128},
    "products of all heads": {"architecture": "phi3", "heads": 4, "kv_heads": 2, "width": 128, "hidden": 128},
    "large and small heads": {"heads": 12, "kv_heads": 4, "width": 384, "hidden": 256},
}
# Each of these alone.
SINGLE_VARIANTS = {
    "biases": {"architecture": "qwen2", "heads": 4, "kv_heads": 2, "width": 128, "hidden": 128},
    "untied": {"heads": 4, "kv_heads": 2, "width": 128, "hidden": 128, "tied": False},
    "f32 weights": {"heads": 4, "kv_heads": 2, "width": 128, "hidden": 128, "format": "F32", "embedding_format": "F32"},
    "one head of keys": {"heads": 4, "kv_heads": 1, "width": 128, "hidden": 128},
    "an odd vocabulary": {"heads": 4, "kv_heads": 2, "width": 128, "hidden": 128, "vocabulary": 301},
    "a small vocabulary": {"heads": 4, "kv_heads": 2, "width": 128, "hidden": 128, "vocabulary": 320},
}

GATE = ["mixed formats", "biases, an odd vocabulary", "norms of all heads, after layers", "windows, soft caps"]


@pytest.mark.parametrize("name", [*GATE, *nightly([name for name in (VARIANTS | SINGLE_VARIANTS) if name not in GATE])])
def test_variants(name, tools, tmp_path):
    runs = Runs(tools, tmp_path, *EXACT, prefill="16", **(VARIANTS | SINGLE_VARIANTS)[name])
    runs.check_logits(2)
    if "vocabulary" in name:  # The tokens are of the best logits, which are exchanged without the others.
        assert runs.tokens(2) == runs.tokens(1)


@pytest.mark.parametrize("option", ["--cache=q8", *nightly(["--cache=f16"])])
def test_caches(option, tools, tmp_path):
    """Rounded caches, of which tokens depend on no bit: greedy tokens of a short text."""
    runs = Runs(tools, tmp_path, "--activations=f32", option, prefill="16")
    assert runs.tokens(3, count=8) == runs.tokens(1, count=8)


def test_prompt_by_steps(three):
    assert three.tokens(3, "--prompt-by-steps") == three.tokens(1)


def test_sequences(tools, tmp_path):
    """Several texts at a time; each is that of a bundle for one device."""
    runs = Runs(tools, tmp_path, *EXACT, prefill="16")
    prompts = [option for seed in range(5) for option in
               ("--prompt-ids", ",".join(map(str, random_tokens(9 + seed, runs.shape.vocabulary, seed))))]

    def answers(devices, *options):
        bundle = runs.bundle(devices, "--sequences=2")
        found = tools.ttrun("generate", bundle, *prompts, "--tokens=12", "--ignore-eos", "--json", *options)
        return [answer["tokens"] for answer in json.loads(found.stdout)["answers"]]

    for sampling in ([], ["--temperature=0.8", "--top-k=10"], ["--temperature=0.8"]):
        alone = answers(1, *sampling)
        assert answers(3, *sampling) == alone and answers(3, *sampling, "--processes=3") == alone


def test_refused(three, tools):
    """What is for one device says so."""
    bundle = three.bundle(3)
    for options, message in [
            (["--prompt-ids=1", "--devices=2"], "--devices=2: expected 3, the devices of the mesh"),
            (["--prompt-ids=1", "--save-state=x"], "each device of a mesh has its own states"),
            (["--chat", "--processes=3"], "expected --prompt, or --devices"),
            (["--prompt-ids=1", "--tokens=500", "--processes=3"], "the context of 64 has room for 64 more")]:
        found = tools.ttrun("generate", bundle, *options, check=False, input="")
        assert found.returncode != 0 and message in found.stderr, found.stderr


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_smollm2(transport, tools, tmp_path_factory):
    """By its three heads of keys and values."""
    model = smollm2()
    folder = tmp_path_factory.getbasetemp() / "smollm2-mesh"
    folder.mkdir(exist_ok=True)
    for devices in (1, 3):
        mesh = ["--mesh=3", "--parallel=tensor"] if devices == 3 else []
        for options in (["--logits"], []):
            bundle = folder / f"{devices}{''.join(options)}.ttcb"
            if not bundle.exists():
                compile_model(tools, model, bundle, "--context=256", "--prefill=16,64", *EXACT, *options, *mesh)
    prompt = PROMPTS[0]
    logits = []
    for devices, how in ((1, "threads"), (3, transport)):
        file = folder / f"{devices}{how}.npy"
        tokens = generate(tools, folder / f"{devices}--logits.ttcb", prompt, 32, "--logits", file, devices=devices, transport=how)
        logits.append(np.load(file))
        assert tokens == generate(tools, folder / f"{devices}.ttcb", prompt, 32, devices=devices, transport=how)
    np.testing.assert_allclose(logits[1], logits[0], rtol=0, atol=1e-5 * np.abs(logits[0]).max())
    assert list(logits[0].argmax(1)) == list(logits[1].argmax(1))
