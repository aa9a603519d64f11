# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/python runs, including the notebook."""
import importlib.util
import os
import pathlib
import re
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples/python"
MODELS = {"host_op": "examples/host-ops/swish.onnx"}
TORCH = ["torch_module", "torch_compile"]


def code_lines(path):
    """Lines that do something: neither imports nor empty, nor the docstring."""
    text = re.sub(r'""".*?"""', "", path.read_text(), count=1, flags=re.S)
    return [line for line in text.splitlines() if line.strip() and not re.match(r"(import|from|#)", line)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory, paths):
    """The environment of programs for which ttc is installed: PyTorch finds backends by entry points."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    info = site / "ttc-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ttc\nVersion: 0.1.0\n")
    groups = ((group, names.items()) for group, names in project["entry-points"].items())
    (info / "entry_points.txt").write_text(
        "".join(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in names) for group, names in groups)
    )
    return {"PYTHONPATH": os.pathsep.join([*paths, str(site)]), "TTC_CACHE_DIR": str(site / "cache")}


@pytest.fixture(scope="module")
def chat(build_dir, tools, tmp_path_factory):
    writer, bundle = build_dir / "test/unit/ttrt-write-sample", tmp_path_factory.mktemp("bundles") / "chat.ttcb"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    tools.run(writer, "chat", bundle)
    return bundle


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_example(python, installed, digits, path, request):
    if path.stem in TORCH and not importlib.util.find_spec("torch"):
        pytest.skip("torch is not installed")
    model = [] if path.stem in TORCH else [MODELS.get(path.stem, digits)]
    if path.stem == "tokens":
        model = [request.getfixturevalue("chat")]
    done = python(path, *model, env=installed)
    assert done.stdout
    if path.stem in TORCH:
        assert float(done.stdout.split()[-1]) <= 1e-4
    assert len(code_lines(path)) <= 7, "an example is about five lines"


def test_notebook(digits, paths):
    nbformat = pytest.importorskip("nbformat", reason="jupyter is not installed")
    nbclient = pytest.importorskip("nbclient", reason="jupyter is not installed")
    pytest.importorskip("ipykernel", reason="jupyter is not installed")
    notebook = nbformat.read(FOLDER / "first_look.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is stored without outputs"
    previous = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    try:
        nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    finally:
        os.environ.pop("PYTHONPATH") if previous is None else os.environ.update(PYTHONPATH=previous)
    shown = notebook.cells[-1].outputs[0]["data"]["text/html"]
    assert "iframe" in shown and pathlib.Path(FOLDER / "first_look.ipynb").stat().st_size < 10000
