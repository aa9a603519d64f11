# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders with experts: what they choose depends neither on the number of rows that are computed together, nor on cores,
schedules, sequences or devices. test_gguf compares each architecture with the reference."""
import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed: decoders are not compared")

import gguf_bundle
import gguf_models
from test_gguf import EXACT, compile_model, decoder, expected_logits, logits_of, random_tokens  # noqa: F401
from test_gguf_mesh import Runs
from test_gguf_sequences import N, Sequences, alone
from gguf_reference import Reference

# All kinds of tensors; gates and what they multiply have one format among the experts, and two in the expert of all tokens.
SHAPE = dict(architecture="qwen2moe", layers=2, experts=6, used_experts=2, value_format="Q8_0")
TOKENS = random_tokens(60, 300)


@pytest.fixture(scope="session", params=["exact", "int8"])
def small(request, tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("experts")
    gguf_models.write(folder / "model.gguf", **SHAPE)
    options = EXACT if request.param == "exact" else ["--logits"]
    return request.param, folder / "model.gguf", *(
        compile_model(tools, folder / "model.gguf", folder / f"{n}.ttcb", "--context=96", "--prefill=1,8,32", f"--sequences={n}", *options)
        for n in (1, N))


def test_same_bits(small, decoder):  # noqa: F811
    """For 1 and 2 cores, traced or not, and near the reference."""
    kind, model, bundle, _ = small
    found = []
    for options in ({}, {"cores": 2}, {"cores": 2, "trace": False}):
        with decoder(bundle, **options) as opened:
            found.append(logits_of(opened, TOKENS[:50], TOKENS[50:]))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    expected = expected_logits(Reference(model), TOKENS[:50], TOKENS[50:])
    error = np.abs(found[0] - expected) / np.abs(expected).max()
    assert error.max() < 1e-4 if kind == "exact" else error.mean() < 0.02


@pytest.mark.parametrize("small", ["exact"], indirect=True)  # rounded activations make more of a last bit
def test_prefill_equals_steps(small, decoder):  # noqa: F811
    _, _, bundle, _ = small
    with decoder(bundle) as opened:
        by = {buckets: logits_of(opened, TOKENS[:50], TOKENS[50:], buckets=buckets) for buckets in ((1,), (8,), (32,))}
    for buckets, found in by.items():
        np.testing.assert_allclose(found, by[1,], rtol=0, atol=1e-5 * np.abs(by[1,]).max(), err_msg=str(buckets))


def test_sequences(small, tools):
    """Each has the bits that it has alone, though others choose the same experts."""
    _, _, bundle, several = small
    prompts = [random_tokens(count, 300, seed) for seed, count in enumerate((40, 1, 17, 9))]
    with gguf_bundle.Decoder(tools, bundle) as one:
        wants = [alone(one, prompt, 8) for prompt in prompts]
    with Sequences(tools, several, cores=2) as opened:
        for sequence, prompt in enumerate(prompts):
            opened.begin_sequence(sequence, prompt)
        for i in range(8):
            rows = [3, 2, 1, 0] if i % 2 else [0, 1, 2, 3]
            tokens, logits = opened.step_rows(rows)
            assert tokens == [wants[sequence][0][i] for sequence in rows]
            for row, sequence in zip(logits, rows):
                np.testing.assert_array_equal(row, wants[sequence][1][i], err_msg=f"{sequence}, token {i}")


def test_mesh(tools, tmp_path):
    """Every device has all experts; heads and other products are divided."""
    runs = Runs(tools, tmp_path, "--activations=f32", "--cache=f32", prefill="16", **SHAPE | {"heads": 4, "kv_heads": 2})
    runs.check_logits(2)


@pytest.mark.parametrize("fields,change,message", [
    ({"expert_hidden": 40, "format": "F16", "value_format": "F16"}, {}, "expected experts of a multiple of 16 rows, found 40"),
    ({}, {"expert_used_count": (gguf_models.U32, 7)}, "expected an integer from 1 to 6 as 'qwen2moe.expert_used_count', found 7"),
    ({}, {"expert_count": (gguf_models.U32, 5)}, "expected the shape [64, 5] of tensor 'blk.0.ffn_gate_inp.weight', found [64, 6]"),
    ({}, {"expert_count": (gguf_models.U32, 0)}, "as 'qwen2moe.expert_count', found 0"),
    ({}, {"expert_weights_norm": (gguf_models.BOOL, True)}, "expected 'qwen2moe.expert_weights_norm' to be false or absent"),
    ({}, {"expert_gating_func": (gguf_models.U32, 4)}, "expected an integer from 1 to 3 as 'qwen2moe.expert_gating_func', found 4"),
    ({}, {"expert_group_count": (gguf_models.U32, 2)}, "expected only keys of a qwen2moe model that ttc reads"),
    ({"architecture": "qwen3", "experts": 6}, {}, "expected 'qwen3.expert_count' to be 0 or absent"),
])
def test_refused(fields, change, message, tools, tmp_path):
    shape = gguf_models.Shape(**SHAPE | fields)
    values = gguf_models.values_of(shape) | {f"{shape.architecture}.{key}": value for key, value in change.items()}
    gguf_models.gguf_file.write(tmp_path / "model.gguf", values, gguf_models.tensors_of(shape))
    found = tools.run("ttc-translate", "--import-gguf", tmp_path / "model.gguf", "-o", tmp_path / "model.mlir", check=False)
    assert found.returncode == 1 and message in found.stderr, found.stderr
