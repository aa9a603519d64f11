# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches as PyTorch's exporters write and read them, without PyTorch: test/python/torch has whole decoders."""
import contextlib
import dataclasses
import functools
import json

import pytest

from bundles import np, onnx
from gate import nightly
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

CONTEXT, SIZE, TOKENS = 40, 12, 50


@dataclasses.dataclass(frozen=True)
class Case:
    """An attention: how its caches are written, and what is exported for it."""
    write: str
    heads: int = 4
    groups: int = 2
    batch: int = 1
    scaled: str = "both"  # the queries and the keys by the root, or the scores
    mask: str = "add"
    checked: bool = True  # rows without any score are made zeros


CASES = {
    "through a transpose": Case("nd"),
    "elements": Case("elements"),
    "whole vectors": Case("vectors"),
    "one cache for each query": Case("nd", groups=4),
    "one cache for all queries": Case("nd", groups=1),
    "two sequences": Case("nd", heads=6, groups=3, batch=2, scaled="scores"),
    "a boolean mask": Case("elements", heads=6, mask="where", checked=False),
    "elements through a transpose": Case("turned", scaled="scores", checked=False),
}


class Graph:
    """A model that is built node by node."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def __call__(self, op, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [f"t{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def const(self, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), f"c{len(self.weights)}"))
        return self.weights[-1].name

    def ints(self, *numbers):
        return self.const(np.array(numbers, np.int64))

    def reshape(self, x, *shape):
        return self("Reshape", x, self.ints(*shape))


def decoder(case, rows, layers=2):
    """Logits of tokens from a position on, by attentions over caches alone, with random weights."""
    g, random = Graph(), np.random.default_rng(11)

    def weights(*shape):
        return g.const(random.standard_normal(shape, dtype=np.float32) * np.float32(2 / np.sqrt(shape[0])))

    b, h, k, d = case.batch, case.heads, case.groups, SIZE
    width = h * d
    # Positions, and what each row may see.
    at = g("Add", g.const(np.arange(rows)), "position")
    seen = g("LessOrEqual", g.const(np.arange(CONTEXT).reshape(1, 1, 1, -1)), g.reshape(at, 1, 1, rows, 1))
    x = g("Gather", weights(TOKENS, width), "tokens")
    x = g("Add", x, g("Gather", weights(CONTEXT, width), at))

    def write(cache, new, shape):
        """`new` [b, k, rows, d] from the position on."""
        if case.write == "nd":
            turned = g("Transpose", cache, perm=[2, 0, 1, 3])
            turned = g("ScatterND", turned, g.reshape(at, rows, 1), g("Transpose", new, perm=[2, 0, 1, 3]))
            return g("Transpose", turned, perm=[1, 2, 0, 3])
        index = g("Expand", g.reshape(at, 1, 1, rows, 1), g.ints(*shape))
        if case.write == "elements":
            return g("ScatterElements", cache, index, new, axis=2)
        if case.write == "turned":
            turned = g("ScatterElements", g("Transpose", cache, perm=[0, 2, 1, 3]),
                       g("Transpose", index, perm=[0, 2, 1, 3]), g("Transpose", new, perm=[0, 2, 1, 3]), axis=1)
            return g("Transpose", turned, perm=[0, 2, 1, 3])
        grid = np.stack(np.meshgrid(np.arange(b), np.arange(k), indexing="ij"), -1).reshape(b, k, 1, 2)
        vectors = g("Concat", g.const(np.repeat(grid, rows, axis=2)),
                    g("Expand", g.reshape(at, 1, 1, rows, 1), g.ints(b, k, rows, 1)), axis=3)
        return g("ScatterND", cache, vectors, new)

    def repeated(cache):
        if k == h:
            return cache
        wide = g("Expand", g("Unsqueeze", cache, g.ints(2)), g.ints(b, k, h // k, CONTEXT, d))
        return g.reshape(wide, b, h, CONTEXT, d)

    presents = []
    for layer in range(layers):
        def heads(count):
            product = g("MatMul", x, weights(width, count * d))  # noqa: B023
            return g("Transpose", g.reshape(product, b, rows, count, d), perm=[0, 2, 1, 3])

        q = heads(h)
        caches = [write(f"past_{kind}_{layer}", heads(k), (b, k, rows, d)) for kind in ("key", "value")]
        presents += caches
        keys, values = map(repeated, caches)
        keys = g("Transpose", g.reshape(keys, b * h, CONTEXT, d), perm=[0, 2, 1])
        keys = g.reshape(keys, b, h, d, CONTEXT)
        root = g.const(np.float32(d ** -0.25))
        if case.scaled == "both":
            scores = g("MatMul", g("Mul", q, root), g("Mul", keys, root))
        else:
            scores = g("Mul", g("MatMul", q, keys), g.const(np.float32(d ** -0.5)))
        low = g.const(np.float32(np.finfo(np.float32).min))
        if case.mask == "add":
            scores = g("Add", scores, g("Where", seen, g.const(np.float32(0)), low))
        else:
            scores = g("Where", seen, scores, low)
        shares = g("Softmax", scores, axis=-1)
        if case.checked:
            shares = g("Where", g("IsNaN", shares), g.const(np.float32(0)), shares)
        y = g("Transpose", g("MatMul", shares, values), perm=[0, 2, 1, 3])
        x = g("Add", x, g("Tanh", g("MatMul", g.reshape(y, b, rows, width), weights(width, width))))
    logits = g("MatMul", x, weights(width, TOKENS))

    def value(name, shape, kind=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, kind, shape)

    names = [f"{kind}_{layer}" for layer in range(layers) for kind in ("key", "value")]
    for new, name in zip([logits, *presents], ["logits", *(f"present_{name}" for name in names)], strict=True):
        g.nodes.append(helper.make_node("Identity", [new], [name]))
    cache = [b, k, CONTEXT, d]
    graph = helper.make_graph(
        g.nodes, "step",
        [value("tokens", [b, rows], TensorProto.INT64), value("position", [1], TensorProto.INT64),
         *(value(f"past_{name}", cache) for name in names)],
        [value("logits", [b, rows, TOKENS]), *(value(f"present_{name}", cache) for name in names)], g.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(model)
    return model


@pytest.fixture(scope="module")
def build(tools, tmp_path_factory):
    """The folder with the models of a case and their bundle."""
    @functools.cache
    def build(name):
        folder = tmp_path_factory.mktemp("caches")
        for entry, count in (("prefill", 7), ("decode", 1)):
            onnx.save(decoder(CASES[name], count), folder / f"{entry}.onnx")
        tools.compile(folder / "prefill.onnx", folder / "decoder.ttcb", folder / "decode.onnx", "--entry=prefill,decode",
                      "--state=past_*=present_*")
        return folder

    return build


@contextlib.contextmanager
def opened(tools, folder):
    """A device, and run(entry, tokens, position)."""
    with tools.open(folder / "decoder.ttcb") as bundle, bundle.device(cores=2) as device:
        yield device, lambda entry, tokens, position: device.run(
            bundle.entries[entry], {"tokens": tokens, "position": np.array([position])})["logits"]


NIGHTLY = ["one cache for each query", "elements through a transpose"]
NAMES = [*(name for name in CASES if name not in NIGHTLY), *nightly(NIGHTLY)]


@pytest.mark.parametrize("name", NAMES)
def test_tokens(tools, build, name):
    """Two parts of a prompt, then steps, the likeliest token first."""
    case, folder = CASES[name], build(name)
    reference = {entry: ReferenceEvaluator(str(folder / f"{entry}.onnx")) for entry in ("prefill", "decode")}
    prompt = np.random.default_rng(5).integers(0, TOKENS, (2, case.batch, 7))
    caches, position, tokens, chosen = None, 0, prompt[0], []
    with opened(tools, folder) as (_, run):
        for step in range(14):
            entry = "prefill" if step < 2 else "decode"
            names = reference[entry].input_names[2:]
            caches = caches or [np.zeros((case.batch, case.groups, CONTEXT, SIZE), np.float32)] * len(names)
            logits, *caches = reference[entry].run(
                None, {"tokens": tokens, "position": np.array([position]), **dict(zip(names, caches, strict=True))})
            np.testing.assert_allclose(run(entry, tokens, position), logits, rtol=1e-4, atol=1e-4)
            position += tokens.shape[1]
            tokens = prompt[1] if step == 0 else logits[:, -1:].argmax(-1)
            chosen += [] if step == 0 else tokens.ravel().tolist()
    assert len(set(chosen)) > 3


@pytest.mark.parametrize("name", NAMES)
def test_caches_stay_where_they_are(tools, build, name):
    """Scatters write into them, and nothing else of their size is computed in a step."""
    read = json.loads(tools.ttrun("read", build(name) / "decoder.ttcb", "--json").stdout)
    caches = {state["name"]: state["bytes"] for state in read["states"]}
    assert len(caches) == 4
    for entry in ("prefill", "decode"):
        commands = next(trace["commands"] for trace in read["traces"] if trace["name"] == f"{entry}_t0")
        written = []
        for command in commands:
            assert command["opcode"] != "copy"
            inputs, outputs = ({o["buffer"]: o["bytes"] for o in command.get("operands", []) if o["role"] == role}
                               for role in ("in", "out"))
            written += outputs.keys() & caches.keys()
            assert not outputs.keys() & caches.keys() or command["program"].startswith("scatter_")
            assert outputs.keys() & caches.keys() <= inputs.keys()
            if entry == "decode":
                assert all(size < min(caches.values()) for buffer, size in outputs.items() if buffer not in caches)
        assert sorted(written) == sorted(caches)


@pytest.mark.parametrize("name", ["through a transpose", "elements", "whole vectors"])
def test_positions_beyond_the_context_write_nothing(tools, build, name):
    tokens = np.arange(7).reshape(1, 7)
    with opened(tools, build(name)) as (device, run):
        def states():
            return {state: device.read(state).tobytes() for state in device.bundle.states}

        run("prefill", tokens, 0)
        before = states()
        for position in (CONTEXT, CONTEXT + 1000, 2 ** 40):
            run("decode", tokens[:, :1], position)
            assert states() == before, position
        # The last part of a prompt may be padded beyond the end: what fits is written.
        run("prefill", tokens, CONTEXT - 3)
        assert states() != before


@pytest.mark.parametrize("states, message", [
    ("past_*=next_*", "expected @prefill to have the output 'next_key_0', which replaces its input 'past_key_0' (past_*=next_*), found none"),
    ("cache_*=present_*", "expected --state to name an input of an entry point, found 'cache_*', which none has"),
    ("past_*=present", "expected a state as input=output, with one '*' in both names or in none, found 'past_*=present'"),
    ("past_key_0=logits", "expected output 'logits' of the type of input 'past_key_0'"),
])
def test_wrong_names(tools, tmp_path, states, message):
    for name, count in (("prefill", 7), ("decode", 1)):
        onnx.save(decoder(CASES["elements"], count), tmp_path / f"{name}.onnx")
    done = tools.run("ttc-translate", "--onnx-to-bundle", tmp_path / "prefill.onnx", tmp_path / "decode.onnx",
                     "--entry=prefill,decode", f"--state={states}", "-o", tmp_path / "x.ttcb", check=False)
    assert done.returncode != 0 and message in done.stderr
    assert not (tmp_path / "x.ttcb").exists()


def test_entries_with_other_shapes(tools, tmp_path):
    onnx.save(decoder(CASES["elements"], 7), tmp_path / "prefill.onnx")
    onnx.save(decoder(dataclasses.replace(CASES["elements"], groups=4), 1), tmp_path / "decode.onnx")
    done = tools.run("ttc-translate", "--onnx-to-bundle", tmp_path / "prefill.onnx", tmp_path / "decode.onnx",
                     "--entry=prefill,decode", "--state=past_*=present_*", "-o", tmp_path / "x.ttcb", check=False)
    assert done.returncode != 0 and not (tmp_path / "x.ttcb").exists()
    assert ("expected input 'past_key_0' of one type in all entry points that share the state, found "
            "'tensor<1x2x40x12xf32>' before and 'tensor<1x4x40x12xf32>' in @decode") in done.stderr
