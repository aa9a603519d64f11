# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every public name of the package ttc has a docstring and is on its page."""
import ast
import inspect
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PYTHON = (ROOT / "docs/python.md").read_text()
JAX = (ROOT / "docs/python-jax.md").read_text()
TORCH = (ROOT / "docs/python-torch.md").read_text()


def tree(module):
    return ast.parse((ROOT / "python/ttc" / module).read_text())


def public(module):
    """The names in __all__, read without importing: PyTorch may be missing."""
    for node in tree(module).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return ast.literal_eval(node.value)
    raise AssertionError(f"{module} has no __all__")


def is_in_code(name, page):
    """Whether `name`, or a call or attribute of it, is in a code span or a block of code."""
    spans = re.findall(r"```.*?```|`[^`\n]+`", page, re.S)
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?!\w)", span) for span in spans)


@pytest.mark.parametrize("module, prefix, page", [
    ("__init__.py", "ttc.", PYTHON),
    ("onnx_backend.py", "", PYTHON),
    ("torch_backend.py", "", TORCH),
])
def test_public_names_are_on_the_page(module, prefix, page):
    names = public(module)
    assert names and not [name for name in names if not is_in_code(prefix + name, page)]


@pytest.mark.parametrize("module", ["onnx_backend.py", "torch_backend.py"])
def test_all_that_is_public_is_in_all(module):
    """And has a docstring, with its public methods."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [node for node in tree(module).body if isinstance(node, kinds) and not node.name.startswith("_")]
    assert {node.name for node in found} <= set(public(module))
    methods = [method for node in found if isinstance(node, ast.ClassDef) for method in node.body
               if isinstance(method, kinds) and not method.name.startswith("_")]
    assert not [node.name for node in found + methods if not ast.get_docstring(node)]


def test_docstrings():
    import ttc

    assert not [name for name in ttc.__all__ if not name.startswith("_") and not getattr(ttc, name).__doc__]


@pytest.mark.parametrize("name", ["compile", "build"])
def test_signatures_are_those_of_the_page(name):
    import ttc

    page = PYTHON.replace("=()", "=[]").replace(",\n", ", ")
    (text,) = re.findall(rf"`ttc\.{name}\((model, .*?)\)`", page)
    parameters = []
    for parameter in inspect.signature(getattr(ttc, name)).parameters.values():
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}".replace("()", "[]")
        parameters.append(parameter.name + default)
    assert text.replace("*, ", "").split(", ") == parameters


def test_arguments_of_compile_have_a_row_each():
    import ttc

    for name in inspect.signature(ttc.compile).parameters:
        assert f"\n| `{name}` | " in PYTHON, name


def test_arguments_of_jit_have_a_row_each():
    import ttc

    rows = " ".join(line.split("|")[1] for line in JAX.splitlines() if line.startswith("| `"))
    assert not [name for name in list(inspect.signature(ttc.jit).parameters)[1:] if f"`{name}`" not in rows]


@pytest.mark.parametrize("name", ["prepare", "run_model", "run_node", "is_compatible", "supports_device"])
def test_signatures_of_the_backend(name):
    backend = pytest.importorskip("ttc.onnx_backend")
    signature = inspect.signature(getattr(backend, name))
    wanted = [str(p.replace(annotation=p.empty)).replace("'", '"') for p in signature.parameters.values()]
    (text,) = re.findall(rf"\n\| `{name}\((.*?)\)` \|", PYTHON)
    assert text.split(", ") == wanted


def test_attributes_of_graph_info():
    (info,) = [node for node in tree("torch_backend.py").body if getattr(node, "name", "") == "GraphInfo"]
    for field in info.body:
        if isinstance(field, ast.AnnAssign):
            assert is_in_code(field.target.id, TORCH), field.target.id
