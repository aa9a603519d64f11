# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders for several sequences (--sequences=N): each has the tokens, and with quantised weights the bits of the logits, that it
has in a bundle for one, whichever others step with it."""
import functools
import json

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed: decoders are not compared")

import gguf_bundle
import gguf_models
from gate import nightly, nightly_rows, pairs
from test_gguf import compile_model, random_tokens, shape_of, smollm2

N = 4
DONE = 10  # a word of ttrt_sampling


class Sequences(gguf_bundle.Decoder):
    """Several sequences. `rows` of a step are sequences; the smallest entry point that holds them is run."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.context = self.states["history"][1].shape[1]
        self.sizes = sorted(int(name[7:]) for name in self.bundle.entries if name.startswith("decode_"))

    def put(self, name, sequence, value):
        array = self.read(name)
        array[sequence] = value
        self.write(name, array)

    def begin_sequence(self, sequence, prompt, stops=(), temperature=0.0, seed=0):
        sampling = np.zeros(gguf_bundle.SAMPLING_WORDS, np.int32)
        sampling[0] = 4 * gguf_bundle.SAMPLING_WORDS
        sampling[1] = np.float32(temperature).view(np.int32)
        sampling[6] = seed
        sampling[11] = len(stops)
        sampling[12 : 12 + len(stops)] = stops
        history = np.zeros(self.context, np.int32)
        history[: len(prompt)] = prompt
        for name, value in (("sampling", sampling), ("history", history), ("position", 0), ("token", prompt[-1])):
            self.put(name, sequence, value)
        left, done = list(prompt[:-1]), 0
        while left:
            fitting = [size for size in self.buckets if size <= len(left)]
            size = fitting[0] if fitting else self.buckets[-1]
            part, left = left[:size], left[size:]
            done += len(part)
            found = self.run(f"prefill_{size}", part + [0] * (size - len(part)), [len(part)], [sequence])
            assert list(found["position"]) == [done]

    def step_rows(self, rows):
        size = next(size for size in self.sizes if size >= len(rows))
        self.write("active", [*rows, *[-1] * (N - len(rows))])
        found = self.run(f"decode_{size}")
        assert len(found["token"]) == size and all(token == -1 for token in found["token"][len(rows) :])
        return [int(token) for token in found["token"][: len(rows)]], found["logits"][: len(rows)]


@pytest.fixture(scope="session")
def opened(tools):
    return lambda kind, *arguments, **options: kind(tools, *arguments, **options)


PROMPTS = [random_tokens(count, 300, seed) for seed, count in enumerate((40, 1, 17, 9, 3, 26))]


def alone(one, prompt, count):
    """Tokens and logits of a prompt, in a bundle for one sequence."""
    one.begin(prompt)
    tokens, logits = zip(*(one.step() for _ in range(count)))
    return list(tokens), np.concatenate(logits)


@pytest.fixture(scope="session", params=["exact", "q8 cache", *nightly(["int8"])])
def small(request, tools, tmp_path_factory):
    """The same model for one sequence, and for four."""
    folder = tmp_path_factory.mktemp("sequences")
    gguf_models.write(folder / "model.gguf", layers=2, tied=False)
    options = {"exact": ["--activations=f32", "--cache=f32"], "int8": [], "q8 cache": ["--cache=q8"]}[request.param]
    return [compile_model(tools, folder / "model.gguf", folder / f"{n}.ttcb", "--context=96", "--prefill=8,32", "--logits",
                          f"--sequences={n}", *options) for n in (1, N)]


def test_all_numbers_of_rows(small, opened):
    """One to four rows, in any order."""
    bundle, several = small
    with opened(gguf_bundle.Decoder, bundle) as one:
        wants = [alone(one, prompt, 12) for prompt in PROMPTS[:N]]
    for rows in ([2], [3, 1], [1, 0, 2], [3, 2, 1, 0]):
        with opened(Sequences, several, cores=2) as decoder:
            assert decoder.sizes == [1, 2, 4]
            for sequence in rows:
                decoder.begin_sequence(sequence, PROMPTS[sequence])
            for i in range(12):
                tokens, logits = decoder.step_rows(rows)
                assert tokens == [wants[sequence][0][i] for sequence in rows]
                for row, sequence in zip(logits, rows):
                    np.testing.assert_array_equal(row, wants[sequence][1][i], err_msg=f"{rows}, {sequence}, token {i}")


@pytest.mark.parametrize("format,activations", [
    *pairs(["F16", "F32", "Q4_1"], ["int8", "f32"]),
    *nightly_rows((format, kind) for format in ("Q4_K", "Q5_0", "Q8_0", "Q6_K") for kind in ("int8", "f32"))])
def test_formats(tools, opened, tmp_path, format, activations):
    """Products of one row and of several have the same bits, except by weights in F16 and BF16."""
    close = np.testing.assert_array_equal if format != "F16" else functools.partial(np.testing.assert_allclose, rtol=0, atol=1e-3)
    gguf_models.write(tmp_path / "model.gguf", format=format, layers=1, **shape_of(format),
                      embedding_format=format if format[-1] != "K" else "Q8_0")
    bundles = [compile_model(tools, tmp_path / "model.gguf", tmp_path / f"{n}.ttcb", "--context=64", "--prefill=16", "--logits",
                             f"--sequences={n}", f"--activations={activations}") for n in (1, N)]
    with opened(gguf_bundle.Decoder, bundles[0]) as one, opened(Sequences, bundles[1]) as several:
        wants = [alone(one, prompt, 6) for prompt in PROMPTS[:N]]
        for count in (2, 3, 4):
            for sequence in range(count):
                several.begin_sequence(sequence, PROMPTS[sequence])
            for i in range(6):
                tokens, logits = several.step_rows(list(range(count)))
                for sequence in range(count):
                    close(logits[sequence], wants[sequence][1][i], err_msg=f"{count} rows")


def test_sequences_come_and_go(small, opened):
    """Sequences begin and end while others continue; where one ended, another begins."""
    bundle, several = small
    lengths = [3, 20, 9, 14, 7, 11]
    with opened(gguf_bundle.Decoder, bundle) as one:
        wants = [alone(one, prompt, count) for prompt, count in zip(PROMPTS, lengths)]
    waiting, places, got = list(range(len(PROMPTS))), {}, [[] for _ in PROMPTS]
    with opened(Sequences, several) as decoder:
        while waiting or places:
            if waiting and len(places) < N:  # one before each step
                place = next(place for place in range(N) if place not in places)
                places[place] = waiting.pop(0)
                decoder.begin_sequence(place, PROMPTS[places[place]])
            rows = sorted(places)
            tokens, logits = decoder.step_rows(rows)
            for place, token, row in zip(rows, tokens, logits):
                text = places[place]
                np.testing.assert_array_equal(row, wants[text][1][len(got[text])])
                got[text].append(token)
                if len(got[text]) == lengths[text]:
                    del places[place]
    assert got == [want[0] for want in wants]


def test_same_bits(small, opened):
    """For 1 and 2 cores, traced or not."""
    found = []
    for options in ({}, {"cores": 2}, {"trace": False}, {"cores": 2, "trace": False}):
        with opened(Sequences, small[1], **options) as decoder:
            for sequence in range(3):
                decoder.begin_sequence(sequence, PROMPTS[sequence], temperature=0.9, seed=sequence)
            found.append([decoder.step_rows([0, 2, 1]) for _ in range(8)])
    for other in found[1:]:
        for (tokens, logits), (wanted, bits) in zip(other, found[0]):
            assert tokens == wanted
            np.testing.assert_array_equal(logits, bits)


def test_rows_without_a_sequence(small, opened):
    """Rows that are absent, out of range or repeated give -1 and change nothing; nor does a sequence that is done."""
    with opened(Sequences, small[1]) as decoder:
        for sequence in range(N):
            decoder.begin_sequence(sequence, PROMPTS[sequence])
        decoder.put("sampling", 3, np.where(np.arange(64) == DONE, 1, decoder.read("sampling")[3]))
        before = {name: decoder.read(name) for name in decoder.states}
        for rows in ([-1, -1], [7, -9], [-1, 4, 2**31 - 1, -(2**31)], [3, -1], [3]):
            assert decoder.step_rows(rows)[0] == [-1] * len(rows)
        after = {name: decoder.read(name) for name in decoder.states}
        for name in before:
            if name != "active":
                np.testing.assert_array_equal(after[name], before[name], err_msg=name)
        tokens, _ = decoder.step_rows([0, 3, 0, 9])
        for name in before:
            if name.startswith(("keys", "values")):
                np.testing.assert_array_equal(decoder.read(name)[1:], before[name][1:], err_msg=name)
        assert tokens[0] >= 0 and tokens[1:] == [-1, -1, -1]
        assert list(decoder.read("position") - before["position"]) == [1, 0, 0, 0]


def test_each_ends_by_itself(small, opened):
    with opened(Sequences, small[1]) as decoder:
        decoder.begin_sequence(0, PROMPTS[2])
        decoder.begin_sequence(1, PROMPTS[3])
        free = [decoder.step_rows([0, 1])[0] for _ in range(10)]
        stop = free[4][0]
        first = next(i for i, tokens in enumerate(free) if tokens[0] == stop)
        decoder.begin_sequence(0, PROMPTS[2], stops=[stop])
        decoder.begin_sequence(1, PROMPTS[3])
        again = [decoder.step_rows([0, 1])[0] for _ in range(10)]
        assert [tokens[1] for tokens in again] == [tokens[1] for tokens in free]
        assert [tokens[0] for tokens in again] == [tokens[0] for tokens in free[: first + 1]] + [-1] * (9 - first)


def generate(tools, bundle, *options):
    return json.loads(tools.ttrun("generate", bundle, "--json", "--ignore-eos", *options).stdout)


def test_generate(small, tools):
    """ttrun generate: more prompts than places, of different lengths, drawn and not."""
    prompts = ["--prompt-ids=" + ",".join(map(str, prompt)) for prompt in PROMPTS]
    for options in (["--tokens=12"], ["--temperature=0.8", "--seed=7", "--top-k=20", "--repetition-penalty=1.3"]):
        wants = [generate(tools, small[0], prompt, *options)["tokens"] for prompt in prompts]
        for ahead in (1, 16):
            found = generate(tools, small[1], *prompts, *options, f"--ahead={ahead}")
            assert [answer["tokens"] for answer in found["answers"]] == wants
        assert [answer["tokens"] for answer in generate(tools, small[0], *prompts, *options)["answers"]] == wants
        assert generate(tools, small[1], prompts[0], *options)["tokens"] == wants[0]


def test_other_numbers(tools, opened, tmp_path):
    """Three sequences step by 1, 2 and 3 rows; two without entry points for prompts."""
    gguf_models.write(tmp_path / "model.gguf", layers=1)
    bundles = {n: compile_model(tools, tmp_path / "model.gguf", tmp_path / f"{n}.ttcb", "--context=64",
                                "--prefill=" + ("0" if n == 2 else "8"), f"--sequences={n}") for n in (1, 2, 3)}
    prompts = ["--prompt-ids=" + ",".join(map(str, prompt)) for prompt in PROMPTS]
    wants = [generate(tools, bundles[1], prompt, "--tokens=9")["tokens"] for prompt in prompts]
    for n in (2, 3):
        listing = json.loads(tools.ttrun("read", bundles[n], "--json").stdout)
        assert {entry["name"] for entry in listing["entries"]} == {f"decode_{rows}" for rows in range(1, n + 1)} | (
            {"prefill_8"} if n == 3 else set())
        found = generate(tools, bundles[n], *prompts, "--tokens=9")
        assert [answer["tokens"] for answer in found["answers"]] == wants


@pytest.mark.parametrize("number", ["0", "-1", "65"])
def test_wrong_number(tools, tmp_path, number):
    gguf_models.write(tmp_path / "model.gguf", layers=1)
    done = tools.run("ttc-translate", "--gguf-to-bundle", tmp_path / "model.gguf", f"--sequences={number}", "-o",
                     tmp_path / "model.ttcb", check=False)
    assert done.returncode != 0 and f"--sequences: expected a number from 1 to 64, found {number}" in done.stderr


def test_one_is_as_without(tools, tmp_path):
    gguf_models.write(tmp_path / "model.gguf", layers=1)
    texts = [tools.run("ttc-translate", "--import-gguf", tmp_path / "model.gguf", *options).stdout
             for options in ([], ["--sequences=1"])]
    assert texts[0] == texts[1] and "@decode(" in texts[0] and "@active" not in texts[0]


def test_smollm2(tools, tmp_path):
    bundles = [compile_model(tools, smollm2(), tmp_path / f"{n}.ttcb", "--context=256", f"--sequences={n}") for n in (1, N)]
    prompts = [f"--prompt={text}" for text in ("The capital of France is", "Why is the sky blue?", "Once upon a time",
                                               "def fibonacci(n):", "1, 2, 4, 8,", "My favourite colour is")]
    one, four = (generate(tools, bundle, *prompts, "--tokens=48")["answers"] for bundle in bundles)
    assert [answer["text"] for answer in four] == [answer["text"] for answer in one]
