# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that are nested deeply, long, or too large for the memory: an error in one line or a result, never a
crash, and never a request to report a bug to LLVM."""
import resource

import pytest

N = 100_000
MANY = 20_000


def varint(number):
    out = b""
    while True:
        out += bytes([number & 127 | (128 if number > 127 else 0)])
        number >>= 7
        if not number:
            return out


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx_model(graph):
    return b"\x08\x08" + field(8, b"\x10\x11") + field(7, graph)


def tensor_info(name):
    return field(1, name) + field(2, field(1, b"\x08\x01" + field(2, field(1, b"\x08\x04"))))


def node(op, inputs, outputs, *attributes):
    return field(1, b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) + field(4, op) +
                 b"".join(field(5, a) for a in attributes))


def graph(nodes, outputs=(b"y",)):
    return nodes + field(2, b"g") + field(11, tensor_info(b"x")) + b"".join(field(12, tensor_info(o)) for o in outputs)


def integer(name, value):
    return field(1, name) + b"\x18" + varint(value) + b"\xa0\x01\x02"


def nested_graphs(depth):
    """If nodes, each in a branch of the one around it, from the inside out."""
    heads, size = [], 0
    for _ in range(depth):
        attribute = field(1, b"then_branch") + b"\xa0\x01\x05" + varint(6 << 3 | 2) + varint(size)
        around = field(1, b"x") + field(2, b"y") + field(4, b"If") + varint(5 << 3 | 2) + varint(len(attribute) + size)
        inside = around + attribute
        heads.append(varint(1 << 3 | 2) + varint(len(inside) + size) + inside)
        size += len(heads[-1])
    return b"".join(reversed(heads))


def chain(length, op):
    name = lambda i: b"x" if i == 0 else b"y" if i == length else b"v%d" % i
    return graph(b"".join(node(op[i % len(op)], [name(i)], [name(i + 1)]) for i in range(length)))


def limit(bytes_):
    def apply():
        resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return apply


def translate(tools, folder, data, *options, memory=6 << 30):
    (folder / "model.onnx").write_bytes(data)
    return tools.run("ttc-translate", *options, folder / "model.onnx", "-o", folder / "out", check=False, timeout=120,
                     preexec_fn=limit(memory))


def check_refused(done, *words):
    assert done.returncode == 1, (done.returncode, done.stderr[-1000:])
    assert all(word in done.stderr for word in words), done.stderr[-1000:]
    assert "LLVM" not in done.stderr and "fault of ttc" not in done.stderr and len(done.stderr) < 20000


@pytest.mark.parametrize("depth", (1, 20, 40, 1000, N))
def test_nested_graphs(tools, tmp_path, depth):
    done = translate(tools, tmp_path, onnx_model(graph(nested_graphs(depth))), "--onnx-to-bundle")
    check_refused(done, "expected a condition of one bool" if depth <= 20 else "protobuf cannot read as onnx.ModelProto, nested at most 100 deep")


def test_long_chain(tools, tmp_path):
    done = translate(tools, tmp_path, onnx_model(chain(N, (b"Relu", b"Neg"))), "--import-onnx")
    assert done.returncode == 0 and (tmp_path / "out").read_text().count("ttc.neg") == N // 2
    done = translate(tools, tmp_path, onnx_model(chain(3000, (b"Relu", b"Neg"))), "--onnx-to-bundle")
    assert done.returncode == 0, done.stderr


def test_long_constant_chain(tools, tmp_path):
    """Evaluated without recursion: constants beyond what the importer folds."""
    shape = field(5, varint(1 << 3) + b"\xc8\x01" + varint(1 << 3) + b"\x64" + b"\x10\x01" + field(8, b"w") +
                  field(9, bytes(4 * 200 * 100)))
    nodes = b"".join(node(b"Transpose", [b"w" if i == 0 else b"t%d" % (i - 1)], [b"t%d" % i],
                          field(1, b"perm") + field(8, b"\x01\x00") + b"\xa0\x01\x07") for i in range(20000))
    nodes += node(b"ReduceMax", [b"t19999"], [b"m"], integer(b"keepdims", 0)) + node(b"Add", [b"x", b"m"], [b"y"])
    done = translate(tools, tmp_path, onnx_model(graph(nodes + shape)), "--onnx-to-bundle")
    assert done.returncode == 0, done.stderr[-1000:]


def test_constant_expressions_that_share(tools, tmp_path):
    """Each op uses the one before twice: a search without memory visits 2^n ops."""
    weights = field(5, b"\x08\x80\x80\x02\x10\x01" + field(8, b"w") + field(9, bytes(4 << 15)))
    nodes = b"".join(node(b"Mul", [b"w" if i == 0 else b"t%d" % (i - 1)] * 2, [b"t%d" % i]) for i in range(60))
    nodes += node(b"ReduceMax", [b"t59"], [b"m"], integer(b"keepdims", 0)) + node(b"Mul", [b"x", b"m"], [b"z"]) + \
        node(b"Add", [b"z", b"m"], [b"y"])
    done = translate(tools, tmp_path, onnx_model(graph(nodes + weights)), "--onnx-to-bundle")
    assert done.returncode == 0, done.stderr[-1000:]


def test_many(tools, tmp_path):
    attributes = [integer(b"a%d" % i, 1) for i in range(MANY)]
    done = translate(tools, tmp_path, onnx_model(graph(node(b"Relu", [b"x"], [b"y"], *attributes))), "--onnx-to-bundle")
    check_refused(done, "attribute 'a0' is not supported")
    again = [integer(b"axis", i % 2) for i in range(MANY)]
    done = translate(tools, tmp_path, onnx_model(graph(node(b"Flatten", [b"x"], [b"y"], *again))), "--onnx-to-bundle")
    check_refused(done, "attribute 'axis' is given twice")
    perm = field(1, b"perm") + field(8, bytes(1_000_000)) + b"\xa0\x01\x07"
    done = translate(tools, tmp_path, onnx_model(graph(node(b"Transpose", [b"x"], [b"y"], perm))), "--onnx-to-bundle")
    check_refused(done, "expected a permutation of 1 dimensions", "(1000000 elements)")
    done = translate(tools, tmp_path, onnx_model(graph(b"".join(node(b"Magic%d" % i, [b"x"], [b"y%d" % i]) for i in range(MANY)))),
                     "--onnx-to-bundle")
    check_refused(done, "too many errors, stopped here")
    cycle = b"".join(node(b"Relu", [b"v%d" % ((i + 1) % MANY)], [b"v%d" % i]) for i in range(MANY))
    done = translate(tools, tmp_path, onnx_model(graph(cycle, [b"v0"])), "--onnx-to-bundle")
    check_refused(done, "the graph has a cycle through node")
    # More operands than a command has.
    terms = [b"x"] + [b"v%d" % i for i in range(300)]
    nodes = b"".join(node(b"Sin" if i % 2 else b"Cos", [b"x"], [b"v%d" % i]) for i in range(300))
    done = translate(tools, tmp_path, onnx_model(graph(nodes + node(b"Sum", terms, [b"y"]))), "--onnx-to-bundle")
    assert done.returncode == 0, done.stderr


TARGETS = {
    "arrays": ('{"name": "x", "features": ' + "[" * N + "]" * N + "}", "expected at most 16 nested arrays and objects, found 100001"),
    "objects": ('{"a":' * N + "1" + "}" * N, "expected at most 16 nested"),
    "open": ("[" * N, "expected at most 16 nested"),
    "in-string": ('{"name": "' + "[" * 1000 + '"}', "expected a whole number"),
    "long": (" " * ((1 << 20) + 1), "expected a file of at most 1048576 bytes, found 1048577"),
    "number": ('{"name": "x", "grid_rows": 1e400}', "expected a whole number"),
    "large": ('{"name": "x", "grid_rows": 9223372036854775807, "grid_cols": 2, "l1_bytes": 4096, "dram_banks": 1, "dram_bank_bytes": 4096}',
              "expected a grid of at most"),
}


@pytest.mark.parametrize("name", TARGETS)
def test_target(tools, root, tmp_path, name):
    text, words = TARGETS[name]
    (tmp_path / "t.json").write_text(text)
    done = tools.run("ttc-translate", "--onnx-to-bundle", f"--target={tmp_path}/t.json", root / "examples/digits/digits.onnx",
                     "-o", tmp_path / "out", check=False, timeout=60)
    check_refused(done, words)


def test_endless_target(tools, root, tmp_path):
    (tmp_path / "t.json").symlink_to("/dev/zero")
    done = tools.run("ttc-translate", "--onnx-to-bundle", f"--target={tmp_path}/t.json", root / "examples/digits/digits.onnx",
                     "-o", tmp_path / "out", check=False, timeout=60, preexec_fn=limit(4 << 30))
    check_refused(done, "expected a file of at most 1048576 bytes, found a device or a pipe")


IR = {
    "array": "module attributes {a.b = " + "[" * N + "]" * N + "} {}",
    "dictionary": "module attributes {a.b = " + "{c = " * N + "1" + "}" * N + "} {}",
    "modules": "module {\n" * N + "}" * N,
    "types": "module attributes {a.b = " + "tuple<" * N + ">" * N + "} {}",
    "affine": "#m = affine_map<(d0) -> (" + "(" * N + "d0" + ")" * N + ")>\nmodule {}",
    "elements": "module attributes {a.b = dense<" + "[" * N + "1" + "]" * N + "> : tensor<1xi32>} {}",
    "open": "(" * N,
}


@pytest.mark.parametrize("name", IR)
def test_ir(tools, tmp_path, name):
    (tmp_path / "deep.mlir").write_text(IR[name])
    for tool in (["ttc-opt"], ["ttc-translate", "--ttc-to-bundle"]):
        done = tools.run(*tool, tmp_path / "deep.mlir", "-o", tmp_path / "out", check=False, timeout=60)
        check_refused(done, "deep.mlir:", "expected at most 256 open brackets, found more")


def test_ir_that_is_not_deep(tools, tmp_path):
    """Arrows, comparisons, strings and comments open nothing."""
    text = "// " + "(" * 1000 + "\n" + "".join(f'func.func private @f{i}() -> i32 attributes {{a = "{"[" * 9}\\"<"}}\n' for i in range(300))
    text += "".join(f"#s{i} = affine_set<(d0) : (d0 - {i} >= 0, -d0 + 5 >= 0)>\n" for i in range(300))
    (tmp_path / "flat.mlir").write_text(text)
    tools.run("ttc-opt", tmp_path / "flat.mlir", "-o", tmp_path / "out")


def test_out_of_memory(tools, root, tmp_path):
    """One line that names the model, at whatever place the memory ends."""
    digits, out = root / "examples/digits/digits.onnx", tmp_path / "out"
    out.write_text("old")
    ends = set()
    for megabytes in range(330, 830, 50):
        done = tools.run("ttc-translate", "--onnx-to-bundle", digits, "-o", out, check=False, timeout=120,
                         preexec_fn=limit(megabytes << 20))
        assert done.returncode in (0, 1, 127), (megabytes, done.returncode, done.stderr[-2000:])
        if done.returncode == 1:
            check_refused(done, "digits.onnx")
            assert out.read_text() == "old", megabytes
            ends.add("out of memory" in done.stderr or "cannot continue" in done.stderr)
        if done.returncode == 0:
            break
    assert True in ends and done.returncode == 0


def test_out_of_memory_ttrun_and_plan(tools, tmp_path):
    rows = "id,lower,upper,size\n" + "".join(f"b{i},{i},{i + 3},64\n" for i in range(300_000))
    (tmp_path / "p.csv").write_text(rows)
    for tool in ("ttc-plan", "ttc-plan-check"):
        done = tools.run(tool, tmp_path / "p.csv", check=False, timeout=60, preexec_fn=limit(40 << 20))
        assert done.returncode == 2 and f"{tool}: error: {tmp_path}/p.csv: out of memory" in done.stderr, done.stderr
