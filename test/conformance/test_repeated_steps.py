# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers, Scan and Loop whose steps the device repeats: as ONNX Runtime has them, and with the bits of the same
steps unrolled."""
import re

import pytest

from bundles import np, onnx, run_once
from gate import nightly, nightly_rows
from onnx import helper, parser
from onnx_cases import Constant, OnnxCase, compare, expected_of, model_of
from onnx_cases_recurrent import GATES, random_case

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'


def count_loops(tools, bundle):
    """The loops of commands, and those that are parts of programs."""
    traces = tools.ttrun("read", "--traces", bundle).stdout
    return traces.count("end-repeat") + len(re.findall(r"\bloop_\d+_", traces))


@pytest.fixture
def both(tools, tmp_path):
    """Runs a model twice: repeated, and unrolled, as all values of all steps are kept then. Both have the same bits."""
    def run(model, inputs, cores=2, is_long=True):
        path = tmp_path / "m.onnx"
        onnx.save(model, path)
        found = {}
        for how, options in (("unrolled", ["--keep-values"]), ("repeated", [])):
            tools.compile(path, tmp_path / f"{how}.ttcb", *options)
            found[how] = run_once(tools, tmp_path / f"{how}.ttcb", inputs, cores=cores)
        assert (count_loops(tools, tmp_path / "repeated.ttcb") > 0) == is_long
        for name, array in found["unrolled"].items():
            one, other = (np.where(np.isnan(a), np.array(np.nan, a.dtype), a) if a.dtype.kind == "f" else a
                          for a in (array, found["repeated"][name]))  # the sign of NaN may differ
            assert one.tobytes() == other.tobytes(), f"{name}: {one} {other}"
        return found["repeated"]

    return run


@pytest.mark.parametrize("op,seed", [*zip(GATES, range(3)), *nightly_rows((op, seed) for op in GATES for seed in range(6) if seed != list(GATES).index(op))])
def test_recurrent_layers(both, op, seed):
    """All directions, activations, lengths, states and peepholes; `clip` keeps the layer from being one op."""
    case = random_case(seed, op, steps=160 + seed, clip=4.0)
    lengths = case.inputs[4].value if isinstance(case.inputs[4], Constant) else [160 + seed]
    steps = max(lengths) * (2 if case.attributes["direction"] == "bidirectional" else 1)
    found = both(model_of([case], [""]), case.given(), cores=1 + seed % 3, is_long=steps > 128)
    # Activations without bounds may make states grow, and differences with them.
    if all(np.isfinite(y).all() and np.abs(y).max() < 1e3 for y in expected_of(case)):
        compare(case, [found[name] for name in case.named_outputs()])


def layer(op, steps=150, batch=1, size=4, hidden=16, scale=1.0, dtype=np.float32, **attributes):
    values = np.random.default_rng(0)
    make = lambda *shape: (values.standard_normal(shape) * scale).astype(dtype)
    gates = GATES[op]
    inputs = [make(batch, steps, size) if attributes.get("layout") else make(steps, batch, size), make(1, gates * hidden, size),
              make(1, gates * hidden, hidden), make(1, 2 * gates * hidden)]  # fmt: skip
    return OnnxCase(op, op, inputs, {"hidden_size": hidden} | attributes, (True,) * (3 if op == "LSTM" else 2), opset=14)


@pytest.mark.parametrize("op,layout", [*zip(GATES, (1, 0, 1)), *nightly_rows(zip(GATES, (0, 1, 0)))])
def test_layouts(both, op, layout):
    """ONNX Runtime has layout 0 alone."""
    case = layer(op, batch=3, layout=layout, clip=3.0, scale=0.3)
    found = both(model_of([case], [""]), case.given())
    if layout == 0:
        return compare(case, [found[name] for name in case.named_outputs()])
    other = layer(op, batch=3, clip=3.0, scale=0.3)
    other.inputs = [case.inputs[0].transpose(1, 0, 2), *case.inputs[1:]]
    y, *last = expected_of(other)
    for name, wanted in zip(case.named_outputs(), [y.transpose(2, 0, 1, 3), *(h.transpose(1, 0, 2) for h in last)]):
        np.testing.assert_allclose(found[name], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op,scale", [*zip(GATES, (1e-20, 3e38, 1e-20)), *nightly_rows(zip(GATES, (3e38, 1e-20, 3e38)))])
def test_extreme_values(both, op, scale):
    case = layer(op, scale=scale, clip=1e30)
    with np.errstate(all="ignore"):
        for place, value in enumerate((np.inf, -np.inf, np.nan, -0.0, 1e-42)):
            case.inputs[0][30 * place + 5, 0, place % 4] = value
    both(model_of([case], [""]), case.given())


def test_large_layer(both):
    """Of several workgroups: all cores share each step."""
    case = layer("LSTM", steps=140, size=8, hidden=256, scale=0.06, input_forget=1)
    for cores in (1, 2, 3):
        found = both(model_of([case], [""]), case.given(), cores=cores)
    compare(case, [found[name] for name in case.named_outputs()])


def test_double_precision(both):
    case = layer("GRU", dtype=np.float64, scale=0.4, linear_before_reset=1)
    case.rtol, case.atol = 1e-12, 1e-13
    found = both(model_of([case], [""]), case.given())
    state, (x, w, r, b) = np.zeros((1, 16)), case.inputs
    rows, logistic = [], lambda v: 1 / (1 + np.exp(-v))
    for step in x:
        p, q = step @ w[0].T + b[0, :48], state @ r[0].T + b[0, 48:]
        z, reset = logistic(p[:, :16] + q[:, :16]), logistic(p[:, 16:32] + q[:, 16:32])
        state = (1 - z) * np.tanh(p[:, 32:] + reset * q[:, 32:]) + z * state
        rows.append(state[None])
    np.testing.assert_allclose(found["y0"], np.array(rows), rtol=1e-11, atol=1e-13)


SCAN = '''g (float[2] s0, float[3] t0, float[{n},2] a, float[3,{n}] b) => (float[2] s, float[3] t, float[{n},2] u, float[3,{n}] v, float[{n}] w)
  {{ s, t, u, v, w = Scan<num_scan_inputs = 2, scan_input_axes = [0, 1], scan_input_directions = [{d}, {e}],
        scan_output_axes = [0, -1, 0], scan_output_directions = [{e}, {d}, 0],
        body = l (float[2] s, float[3] t, float[2] a, float[3] b) => (float[2] s1, float[3] t1, float[2] u, float[3] v, float w)
          {{ p = Add(s, a) s1 = Tanh(p) q = Sub(b, t) t1 = Sin(q) u = Mul(s1, a) v = Add(t1, b)
             i = ReduceSum<keepdims = 0>(s1) j = ReduceSum<keepdims = 0>(t) w = Add(i, j) }}>(s0, t0, a, b) }}'''


@pytest.mark.parametrize("d, e", [(0, 1), (1, 0), *nightly_rows([(0, 0), (1, 1)])])
def test_scan(both, d, e):
    """Two states, two inputs and three outputs, along several dimensions, forwards and backwards."""
    steps, values = 300, np.random.default_rng(d + 2 * e)
    inputs = {name: values.standard_normal(shape).astype(np.float32)
              for name, shape in (("s0", 2), ("t0", 3), ("a", (steps, 2)), ("b", (3, steps)))}
    found = both(parser.parse_model(HEADER + SCAN.format(n=steps, d=d, e=e)), inputs)
    s, t = inputs["s0"], inputs["t0"]
    rows = [[], [], []]
    for step in range(steps):
        a = inputs["a"][steps - 1 - step if d else step]
        b = inputs["b"][:, steps - 1 - step if e else step]
        s, before, t = np.tanh(s + a), t, np.sin(b - t)
        for row, value in zip(rows, (s * a, t + b, s.sum() + before.sum())):
            row.append(value)
    u, v, w = (np.array(row[::-1] if backwards else row) for row, backwards in zip(rows, (e, d, 0)))
    for name, wanted in zip("stuvw", (s, t, u, v.T, w)):
        np.testing.assert_allclose(found[name], wanted, rtol=1e-4, atol=1e-4)


def test_scan_of_whole_rows_before_opset_9(tools, tmp_path):
    """With a batch, whose sequences are scanned one after the other."""
    body = parser.parse_graph("l (float[2] s, float[2] x) => (float[2] n, float[2] y) { n = Add(s, x) y = Neg(n) }")
    node = helper.make_node("Scan", ["", "s", "x"], ["last", "all"], body=body, num_scan_inputs=1)
    port = lambda name, *shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "g", [port("s", 3, 2), port("x", 3, 1100, 2)], [port("last", 3, 2), port("all", 3, 1100, 2)])
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 8)]), tmp_path / "m.onnx")
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    assert count_loops(tools, tmp_path / "m.ttcb") >= 3
    s, x = np.zeros((3, 2), np.float32), np.arange(6600, dtype=np.float32).reshape(3, 1100, 2) % 17
    found = run_once(tools, tmp_path / "m.ttcb", {"s": s, "x": x})
    assert (found["all"] == -np.cumsum(x, axis=1)).all() and (found["last"] == x.sum(1)).all()


LOOP = '''g (float[3] x, float[5,3] table) => (float[3] y, int64 k, float[{n},3] s, int64[{n}] t)
  <int64 trips = {{{n}}}, bool yes = {{1}}, int64 zero = {{0}}, int64 three = {{3}}, int64 five = {{5}}>
  {{ y, k, s, t = Loop(trips, yes, x, zero) <body = l (int64 i, bool c, float[3] v, int64 m) => (bool go, float[3] w, int64 n, float[3] row, int64 number)
    {{ go = Identity(c) at = Mod(i, five) e = Gather(table, at) h = Mul(v, e) w = Tanh(h) n = Add(m, three) row = Add(w, e) number = Mul(i, i) }}> }}'''


def test_loop_with_scan_outputs(both):
    steps, values = 300, np.random.default_rng(1)
    x, table = values.standard_normal(3).astype(np.float32), values.standard_normal((5, 3)).astype(np.float32)
    found = both(parser.parse_model(HEADER + LOOP.format(n=steps)), {"x": x, "table": table})
    rows = []
    for step in range(steps):
        x = np.tanh(x * table[step % 5])
        rows.append(x + table[step % 5])
    np.testing.assert_allclose(found["y"], x, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found["s"], rows, rtol=1e-4, atol=1e-5)
    assert found["k"] == 3 * steps and (found["t"] == np.arange(steps) ** 2).all()


DATA = '''g ({inputs}float[2] x, float limit) => (float[2] y{output})
  <{trips}bool yes = {{1}}, float small = {{0.01}}>
  {{ y{result} = Loop({count}, yes, x) <body = l (int64 i, bool c, float[2] v) => (bool go, float[2] w{row})
    {{ w = Add(v, small) m = ReduceMax<keepdims = 0>(w) go = Less(m, limit) {compute} }}> }}'''


@pytest.mark.parametrize("has_rows", [False, True])
def test_loop_that_data_ends_within_its_trip_count(both, has_rows):
    """Rows after the end are zeros, which the model declares."""
    text = DATA.format(inputs="", trips="int64 trips = {700}, ", count="trips", output=", float[700,2] s" if has_rows else "",
                       result=", s" if has_rows else "", row=", float[2] r" if has_rows else "", compute="r = Neg(w)" if has_rows else "")
    x = np.array([0.5, -3], np.float32)
    rows = [x + np.float32(0.01)]
    for _ in range(699):
        rows.append(rows[-1] + np.float32(0.01))
    rows = np.array(rows)
    for limit, steps in ((0, 1), (1, None), (5, None), (1e9, 700)):
        steps = steps or 1 + int(np.argmax(rows.max(1) >= limit))
        found = both(parser.parse_model(HEADER + text), {"x": x, "limit": np.float32(limit)})
        assert (found["y"] == rows[steps - 1]).all()
        if has_rows:
            assert (found["s"][:steps] == -rows[:steps]).all() and not found["s"][steps:].any()


def test_computed_trip_count_with_a_declared_size(both, tools, tmp_path):
    """A run with more steps than the declared ones fails."""
    text = DATA.format(inputs="int64 n, ", trips="", count="n", output=", float[700,2] s", result=", s", row=", float[2] r", compute="r = Neg(w)")
    x, limit = np.array([1, 2], np.float32), np.float32(1e9)
    for count, stops in ((0, 1e9), (1, 1e9), (700, 1e9), (701, 1e9), (2**60, 3.0)):
        inputs = {"n": np.array(count), "x": x, "limit": np.float32(stops)}
        if count == 701:
            for options in ([], ["--keep-values"]):
                tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb", *options)
                with pytest.raises(RuntimeError, match="has more steps than the declared 700"):
                    run_once(tools, tmp_path / "m.ttcb", inputs)
            continue
        found = both(parser.parse_model(HEADER + text), inputs)
        row, wanted = x, []
        while len(wanted) < count and (not wanted or row.max() < np.float32(stops)):
            row = row + np.float32(0.01)
            wanted.append(-row)
        assert (found["y"] == row).all() and not found["s"][len(wanted):].any()
        assert not wanted or (found["s"][:len(wanted)] == wanted).all()


GROWS = '''g (float[1] x) => (float[41] y) <int64 trips = {40}, bool yes = {1}, float one = {1}>
  { y = Loop(trips, yes, x) <body = l (int64 i, bool c, v) => (bool go, w)
    { MORE go = Identity(c) s = ReduceMax<keepdims = 1>(v) t = Add(s, one) w = Concat<axis = 0>(v, t) }> }'''
SLICES = '''g (float[41] x) => (float[1] y) <int64 trips = {40}, bool yes = {1}, int64[1] one = {1}, int64[1] zero = {0}, float[1] sum = {0}>
  { y = Loop(trips, yes, sum) <body = l (int64 i, bool c, float[1] v) => (bool go, float[1] w)
    { MORE go = Identity(c) a = Unsqueeze(i, zero) b = Add(a, one) r = Slice(x, a, b) w = Add(v, r) }> }'''


@pytest.mark.parametrize("text, size, wanted", [(GROWS, 1, np.arange(41)), (SLICES, 41, np.arange(40).sum())], ids=["grows", "slices"])
def test_what_cannot_be_repeated_is_unrolled(tools, tmp_path, text, size, wanted):
    """A state that grows, and a slice whose bounds are the number of the step. The loop is long because of its nodes."""
    more = " ".join(f"m{k + 1} = Identity(m{k})" if k else "m1 = Identity(c)" for k in range(60))
    onnx.save(parser.parse_model(HEADER + text.replace("MORE", more)), tmp_path / "m.onnx")
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    found = run_once(tools, tmp_path / "m.ttcb", {"x": np.arange(size, dtype=np.float32)})["y"]
    assert (found == wanted).all()


def test_loops_in_loops(tools, tmp_path):
    """Two recurrent layers in the steps of a Loop, one of them repeated."""
    text = '''g (float[140,1,4] x, float[1,4,4] w, float[1,4,4] r) => (float[1,1,4] y, float[600,1,1,4] s)
      <int64 trips = {600}, bool yes = {1}, float[1,1,4] zero = {0,0,0,0}>
      { y, s = Loop(trips, yes, zero) <body = l (int64 i, bool c, float[1,1,4] h) => (bool go, float[1,1,4] k, float[1,1,4] row)
        { go = Identity(c) a, k = RNN<hidden_size = 4, clip = 2.0>(x, w, r, , , h) m, row = RNN<hidden_size = 4>(x, w, r, , , k) }> }'''
    onnx.save(parser.parse_model(HEADER + text), tmp_path / "m.onnx")
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    values = np.random.default_rng(3)
    x, w, r = (values.standard_normal(shape).astype(np.float32) * np.float32(0.5) for shape in ((140, 1, 4), (1, 4, 4), (1, 4, 4)))

    def layer(h, limit):
        for step in x:
            h = np.tanh(np.clip(step @ w[0].T + h @ r[0].T, -limit, limit))
        return h

    h, rows = np.zeros((1, 4), np.float32), []
    for _ in range(20):  # the state of the layer depends on its last inputs alone
        h = layer(h, 2)
        rows.append(layer(h, np.inf))
    found = run_once(tools, tmp_path / "m.ttcb", {"x": x, "w": w, "r": r})
    np.testing.assert_allclose(found["y"][0], h, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["s"][:20, 0], rows, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rule", ["linear", "gated_delta", *nightly(["gated", "delta"])])
def test_linear_attention(both, rule):
    steps, heads, keys, width = 180, 2, 3, 4
    values = np.random.default_rng(5)
    make = lambda size: values.standard_normal((2, steps, heads * size)).astype(np.float32) * np.float32(0.3)
    inputs = {"q": make(keys), "k": make(keys), "v": make(width), "decay": -np.abs(make(keys)), "beta": np.abs(make(1))}
    names = ["q", "k", "v", "", "decay" if "gated" in rule else "", "beta" if "delta" in rule else ""]
    node = helper.make_node("LinearAttention", names, ["y", "s"], q_num_heads=heads, kv_num_heads=heads, update_rule=rule, scale=1.0)
    used = {name: array for name, array in inputs.items() if name in names}
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, array.shape) for name, array in used.items()]
    graph = helper.make_graph([node], "g", ports, [onnx.ValueInfoProto(name=name) for name in ("y", "s")])
    found = both(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 27)]), used)
    split = lambda name, size: inputs[name].reshape(2, steps, heads, size).astype(np.float64)
    q, k, v, decay, beta = (split(name, size) for name, size in zip(inputs, (keys, keys, width, keys, 1)))
    state, rows = np.zeros((2, heads, keys, width)), []
    for t in range(steps):
        if "gated" in rule:
            state = state * np.exp(decay[:, t, :, :, None])
        row = v[:, t]
        if "delta" in rule:
            row = beta[:, t] * (row - np.einsum("bhk,bhkv->bhv", k[:, t], state))
        state = state + k[:, t, :, :, None] * row[:, :, None]
        rows.append(np.einsum("bhk,bhkv->bhv", q[:, t], state).reshape(2, -1))
    np.testing.assert_allclose(found["y"], np.stack(rows, 1), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(found["s"], state, rtol=1e-3, atol=1e-4)
