# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads, forks, and the entry point by which PyTorch finds the backend."""
import needs  # noqa: F401, I001: skips the file

import os
import subprocess
import sys
import threading
import tomllib

import torch
from graphs import Compiled, since, small
from needs import ROOT
from ttc import torch_backend


def test_threads():
    model = small()
    wrong = []

    def work(number):
        generator = torch.Generator().manual_seed(number)
        with torch.no_grad():
            for _ in range(200):
                x = torch.randn(2, 8, generator=generator)
                if not torch.allclose(compiled(x), model(x), atol=1e-5):
                    wrong.append(number)

    compiled = Compiled(model).compiled
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_that_compile():
    """PyTorch's tracing and its exporter change global state."""
    models = [small(8, 8 + i, 4) for i in range(4)]
    before, found = len(torch_backend.graphs()), {}

    def work(number):
        with torch.no_grad():
            for rows in range(2, 5):
                x = torch.randn(rows, 8)
                found[number, rows] = torch.allclose(compiled[number](x), models[number](x), atol=1e-5)

    compiled = [torch.compile(model, backend=torch_backend.compile_fx, options={"cache": False}) for model in models]
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 and all(found.values())
    graphs = since(before)
    assert graphs and {graph.state for graph in graphs} == {"ttc"}, graphs


def test_the_number_of_threads_is_pytorchs():
    before = torch.get_num_threads()
    compiled = Compiled(small())
    try:
        with torch.no_grad():
            for threads in (2, 1):
                torch.set_num_threads(threads)
                compiled(x := torch.randn(2, 8))
    finally:
        torch.set_num_threads(before)
    plans = [g._latest for g in torch_backend._graphs if g.info in compiled.graphs]
    assert sorted(plan._cores for plan in plans) == [1, 2] and x is not None


def test_a_forked_process():
    model = small()
    compiled = Compiled(model)
    with torch.no_grad():
        x = torch.randn(2, 8)
        wanted = compiled(x)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if torch.equal(compiled.compiled(x), wanted) else 2
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        compiled(x)


def test_the_entry_point(tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    group = project["entry-points"]["torch_dynamo_backends"]
    installed = tmp_path / "ttc-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: ttc\nVersion: 0\n")
    (installed / "entry_points.txt").write_text(
        "[torch_dynamo_backends]\n" + "".join(f"{name} = {where}\n" for name, where in group.items())
    )
    program = (
        "import torch; assert 'ttc' in torch.compiler.list_backends()\n"
        "with torch.no_grad(): y = torch.compile(lambda x: x * 2 + 1, backend='ttc')(torch.ones(3))\n"
        "from ttc import torch_backend; print(y.tolist(), torch_backend.graphs()[0].state)"
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.stdout == "[3.0, 3.0, 3.0] ttc\n", done.stderr


def test_a_process_that_ends_with_open_bundles():
    program = (
        "import torch; from ttc import torch_backend\n"
        "f = torch.compile(lambda x: x.exp() + 1, backend=torch_backend.compile_fx)\n"
        "with torch.no_grad(): print(f(torch.zeros(2)).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[2.0, 2.0]\n", "")


