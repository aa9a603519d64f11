# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass has one name everywhere, and what it promises is tested: pass `HoistIO` is lib/Transforms/Traces/HoistIO.cpp,
--ttc-hoist-io and test/Transforms/Traces/hoist-io*.mlir, Traces being the level whose .td declares it, or a room of the
level, such as Programs/Kernels. A family of ops has tests of its own."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = "\n".join(p.read_text(errors="replace") for p in ROOT.glob("test/**/*") if p.suffix in (".mlir", ".test"))

OPTIONS = dict(re.findall(r'^def (\w+) : \w*Option<"\w+", "([\w-]+)"', (ROOT / "include/ttc/Transforms/Options.td").read_text(), re.M))


def passes():
    for folder in ("Transforms", "Mesh", "Codegen", "Conversion"):
        for declared in sorted((ROOT / f"include/ttc/{folder}").glob("*Passes.td")):
            # Transforms/TracePasses.td declares what lies in Transforms/Traces; Plan has no plural.
            level = declared.stem.removesuffix("Passes")
            rooms = [r for r in (level, level + "s") if (ROOT / f"lib/{folder}/{r}").is_dir()] if level else []
            room = f"{folder}/{rooms[0]}" if rooms else folder
            for name, flag, body in re.findall(
                r'^def (\w+) : Pass<"([\w-]+)"(.*?)(?=^def |\Z)', declared.read_text(), re.M | re.S
            ):
                yield pytest.param(room, name, flag, body, id=name)


@pytest.mark.parametrize("folder, name, flag, body", list(passes()))
def test_pass(folder, name, flag, body):
    dashed = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
    if folder == "Conversion":  # ConvertAToB: lib/Conversion/AToB, --convert-a-to-b, test/Conversion/AToB
        short = name.removeprefix("Convert")
        assert flag == dashed
        assert (ROOT / f"lib/Conversion/{short}/{short}.cpp").exists()
        assert any(ROOT.glob(f"test/Conversion/{short}/*.mlir"))
    else:
        assert flag == f"ttc-{dashed}"
        found = [p.parent.relative_to(ROOT / "lib") for p in ROOT.glob(f"lib/{folder}/**/{name}.cpp")]
        assert len(found) == 1, f"expected one {name}.cpp in lib/{folder}, found {len(found)}"
        folder = str(found[0])
        assert any(ROOT.glob(f"test/{folder}/{dashed}*.mlir"))
    assert re.search(rf"--{flag}\b", TESTS), "no test runs it"
    # An option of several passes is declared in Options.td.
    listed = (re.search(r"let options = \[(.*?)\];", body, re.S) or ["", ""])[1]
    options = re.findall(r'Option<"\w+", "([\w-]+)"', listed) + [OPTIONS[o] for o in re.findall(r"\b(\w+Option)\b(?!<)", listed)]
    untested = [o for o in options if not re.search(rf"--{flag}=[^\n]*\b{o}=", TESTS)]
    assert not untested, f"options that no test gives: {untested}"
    # Statistics are counters of the pass (ttc/Support/PassCounter.h); its description names them.
    assert "let statistics" not in body, "declare counters in the pass"
    source = (ROOT / f"lib/{folder}" / (f"{short}/{short}.cpp" if folder == "Conversion" else f"{name}.cpp")).read_text()
    named = re.search(r"Counters \(`--mlir-pass-statistics`\): ([^.]*)\.", body)
    assert set(re.findall(r"`([\w-]+)`", named[1] if named else "")) == set(re.findall(r'PassCounter \w+\{\*this, "([\w-]+)"', source))
    assert "let description = [{" in body and ("```mlir" in body or "Changes nothing." in body), "no IR before and after"


@pytest.mark.parametrize("family", sorted(ROOT.glob("dialects/Ttc/*/*Ops.td")), ids=lambda p: p.stem)
def test_family_of_ops(family):
    text = family.read_text()
    folder = ROOT / "test/Dialect/Ttc" / family.stem
    assert (folder / "invalid.mlir").exists()
    if re.search(r"let hasCanonicalize(r|Method) = 1", text):
        assert (folder / "canonicalize.mlir").exists()
    if re.search(r"let hasFolder = 1", text):
        assert (folder / "fold.mlir").exists() or (folder / "canonicalize.mlir").exists()
    # mlir-tblgen writes the ops of an included family, too. What families share is in a .td without ops.
    assert not re.search(r'^include "dialects/Ttc/\w+/\w+Ops\.td"', text, re.M)


def test_an_edit_of_an_op_builds_its_family():
    """What every file of the compiler includes has no ops: else an edit of one would build everything."""
    seen = [ROOT / "dialects/Ttc/TtcOpBase.h"]
    for header in seen:
        for name in re.findall(r'^#include "(dialects/Ttc/[\w/]+\.h)"', header.read_text(), re.M):
            assert (ROOT / name).exists(), f"{header.name} includes {name}, which the build writes for a family of ops"
            if ROOT / name not in seen:
                seen.append(ROOT / name)
    assert len(seen) > 6
    for declared in sorted(ROOT.glob("dialects/Ttc/*/*Base.td")):
        assert not re.search(r"^def \w+Op\b", declared.read_text(), re.M), f"an op in {declared.name}"


def test_every_op_makes_a_round_trip():
    shown = "\n".join(p.read_text() for p in ROOT.glob("test/Dialect/Ttc/*/roundtrip.mlir"))
    text = "\n".join(p.read_text() for p in sorted(ROOT.glob("dialects/Ttc/*/*Op*.td")))
    # class Ttc_StepOp<string mnemonic, ...> : Ttc_Op<"enqueue." # mnemonic, ...>
    classes = {name: (base, prefix) for name, base, prefix in re.findall(
        r'^class (\w+)<string mnemonic[^{;]*?>\s*: (\w+)<(?:"([\w.]+)" # )?mnemonic', text, re.M)}

    def full(base, mnemonic):
        while base in classes:
            base, prefix = classes[base]
            mnemonic = prefix + mnemonic
        return mnemonic

    names = [full(base, mnemonic) for base, mnemonic in re.findall(r'^def \w+Op : (\w+)<"(\w+)"', text, re.M)]
    assert len(names) > 100 and {"enqueue.record", "cmd.signal", "kernel.gemm", "input", "relu"} <= set(names)
    missing = [n for n in names if not re.search(rf"ttc\.{re.escape(n)}\b", shown)]
    assert not missing, missing
