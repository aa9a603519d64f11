# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run of a decoder costs (ttrun read), how many tokens a second it makes (ttrun perf), and its states in the memory map."""
import json
import pathlib
import sys

import pytest

pytest.importorskip("numpy", reason="numpy is not installed: no decoder is made")
sys.path.append(str(pathlib.Path(__file__).parent.parent / "conformance"))
import gguf_models

CONTEXT = 128
FIELDS = {"layers": 3, "heads": 4, "kv_heads": 2, "head_size": 32}
SHAPE = gguf_models.Shape(**FIELDS)


@pytest.fixture(scope="module")
def decoder(tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("decoder")
    gguf_models.write(folder / "model.gguf", **FIELDS)
    tools.run("ttc-translate", "--gguf-to-bundle", folder / "model.gguf", f"--context={CONTEXT}", "--prefill=16", "-o", folder / "model.ttcb")
    return folder / "model.ttcb"


@pytest.fixture(scope="module")
def described(tools, decoder):
    return json.loads(tools.ttrun("read", decoder, "--json").stdout)


def run_of(described, name):
    return next(entry["run"] for entry in described["entries"] if entry["name"] == name)


def test_a_token(described):
    """By the shape of the model: weights once, the states that a choice reads, and of each position a key and a value."""
    run = run_of(described, "decode")
    assert run["constants"] == sum(b["size"] for b in described["buffers"] if b["kind"] == "constant")
    # token, position, sampling, history
    assert run["states"] == 4 * (1 + 1 + 64 + CONTEXT)
    per_position = SHAPE.layers * 2 * SHAPE.kv_heads * SHAPE.head_size * 2
    assert run["caches_per_position"] == per_position and run["caches"] == CONTEXT * per_position
    assert run["operations_per_position"] == SHAPE.layers * 4 * SHAPE.heads * SHAPE.head_size
    rows = SHAPE.heads * SHAPE.head_size
    products = SHAPE.layers * SHAPE.width * (rows + 2 * SHAPE.kv_heads * SHAPE.head_size + rows + 3 * SHAPE.hidden) + SHAPE.width * SHAPE.vocabulary
    assert 2 * products <= run["operations"] < 2.2 * products
    assert run["not_counted"] == 1  # the choice of a token


def test_a_prompt(described):
    """Rows of the last layer need keys and values only."""
    run, token = run_of(described, "prefill_16"), run_of(described, "decode")
    assert run["operations_per_position"] == 16 * token["operations_per_position"] * (SHAPE.layers - 1) // SHAPE.layers
    assert run["caches_per_position"] == token["caches_per_position"]
    assert run["constants"] < token["constants"] and run["states"] == 4


def test_text(tools, decoder):
    text = " ".join(tools.ttrun("read", decoder, "--entries").stdout.split())
    run = run_of(json.loads(tools.ttrun("read", decoder, "--json").stdout), "decode")
    assert f"({run['constants']}) of constants, {run['states']} B of states and 768 B of caches for each position in use; computes" in text
    assert f"computes {run['operations']} operations and 1536 for each position in use, 1 dispatch not counted" in text


@pytest.mark.parametrize("options, bytes, sequences", [
    (["--cache=f32"], 4, 1), (["--cache=q8"], 17 / 16, 1), (["--cache=f16", "--sequences=2"], 2, 2)])
def test_caches(tools, decoder, tmp_path, options, bytes, sequences):
    """Scales are part of what is read; a position is that of one sequence."""
    tools.run("ttc-translate", "--gguf-to-bundle", decoder.with_suffix(".gguf"), f"--context={CONTEXT}", "--prefill=16",
              *options, "-o", tmp_path / "model.ttcb")
    described = json.loads(tools.ttrun("read", tmp_path / "model.ttcb", "--json").stdout)
    per_position = SHAPE.layers * 2 * SHAPE.kv_heads * SHAPE.head_size * bytes
    for entry in described["entries"]:
        if entry["name"].startswith("decode"):
            rows = int(entry["name"].partition("_")[2] or 1)
            assert entry["run"]["caches_per_position"] == per_position, entry["name"]
            assert entry["run"]["caches"] == per_position * CONTEXT * sequences
            assert entry["run"]["operations_per_position"] == rows * SHAPE.layers * 4 * SHAPE.heads * SHAPE.head_size


def test_other_states(tools, root, tmp_path):
    """A bundle with states that is no decoder of a GGUF file: what is read counts whole."""
    planned = tools.run("ttc-opt", root / "test/runtime/Inputs/decoder.mlir", "--ttc-trace-pipeline").stdout
    tools.run("ttc-translate", "--ttc-to-bundle", "-o", tmp_path / "state.ttcb", input=planned)
    described = json.loads(tools.ttrun("read", tmp_path / "state.ttcb", "--json").stdout)
    # A cache of 8x4, a position, and a row that is added; the scatter is not counted.
    assert run_of(described, "decode") == {
        "constants": 16, "states": 132, "caches": 0, "caches_per_position": 0,
        "operations": 32 + 4 + 1 + 4 * 15, "operations_per_position": 0, "not_counted": 1}


@pytest.mark.parametrize("options", [[], ["--no-trace"], ["--queues=2"], ["--schedule=single"]])
def test_tokens_per_second(tools, decoder, options):
    found = json.loads(tools.ttrun("perf", decoder, "--entry=decode", "--loops=100", "--warmup=5", "--programs", "--json", *options).stdout)
    assert found["positions"] == [5, 104] and found["tokens_per_second"] > 0
    if "per_second" in found:
        assert found["tokens_per_second"] == pytest.approx(found["per_second"])
    text = tools.ttrun("perf", decoder, "--entry=decode", "--loops=100", "--warmup=5", *options).stdout
    assert "per second, at positions 5 to 104\n" in text


def test_full_context(tools, decoder):
    """Steps after the end of the context make no token, so there is nothing to report."""
    options = ["--entry=decode", "--loops=125", "--warmup=4"]
    assert "tokens       not measured: the context is full at position 128; expected fewer loops" in tools.ttrun("perf", decoder, *options).stdout
    assert "tokens_per_second" not in json.loads(tools.ttrun("perf", decoder, *options, "--json").stdout)
    assert "tokens" not in tools.ttrun("perf", decoder, "--entry=prefill_16", "--loops=2").stdout.split("median us")[0]


def test_memory_map(tools, decoder, described):
    """The page's data hold every state at its address, always alive. test_memory_map.py looks at pages in a browser."""
    page = tools.ttrun("read", decoder, "--memory-map=-").stdout
    data = json.loads(page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0])
    dram, = (memory for memory in data["memories"] if memory["id"] == "dram")
    shown = {block[1]: block for block in dram["blocks"] if block[0] == "state"}
    states = {b["name"]: b for b in described["buffers"] if b["kind"] == "state"}
    assert set(shown) == set(states) == {s["name"] for s in described["states"]}
    for name, block in shown.items():
        assert [states[name]["offset"], states[name]["size"]] == block[2:4]
