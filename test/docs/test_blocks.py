# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every block of code in the documentation is tested. Its kind says how."""
import json
import re
import subprocess

import mlir_blocks
import pytest
from blocks import ROOT, all_blocks, blocks, blocks_of, tracked
from c_blocks import CONTEXT, GLOBALS, PROGRAMS

# The test of each kind. `text` is no code: pictures, layouts of files, messages.
KINDS = {
    "mlir": "docs/test_blocks.py: test_mlir",  # parses, and verifies; also in descriptions of ops, attributes and passes
    "sh": "docs/test_shell_blocks.py: test_page",  # runs
    "console": "docs/test_pages.py: test_page_shows_what_its_commands_print",  # runs, and its output is compared
    "python": "docs/test_python_blocks.py: test_page",  # runs
    "c": "docs/test_blocks.py: test_c",  # compiles, with declarations of what it uses (c_blocks.py)
    "cpp": "docs/test_blocks.py: test_c",
    "cmake": "install/test_install.py: test_cmake_of_the_documentation",  # configures
    "json": "docs/test_blocks.py: test_json",  # parses
    "text": "docs/test_blocks.py: test_every_block_is_of_a_kind_that_is_tested",
}
# What a command, a statement or an op looks like: it has no place in a block that is not tested.
CODE = re.compile(r"^(?:\$ |(?:ttrun|ttc|ttc-\w+) \S.* --\w|#include|import |def |ttc\.\w+ |%\w+ = )", re.M)


def test_every_block_is_of_a_kind_that_is_tested():
    wrong = [f"{b.where}: expected one of {', '.join(sorted(KINDS))}, found '{b.kind}'" for b in all_blocks() if b.kind not in KINDS]
    wrong += [f"{b.where}: a block of text contains code" for b in blocks("text") if CODE.search(b.text)]
    for page in tracked("*.md"):
        fences = re.findall(r"^\s*(?:```|~~~).*$", (ROOT / page).read_text(), re.M)
        if len(fences) != 2 * len(blocks_of(page, (ROOT / page).read_text())):
            wrong.append(f"{page}: fences that do not match")
    for test in KINDS.values():
        file, name = test.split(": ")
        if f"\ndef {name}(" not in (ROOT / "test" / file).read_text():
            wrong.append(f"no test {test}")
    assert not wrong, "\n".join(wrong)


def test_mlir(tools, build_dir):
    tool, found = tools.path("ttc-opt"), blocks("mlir")
    reference = build_dir / "docs" / "ir-reference.md"  # the dialect's descriptions, with the names of ops in those of classes
    for page in [reference, *(ROOT / path for path in tracked("include/ttc/*.td"))]:
        found += [block for block in blocks_of(page.name if page == reference else str(page.relative_to(ROOT)), page.read_text())]
    assert {block.kind for block in found} == {"mlir"} and len(found) > 250
    wrong = mlir_blocks.problems(tool, [(block.where, block.text) for block in found])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("text, problem", [
    ("ttc.state @count : tensor<1xi32>\n%0 = ttc.add %a, %b : tensor<1xi32>\n", "ttc.add"),
    ("%0 = ttc.relu %x : (tensor<4xf32>) -> tensor<5xf32>\n", "'ttc.relu' op"),
    ("%0 = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>\n// becomes\n%0 = ttc.rely %x : ...\n%1 = ttc.rely %x : (f32) -> f32\n", "ttc.rely"),
    ("#ttc.layout<l1, height_sharded, grid = [0, 1]>\n", "(C2)"),
    ("#ttc.layuot<l1>\n", "layuot"),
])
def test_what_is_wrong_is_found(tools, text, problem):
    good = ("good:1", "%0 = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>\nttc.cmd.dispatch @p(@x) into (@y)\n")
    first = mlir_blocks.problems(tools.path("ttc-opt"), [good, ("page:7", text), good])[0]
    assert first.startswith("page:7: ") and problem in first.partition(", in")[0]


def compiled(tmp_path, compiler, name, *options):
    return subprocess.run([compiler, "-fsyntax-only", "-Wall", "-Wno-unused", "-Werror=implicit", *options, name], cwd=tmp_path, capture_output=True, text=True)


@pytest.mark.parametrize("kind, compiler, options", [
    ("c", "clang-22", ["-std=c11", "-Wno-deprecated-non-prototype"]),
    ("cpp", "clang++-22", ["-std=c++20", f"-I{ROOT}"]),
])
def test_c(kind, compiler, options, tmp_path):
    """All of them in one file: each in a function of its own, or outside of functions if it declares some."""
    source = GLOBALS[kind]
    for number, block in enumerate(blocks(kind)):
        first = block.text.splitlines()[0]
        if block.page in PROGRAMS:
            continue
        text = f'#line {block.line + 1} "{block.page}"\n{block.text}'
        if not re.match(r"#include|static|const|void", first):
            text = f"static void block{number}(void) {{\n{CONTEXT.get(first, '')}\n{text}}}\n"
        source += text
    (tmp_path / f"blocks.{kind}").write_text(source)
    done = compiled(tmp_path, compiler, f"blocks.{kind}", f"-I{ROOT / 'runtime/include'}", *options)
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.parametrize("page, source", PROGRAMS.items())
def test_cpp_of_the_compiler(page, source):
    """Its headers take long to compile, and the code is there: every line of the block is in this file."""
    lines = {re.sub(r"/\*\w+=\*/", "", line).strip() for line in (ROOT / source).read_text().splitlines()}
    found = [line for block in blocks("cpp", page) for line in block.text.splitlines() if line != "..."]
    assert len(found) > 4
    absent = [line for line in found if re.sub(r"/\*\w+=\*/", "", line).strip() not in lines]
    assert not absent, absent


def test_declarations_are_of_blocks():
    first = {block.text.splitlines()[0] for kind in GLOBALS for block in blocks(kind)}
    assert set(CONTEXT) <= first, set(CONTEXT) - first


def test_json():
    for block in blocks("json"):
        json.loads(block.text)
