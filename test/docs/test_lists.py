# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of the documentation name everything that is there: rooms, families of ops, installed headers and their structs."""
import re

import pytest


def names_in(text):
    """What stands in backquotes."""
    return set(re.findall(r"`([^`\n]+)`", text))


def section(page, heading):
    return re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page.read_text(), re.M | re.S)[1]


def sources_below(folder):
    return any(p.is_file() and p.suffix != ".pyc" for p in folder.rglob("*"))


def test_readme_names_every_folder(root):
    """README's layout: the folders of the tree, and the rooms of the compiler and of the runtime."""
    rows = dict(re.findall(r"^\| (`[^|]*`) \| (.*) \|$", section(root / "README.md", "Layout"), re.M))
    listed = {name.rstrip("/") for cell in rows for name in names_in(cell)}
    there = {p.name for p in root.iterdir() if p.is_dir() and not re.match(r"\.|build|cmake$|docs$|scripts$", p.name) and sources_below(p)}
    for name in ("lib", "include"):
        there.remove(name)
    assert there <= {name.split("/")[0] for name in listed}
    # Rooms of the runtime are in docs/runtime.md (test_pages.py).
    for cell, folder in (("`lib/`", "lib"), ("`tooling/`", "tooling")):
        text = next(text for cells, text in rows.items() if cell in cells)
        missing = {p.name for p in (root / folder).iterdir() if p.is_dir()} - names_in(text)
        assert not missing, f"rooms of {folder}/ that README's layout does not name: {sorted(missing)}"


def families(root):
    return sorted(root.glob("dialects/Ttc/*/*Ops.td"))


def test_dialect_page_names_every_family(root):
    """dialects/Ttc/README.md: every room, and every family of ops in the row of its room."""
    text = (root / "dialects/Ttc/README.md").read_text()
    rows = dict(re.findall(r"^\| \[(\w+)/\]\(\w+\) \| (.*) \|$", text, re.M))
    assert {p.name for p in (root / "dialects/Ttc").iterdir() if p.is_dir()} == set(rows)
    missing = [f.stem for f in families(root) if f.stem not in names_in(rows[f.parent.name])]
    assert len(families(root)) > 20 and not missing, missing
    interfaces = {p.stem for p in root.glob("dialects/Ttc/Interfaces/*.td")}
    assert interfaces and interfaces <= names_in(rows["Interfaces"])


def test_stablehlo_ops_are_imported_or_named(root):
    """docs/stablehlo.md: the ops of the specification that docs/stablehlo-ops.md, which is generated, does not list."""
    imported = set(re.findall(r"^\| `([\w.]+)` \|", (root / "docs/stablehlo-ops.md").read_text(), re.M))
    text = section(root / "docs/stablehlo.md", "What is not imported")
    missing = names_in("\n".join(re.findall(r"^\| (`[^|]*) \|", text, re.M)))
    assert missing and not missing & imported
    # Others are of CHLO and of older versions.
    specified = missing | {name for name in imported - {"dot"} if "." not in name}
    assert len(specified) == int(re.search(r"The specification has (\d+) ops", text)[1])


def test_gguf_architectures(root):
    """What the importer takes, the page lists, the conformance tests compute, and the nightly compares with transformers."""
    known = re.findall(r'\.name = "([\w-]+)"', (root / "lib/Import/Gguf/GgufArchitecture.cpp").read_text())
    assert len(known) > 9 and known == sorted(known)
    page = section(root / "docs/gguf-import.md", "Architectures")
    assert known == re.findall(r"^\| `([\w-]+)` \|", page, re.M)
    sources = {name: (root / name).read_text() for name in ("test/conformance/gguf_models.py",
                                                            "test/python/torch/test_gguf_architectures.py")}
    listed = re.search(r"^ARCHITECTURES = \[(.*?)\]", sources["test/conformance/gguf_models.py"], re.M | re.S)[1]
    assert set(known) == set(re.findall(r'"([\w-]+)"', listed))
    cases = re.search(r"^CASES = {(.*?)^}", sources["test/python/torch/test_gguf_architectures.py"], re.M | re.S)[1]
    # Nothing in transformers computes what DeepSeek's first model does.
    assert set(known) - {"deepseek"} == set(re.findall(r'^    (?:\*\*\{f)?"([\w-]+)[",]', cases, re.M))


def test_gguf_types(root):
    """What products take, the page lists in the same order, with the bits of the importer's table, and the tests compute."""
    enum = re.search(r"def Ttc_BlockFormat : .*?>;", (root / "dialects/Ttc/Tensors/TensorEnums.td").read_text(), re.S)[0]
    known = re.findall(r'EnumAttrCase<"(\w+)"', enum)
    table = re.findall(r'\{(\d+), "(\w+)", (\d+), (\d+)\}', (root / "lib/Import/Gguf/GgufFile.cpp").read_text())
    bits = {name: (elements, f"{int(size) * 8 / int(elements):g}") for _, name, elements, size in table}
    rows = re.findall(r"^\| (\w+) \| (\d+) \| ([\d.]+) \|", section(root / "docs/gguf-import.md", "Types of weights"), re.M)
    assert len(known) > 17 and [(name, *bits[name]) for name in known] == rows
    formats = re.search(r"^FORMATS = {(.*?)^}", (root / "test/conformance/gguf_file.py").read_text(), re.M | re.S)[1]
    numbers = {name: number for number, name, _, _ in table}
    assert [(name, numbers[name]) for name in known] == re.findall(r'"(\w+)": \((\d+),', formats)


@pytest.fixture(scope="module")
def headers(root):
    """{name: text} of the headers that are installed."""
    found = {}
    for path in set(re.findall(r"[\w./]*/ttrt/\w+\.hp*\b", (root / "cmake/TtcInstall.cmake").read_text())):
        file = root / path.lstrip("/")
        found[file.name] = file.read_text()
    assert {"ttrt.h", "pipeline.hpp", "sign.h", "mpi.h"} <= set(found)
    return found


def test_compatibility_names_every_installed_header(root, headers):
    page = root / "docs/compatibility.md"
    rows = [line for line in section(page, "What a release may change").splitlines() if line.startswith("| API of") or "(compiled into" in line]
    assert len(rows) == 2 and names_in("\n".join(rows)) == set(headers)


def test_compatibility_names_every_struct(root, headers):
    table = re.search(r"^\| struct \|.*?(?=\n\n)", section(root / "docs/compatibility.md", "The binary interface"), re.M | re.S)[0]
    declared = {
        name
        for header, text in headers.items() if header.endswith(".h")
        for name in re.findall(r"^(?:typedef )?struct (ttrt_\w+) \{", text, re.M)
    }
    rows = table.splitlines()[2:]
    listed = [name for row in rows for name in names_in(row.split("|")[1])]
    assert len(declared) > 25 and sorted(listed) == sorted(declared)
    grows = {name for row in rows if "| yes |" in row for name in names_in(row.split("|")[1])}
    text = "\n".join(headers.values())
    sized = {name for name in declared if re.search(rf"^(?:typedef )?struct {name} \{{\s*size_t size;", text, re.M)}
    assert grows == sized


def test_runtime_page_names_every_installed_header(root, headers):
    named = names_in(section(root / "docs/runtime.md", "From C and C++"))
    missing = {h for h in headers if f"ttrt/{h}" not in named}
    assert not missing, missing
