# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong command lines and wrong CSV files: one short error with status 1 or 2, no crash, no file. If an option
is given twice, the last value counts, in every tool."""
import pytest

NUMBERS = ("", " ", "x", "1x", "0x10", "1.5", "1e3", "-1", "+1", "--1", "1 ", "nan", "99999999999999999999", "-99999999999999999999",
           "9223372036854775808", "１", "1,2", "[1]", "%s%n", "\t1")
GOOD = "id,lower,upper,size\na,0,1,4\nb,0,2,4\n"

# The options that take numbers, and which of NUMBERS each takes.
OPTIONS = (
    ("plan", "--capacity", {"9223372036854775808": False}),
    ("plan", "--nodes", {}),
    ("plan", "--timeout", {"1.5": True, "1e3": True, "99999999999999999999": True, "9223372036854775808": True}),
    ("plan-check", "--capacity", {}),
    ("run", "--loops", {}), ("run", "--cores", {}), ("run", "--queues", {}), ("run", "--link-bytes-per-second", {}),
    ("run", "--random", {"9223372036854775808": True}), ("run", "--rtol", {"1.5": True, "1e3": True, "99999999999999999999": True,
                                                                             "9223372036854775808": True}),
    ("perf", "--warmup", {}), ("perf", "--loops", {}),
    ("read", "--schedule-for", {"1.5": None, "1e3": None, "99999999999999999999": None, "9223372036854775808": None}),
    ("compile", "--slots", {"0x10": None}), ("compile", "--trace-region-size", {"0x10": None}),
)

CSV = {
    "empty": ("", "expected a header line"),
    "no-columns": ("\n", "expected a column 'id'"),
    "half-a-header": ("id,lower,upper\n", "expected a column 'size'"),
    "too-few-cells": ("id,lower,upper,size\na,0,1\n", "line 2: expected 4 cells"),
    "too-many-cells": ("id,lower,upper,size\na,0,1,4,5\n", "line 2: expected 4 cells"),
    "no-number": ("id,lower,upper,size\na,0,x,4\n", "line 2"),
    "empty-number": ("id,lower,upper,size\na,0,,4\n", "line 2"),
    "space": ("id,lower,upper,size\na, 0,1,4\n", "line 2"),
    "fraction": ("id,lower,upper,size\na,0,1,4.0\n", "line 2"),
    "negative-size": ("id,lower,upper,size\na,0,1,-4\n", "a size and an offset of at least 0"),
    "least-size": ("id,lower,upper,size\na,0,1,-9223372036854775808\n", "a size and an offset of at least 0"),
    "too-large": ("id,lower,upper,size\na,0,1,9223372036854775808\n", "line 2"),
    "sum-too-large": ("id,lower,upper,size\na,0,1,1152921504606846975\nb,0,1,1152921504606846975\n", "less than 2^60"),
    "never-alive": ("id,lower,upper,size\na,1,1,4\n", "lower < upper"),
    "backwards": ("id,lower,upper,size\na,9223372036854775807,-9223372036854775808,4\n", "lower < upper"),
    "alignment-0": ("id,lower,upper,size,alignment\na,0,1,4,0\n", "an alignment of at least 1"),
    "alignment-large": ("id,lower,upper,size,alignment\na,0,1,4,9223372036854775807\n", "less than 2^60"),
    "offset-large": ("id,lower,upper,size,offset\na,0,1,4,9223372036854775807\n", "less than 2^60"),
    "offset-negative": ("id,lower,upper,size,offset\na,0,1,4,-1\n", "an offset of at least 0"),
    "same-id": ("id,lower,upper,size\na,0,1,4\na,0,1,4\n", "expected each id once"),
    "same-column": ("id,lower,upper,size,size\na,0,1,4,8\n", "the column 'size' twice"),
    "same-id-column": ("id,id,lower,upper,size\na,b,0,1,4\n", "the column 'id' twice"),
    "zero-bytes": ("id,lower,upper,size\na\0b,0,1,4\0\n", "line 2"),
    "zero-header": ("\0" * 1000, "expected a column 'id'"),
    "no-text": (bytes(range(128, 256)).decode("latin1") * 100, "expected a column 'id'"),
    "long-line": ("id,lower,upper,size\n" + "a" * 10_000_000 + ",0,x,4\n", "line 2"),
    "many-cells": ("id,lower,upper,size\n" + "," * 1_000_000 + "\n", "line 2"),
    "quoted": ('id,lower,upper,size\n"a,b",0,1,4\n', "line 2"),
}


@pytest.fixture(scope="module")
def work(tools, root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lines")
    (folder / "p.csv").write_text(GOOD)
    tools.compile(root / "examples/digits/digits.onnx", folder / "d.ttcb")
    tools.run("ttc-plan", folder / "p.csv", "-o", folder / "plan.csv")
    return folder


@pytest.fixture(scope="module")
def commands(work, root):
    bundle = work / "d.ttcb"
    return {
        "plan": ["ttc-plan", work / "p.csv"], "plan-check": ["ttc-plan-check", work / "plan.csv"],
        "run": ["ttrun", "run", bundle, "--random"], "perf": ["ttrun", "perf", bundle], "read": ["ttrun", "read", bundle],
        "monitor": ["ttrun", "monitor", "--once"], "check": ["ttrun", "check", bundle],
        "compile": ["ttc", "compile", root / "examples/digits/digits.onnx", "-o", work / "out.ttcb"],
        "translate": ["ttc-translate", "--onnx-to-bundle", root / "examples/digits/digits.onnx", "-o", work / "out.ttcb"],
        "opt": ["ttc-opt"],
    }


def check_refused(done, *words):
    assert done.returncode in (1, 2), (done.returncode, done.stderr[-500:])
    assert all(word in done.stderr for word in words), done.stderr[-500:]
    assert 0 < len(done.stderr) < 2000 and "Stack dump" not in done.stderr


@pytest.mark.parametrize("command, option, taken", OPTIONS, ids=[f"{c}{o}" for c, o, _ in OPTIONS])
def test_numbers(tools, commands, command, option, taken):
    """Twenty values each."""
    for value in NUMBERS:
        if taken.get(value) is None and value in taken:
            continue
        tool, *arguments = commands[command]
        done = tools.run(tool, *arguments, f"{option}={value}", check=False, timeout=60)
        if taken.get(value):
            assert done.returncode in (0, 1), (value, done.stderr)
        else:
            check_refused(done)
            assert option.lstrip("-") in done.stderr or value in done.stderr, (value, done.stderr)


@pytest.mark.parametrize("name", CSV)
def test_csv(tools, tmp_path, name):
    text, words = CSV[name]
    (tmp_path / "p.csv").write_text(text, encoding="latin1")
    for tool in ("ttc-plan", "ttc-plan-check"):
        done = tools.run(tool, tmp_path / "p.csv", check=False, timeout=60, errors="replace")
        check_refused(done, words, "p.csv")


def test_empty_words(tools, commands, work):
    (work / "out.ttcb").unlink(missing_ok=True)
    for command, option in (("plan", "-o="), ("compile", "-o="), ("translate", "-o="), ("run", "--output="), ("run", "--input="),
                            ("run", "--expect="), ("run", "--entry="), ("run", "--schedule="), ("run", "--verify="), ("perf", "--csv="),
                            ("perf", "--timeline="), ("read", "--memory-map="), ("read", "--schedule-pictures="), ("compile", "--target="),
                            ("compile", "--target-cpu="), ("compile", "--entry="), ("compile", "--input-shape="), ("compile", "--memory="),
                            ("compile", "--shard="), ("compile", "--schedules=x"), ("plan", ""), ("run", ""), ("read", ""), ("opt", "")):
        tool, *arguments = commands[command]
        if not option:
            arguments = arguments[:1] if tool == "ttrun" else []
        done = tools.run(tool, *arguments, option, check=False, timeout=60)
        check_refused(done)
        assert not (work / "out.ttcb").exists()


def test_unknown_words(tools, commands):
    for command in commands:
        tool, *arguments = commands[command]
        for word in ("--bogus", "--bogus=1", "-x", "--=", "--loops=1=2", "\x01", "--" + "a" * 1000):
            done = tools.run(tool, *arguments, word, check=False, timeout=60, input="")
            assert done.returncode in (1, 2) and done.stderr and "Stack dump" not in done.stderr, (tool, word[:20], done.stderr[-300:])


def test_the_last_value_counts(tools, commands, work):
    tool, *arguments = commands["plan"]
    done = tools.run(tool, *arguments, "--capacity=8", "--capacity=1", check=False)
    assert done.returncode == 1 and "at most 1, found 8" in done.stderr
    done = tools.run(tool, *arguments, "-o", work / "first.csv", "-o", work / "second.csv")
    assert not (work / "first.csv").exists() and (work / "second.csv").exists()
    for command in ("compile", "translate"):
        (work / "out.ttcb").unlink(missing_ok=True)
        tool, *arguments = commands[command]
        tools.run(tool, *arguments, "-o", work / f"{command}.ttcb")
        assert (work / f"{command}.ttcb").exists() and not (work / "out.ttcb").exists()
