# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation shows what the commands in it print today, and its links lead somewhere.

Every block marked ```console is run, those of a page in order and in one folder: lines that begin with "$ " are
commands, the others are their output. After a change of the plan, update the pages with

    TTC_UPDATE_DOCS=1 TTC_BUILD_DIR=$PWD/build python -m pytest test/docs
"""
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *sorted(ROOT.glob("docs/*.md")),
         ROOT / "benchmarks/README.md", ROOT / "dialects/Ttc/README.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.fixture
def shell(tools, tmp_path):
    """Runs a command in a folder that has the examples, with the tools in the path."""
    for tool in ("ttc", "ttrun", "ttc-translate", "ttc-opt", "ttc-plan", "ttc-plan-check"):
        path = tools.path(tool)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {**os.environ, "PATH": f"{path.parent}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(tmp_path),
                   "TTC_PYTHON": sys.executable}

    def run(command):
        # A session of its own: what a command leaves running ends with it.
        process = subprocess.Popen(["bash", "-c", f"set -eo pipefail; {command}"], cwd=tmp_path, env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, error = process.communicate(timeout=120)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        assert process.returncode == 0, f"{command}\n{error}"
        return out

    return run


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the pages' examples are compiled for x86-64")
@pytest.mark.parametrize("page", [p for p in PAGES if BLOCK.search(p.read_text())], ids=name_of)
def test_page_shows_what_its_commands_print(shell, page):
    def run(block):
        shown = ""
        commands = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
        assert commands, f"a block without a command: {block[0]}"
        for command in commands:
            output = shell(command)
            assert max(map(len, output.splitlines()), default=0) <= 130, "wider than a page"
            shown += f"$ {command}\n{output}"
        return f"```console\n{shown}```"

    text = page.read_text()
    now = BLOCK.sub(run, text)
    if os.environ.get("TTC_UPDATE_DOCS"):
        page.write_text(now)
    else:
        assert now == text, f"{name_of(page)} is not up to date; to update it: {__doc__.splitlines()[-2].strip()}"


def test_tour(shell, tools):
    """The README's tour runs as it stands; only the monitor, which runs until Ctrl-C, ends at once."""
    tour = re.search(r"^## A tour\n+```sh\nbin=build/bin\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    assert tour.count("ttrun monitor") == 1
    shell(f"bin={tools.path('ttrun').parent}\n" + tour.replace("ttrun monitor", "ttrun monitor --once") + "\nkill %1")


def anchors(page):
    """As Git hosts make them of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith("http"):
            continue
        file, _, anchor = link.partition("#")
        to = page.parent / file if file else page
        if not to.exists() or (anchor and anchor not in anchors(to)):
            wrong.append(link)
    assert not wrong, wrong


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_paths_are_there(page):
    """`lib/Planner`, `runtime/lib/Device/Queue` (any ending), `include/ttc/*/Passes.td`."""
    folders = "benchmarks|cmake|dialects|docs|examples|include|kernels|lib|python|runtime|scripts|test|tooling|tools"
    named = re.findall(rf"`((?:{folders})/[\w./*-]+)`", page.read_text())
    absent = [p for p in named if not any(ROOT.glob(p.rstrip("/"))) and not any(ROOT.glob(p + ".*"))]
    assert not absent, absent


def test_readme_leads_to_every_page():
    readme = (ROOT / "README.md").read_text()
    missing = [name_of(p) for p in PAGES[1:] if p.parts[-2] != "Ttc" and f"]({name_of(p)})" not in readme]
    assert not missing, missing


def test_sources_name_pages_that_are_there():
    wrong = []
    for path in subprocess.run(["git", "-c", "safe.directory=*", "grep", "-lI", r"docs/[a-z-]*\.md"], cwd=ROOT, text=True,
                               capture_output=True).stdout.split():
        for page in re.findall(r"(?<!build/)\bdocs/[\w-]+\.md", (ROOT / path).read_text()):
            if not (ROOT / page).exists():
                wrong.append(f"{path}: {page}")
    assert not wrong, wrong


def test_runtime_page_names_every_room():
    text = (ROOT / "docs/runtime.md").read_text()
    sources = [p for p in (ROOT / "runtime").rglob("*") if p.suffix in (".cpp", ".h")]
    rooms = {str(p.parent.relative_to(ROOT)) for p in sources} - {"runtime/text/Template"}
    assert len(rooms) > 10 and not {room for room in rooms if f"\n| `{room}` |" not in text}


def test_passes_are_listed_in_order():
    """docs/architecture.md: those of the pipeline, with their summaries."""
    declared = "\n".join(p.read_text() for p in ROOT.glob("include/ttc/*/*.td"))
    rows = []
    pipeline = (ROOT / "lib/Driver/Pipelines.cpp").read_text()
    assert pipeline.count("buildLowerProgramsPipeline(") == 1
    pipeline = pipeline.replace("buildLowerProgramsPipeline(", (ROOT / "lib/Codegen/Pipelines.cpp").read_text())
    for name in re.findall(r"\bcreate(\w+)\(", pipeline):
        found = re.search(rf'^def {name} : Pass<"([\w-]+)".*?let summary = "(.*?)";', declared, re.M | re.S)
        row = found and f"| `--{found[1]}` | {found[2][0].lower()}{found[2][1:]} |"
        if row and row not in rows:
            rows.append(row)
    text = (ROOT / "docs/architecture.md").read_text()
    assert len(rows) > 30 and "\n".join(rows) in text, "expected this table:\n" + "\n".join(rows)


@pytest.mark.parametrize("source,least", [("onnx", 100), ("stablehlo", 50)])
def test_ops_are_those_of_the_importer(tools, source, least):
    page, now = ROOT / f"docs/{source}-ops.md", tools.run("ttc-translate", f"--list-{source}-ops").stdout
    assert now.count("\n| ") > least
    if os.environ.get("TTC_UPDATE_DOCS"):
        page.write_text(now)
    else:
        assert now == page.read_text(), f"docs/{source}-ops.md is not up to date; to update it, set TTC_UPDATE_DOCS=1"


def options_in_help(tools, tool, *command):
    """All but MLIR's own and what every tool has."""
    text = tools.run(tool, *command, "--help").stdout
    found = set(re.findall(r"^ *(--?[a-z][\w-]*)", text, re.M))
    return {o for o in found if not re.match(r"--(mlir-|help|version|no-implicit-module)", o)}


@pytest.mark.parametrize("section, commands", [
    ("ttc", [("ttc", "compile")]),
    ("ttc-translate", [("ttc-translate",)]),
    ("ttrun", [("ttrun", c) for c in ("run", "perf", "bench", "generate", "report", "read", "check", "monitor", "sign", "keygen", "query")]),
    ("ttc-plan", [("ttc-plan",), ("ttc-plan-check",)]),
    ("ttc-lsp-server", [("ttc-lsp-server",)]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_options_are_documented(tools, section, commands):
    """docs/tools.md names the options that --help names, and no others."""
    text = re.search(rf"^## `{section}`\n(.*?)(?=^## |\Z)", (ROOT / "docs/tools.md").read_text(), re.M | re.S)[1]
    documented = {o for o in re.findall(r"`(--?[a-z][\w-]*)`", text) if not o.startswith("--mlir-")}
    assert documented == set().union(*(options_in_help(tools, *command) for command in commands))
