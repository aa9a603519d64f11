# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that end at run time and branches on data: both outcomes are computed, and what the model would not have computed
has no effect."""
import pytest

from bundles import np, onnx, run_once
from onnx import parser

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'


@pytest.fixture
def compiled(tools, tmp_path):
    """run(**inputs) of a model in ONNX's text form: a list of its outputs."""
    def compile_text(text):
        onnx.save(parser.parse_model(HEADER + text), tmp_path / "m.onnx")
        tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
        return lambda **inputs: list(run_once(tools, tmp_path / "m.ttcb", inputs).values())
    return compile_text


def test_trip_count_of_an_input(compiled):
    """The declared scan output says how many steps there are at most. A run of more steps fails."""
    run = compiled('''g (int64 n, float[3] x) => (float[3] y, float[5,3] s, int64 k)
      <bool yes = {1}, int64 zero = {0}, int64 one = {1}>
      { y, k, s = Loop(n, yes, x, zero) <body = l (int64 i, bool c, float[3] v, int64 m) => (bool go, float[3] w, int64 next, float[3] t)
        { go = Identity(c) w = Add(v, v) next = Add(m, one) t = Neg(w) }> }''')
    x = np.array([1, -2, 0.5], np.float32)
    for count in (-1, 0, 1, 3, 5):
        y, s, k = run(n=np.array(count), x=x)
        steps = max(count, 0)
        assert (y == x * 2.0**steps).all() and k == steps
        assert (s == [-x * 2.0**(i + 1) if i < steps else 0 * x for i in range(5)]).all()
    for count in (6, 1000, 2**62):
        with pytest.raises(RuntimeError, match="has more steps than the declared 5"):
            run(n=np.array(count), x=x)


def test_trip_count_and_condition(compiled):
    """A trip count beyond the declared steps does not matter where the condition ends the loop."""
    run = compiled('''g (int64 n, float x) => (float y, float[4] s)
      <bool yes = {1}, float limit = {16}>
      { y, s = Loop(n, yes, x) <body = l (int64 i, bool c, float v) => (bool go, float w, float t)
        { w = Add(v, v) go = Less(w, limit) t = Neg(w) }> }''')
    for count, x, wanted in ((9, 4, [8, 16]), (9, 1, [2, 4, 8, 16]), (2, 1, [2, 4]), (9, 0.5, None), (4, 0.5, [1, 2, 4, 8])):
        if wanted is None:
            with pytest.raises(RuntimeError, match="has more steps than the declared 4"):
                run(n=np.array(count), x=np.array(x, np.float32))
        else:
            y, s = run(n=np.array(count), x=np.array(x, np.float32))
            assert y == wanted[-1] and s.tolist() == [-value for value in wanted] + [0] * (4 - len(wanted))


@pytest.mark.parametrize("op", ["Div", "Mod"])
def test_steps_after_the_end_do_not_trap(compiled, op):
    run = compiled(f'''g (int64 n, int64[4] x) => (int64[4] y)
      <int64 trips = {{8}}, int64 one = {{1}}, int64 zero = {{0}}, bool yes = {{1}}>
      {{ k, y = Loop(trips, yes, n, x) <body = l (int64 i, bool c, int64 m, int64[4] v) => (bool go, int64 less, int64[4] w)
        {{ w = {op}(v, m) less = Sub(m, one) go = Greater(less, zero) }}> }}''')
    for n in (1, 2, 3, 8):
        wanted = np.array([1000, 70, 7, 95])
        for divisor in range(n, 0, -1):
            wanted = wanted // divisor if op == "Div" else wanted % divisor
        assert (run(n=np.array(n), x=np.array([1000, 70, 7, 95]))[0] == wanted).all()


def test_steps_after_the_end_read_nothing_else(compiled):
    """The counter is beyond the last row then, and logarithms are of negative numbers."""
    run = compiled('''g (int64 n, float[6,3] x) => (float[1,3] y, float[1,3] z)
      <int64 trips = {12}, int64[1] one = {1}, int64 less = {1}, float[1,3] acc = {0,0,0}, int64[1] first = {0}, bool yes = {1}>
      { m, at, y, z = Loop(trips, yes, n, first, acc, acc) <body = l (int64 i, bool c, int64 k, int64[1] a, float[1,3] s, float[1,3] o)
          => (bool go, int64 rest, int64[1] next, float[1,3] t, float[1,3] l)
        { row = Gather(x, a) t = Add(s, row) next = Add(a, one) rest = Sub(k, less) f = Cast<to = 1>(k) h = Log(f) l = Add(o, h)
          go = Cast<to = 9>(rest) }> }''')
    x = np.arange(18, dtype=np.float32).reshape(6, 3)
    for n in (1, 2, 6):
        y, z = run(n=np.array(n), x=x)
        assert (y[0] == x[:n].sum(0)).all() and np.allclose(z, np.log(np.arange(1, n + 1)).sum(), rtol=1e-6)


def test_a_loop_in_a_loop(compiled):
    run = compiled('''g (float x) => (float y)
      <int64 trips = {4}, int64 inner = {3}, float limit = {30}, float low = {8}, bool yes = {1}>
      { y = Loop(trips, yes, x) <body = l (int64 i, bool c, float v) => (bool go, float w)
        { w = Loop(inner, yes, v) <body = m (int64 j, bool d, float a) => (bool on, float b)
            { p = Cast<to = 1>(j) q = Cast<to = 1>(i) r = Add(p, q) b = Add(a, r) on = Less(b, low) }>
          go = Less(w, limit) }> }''')
    for x in (0, 3, -5, 29, 30):
        wanted = np.float32(x)
        for i in range(4):
            for j in range(3):
                wanted += i + j
                if not wanted < 8:
                    break
            if not wanted < 30:
                break
        assert run(x=np.array(x, np.float32))[0] == wanted


def test_a_branch_that_is_not_taken(compiled):
    run = compiled('''g (bool c, int64[3] a, int64[3] b, int64[1] at) => (int64[3] y, int64[1] z)
      { y, z = If(c) <then_branch = t () => (int64[3] p, int64[1] q) { p = Div(a, b) q = Gather(a, at) },
                      else_branch = e () => (int64[3] r, int64[1] s) { r = Identity(a) s = Identity(at) }> }''')
    a, far = np.array([9, 8, 7]), np.array([1 << 40])
    y, z = run(c=np.array(False), a=a, b=np.array([0, -1, 0]), at=far)
    assert (y == a).all() and z == far
    y, z = run(c=np.array(True), a=a, b=np.array([1, 2, 7]), at=np.array([-1]))
    assert y.tolist() == [9, 4, 1] and z == 7


@pytest.mark.parametrize("yes, no", [("", "[1]"), ("[1]", ""), ("[1]", "[1,1]")])
def test_one_element_in_two_ranks(compiled, yes, no):
    """Exporters of Paddle write [] in one branch and [1] in the other."""
    run = compiled(f'''g (bool c, float{yes} s, float{no} v, float[2] w) => (float[2] y, float[1] u)
      <int64[1] one = {{1}}, int64[1] two = {{2}}>
      {{ o = If(c) <then_branch = t () => (float{yes} a) {{ a = Abs(s) }}, else_branch = e () => (float{no} b) {{ b = Neg(v) }}>
        m = Mul(w, o) y = Reshape(m, two) u = Reshape(o, one) }}''')
    shape = lambda text: (1,) * text.count("1")
    s, v = (np.full(shape(text), 2.5, np.float32) for text in (yes, no))
    for condition, wanted in ((True, 2.5), (False, -2.5)):
        y, u = run(c=np.array(condition), s=s, v=v, w=np.array([3, 4], np.float32))
        assert u == wanted and y.tolist() == [3 * wanted, 4 * wanted]


def test_repeats_until_a_condition_is_false(compiled):
    """Nothing says how many steps there are at most: the device repeats the loop."""
    run = compiled('''g (float[4] x, float limit) => (float[4] y, int64 k)
      <bool yes = {1}, int64 zero = {0}, int64 one = {1}>
      { y, k = Loop(, yes, x, zero) <body = l (int64 i, bool c, float[4] v, int64 m) => (bool go, float[4] w, int64 next)
        { h = ReduceSum<keepdims = 0>(v) w = Add(v, v) next = Add(i, one) go = Less(h, limit) }> }''')
    x = np.array([1, 0.5, 0.25, 2], np.float32)
    for limit in (-1, 3, 4, 100, 1e30):
        v, steps = x, 0
        while True:
            total, v, steps = v.sum(), v + v, steps + 1
            if not total < np.float32(limit):
                break
        y, k = run(x=x, limit=np.array(limit, np.float32))
        assert (y == v).all() and k == steps


def test_repeats_as_often_as_an_input_says(compiled):
    """Without a scan output, any trip count is right: no step, one, many."""
    run = compiled('''g (int64 n, bool go, float[3] x) => (float[3] y, int64 k)
      <int64 zero = {0}, float half = {0.5}, float one = {1}>
      { y, k = Loop(n, go, x, zero) <body = l (int64 i, bool c, float[3] v, int64 m) => (bool on, float[3] w, int64 next)
        { on = Identity(c) h = Mul(v, half) w = Add(h, one) next = Add(m, i) }> }''')
    x = np.array([1, -2, 100], np.float32)
    for go in (True, False):
        for count in (-3, 0, 1, 2, 40, 5000):
            y, k = run(n=np.array(count), go=np.array(go), x=x)
            steps, v = max(count, 0) * go, x
            for _ in range(steps):
                v = v * np.float32(0.5) + np.float32(1)
            assert (y == v).all() and k == steps * (steps - 1) // 2


def test_repeats_with_what_is_around_it(compiled):
    """A loop in a loop; values from before it, used again after it; states that swap."""
    run = compiled('''g (int64 n, int64 m, float[2,2] a, float[2,2] b) => (float[2,2] y, float[2,2] z, float[2,2] s)
      <bool yes = {1}, float part = {0.25}>
      { f = Tanh(a)
        y, z = Loop(n, yes, a, b) <body = outer (int64 i, bool c, float[2,2] p, float[2,2] q) => (bool on, float[2,2] u, float[2,2] v)
          { on = Identity(c)
            u = Identity(q)
            v = Loop(m, yes, p) <body = inner (int64 j, bool d, float[2,2] r) => (bool in, float[2,2] t)
              { in = Identity(d) w = MatMul(r, f) x = Mul(w, part) t = Add(x, b) }> }>
        s = Add(f, y) }''')
    g = np.random.default_rng(0)
    a, b = g.standard_normal((2, 2, 2)).astype(np.float32)
    for n, m in ((0, 3), (1, 0), (1, 1), (2, 3), (7, 20)):
        f, p, q = np.tanh(a), a, b
        for _ in range(n):
            r = p
            for _ in range(m):
                r = r @ f * np.float32(0.25) + b
            p, q = q, r
        for found, wanted in zip(run(n=np.array(n), m=np.array(m), a=a, b=b), (p, q, f + p)):
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-5)
