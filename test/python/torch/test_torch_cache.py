# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles on disk: what they depend on, several processes, damage, size."""
import needs  # noqa: F401, I001: skips the file

import errno
import json
import logging
import os
import subprocess
import sys
import textwrap
import threading

import pytest
import torch
from graphs import Compiled, small
from ttc import CompileError, torch_backend
from ttc._cache import Cache, cache_size
from ttc._compile import build

PROGRAM = textwrap.dedent("""
    import json, sys, torch
    from ttc import torch_backend

    torch.manual_seed(int(sys.argv[1]))
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).eval()
    x = torch.randn(2, 8)
    with torch.no_grad():
        compiled = torch.compile(model, backend=torch_backend.compile_fx)
        torch.testing.assert_close(compiled(x), model(x))
    (graph,) = torch_backend.graphs()
    print(json.dumps([graph.state, graph.compiled, graph.cached]))
""")


def start(seed=0):
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(seed)], stdout=subprocess.PIPE, text=True)


def result(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return json.loads(out)


def test_the_second_start_compiles_nothing(own_cache):
    assert result(start()) == ["ttc", 1, 0]
    assert result(start()) == ["ttc", 0, 1]
    assert result(start(seed=1)) == ["ttc", 1, 0]  # other weights


def test_processes_at_the_same_time(own_cache):
    found = [result(process) for process in [start() for _ in range(4)]]
    assert sorted(found) == [["ttc", 0, 1]] * 3 + [["ttc", 1, 0]]


def run(model, x, **options):
    torch._dynamo.reset()
    compiled = Compiled(model, **options)
    with torch.no_grad():
        compiled(x)
    (graph,) = compiled.graphs
    return graph


def files(folder):
    return sorted(path for path in folder.iterdir() if path.is_file())


def test_what_a_bundle_depends_on(own_cache, monkeypatch):
    model, x = small(), torch.randn(2, 8)
    assert run(model, x).compiled == 1
    assert run(model, x).cached == 1
    for changed in ({"options": ["--winograd=false"]}, {"target": "cpu"}):
        assert run(model, x, **changed).compiled == 1
    assert run(model, torch.randn(3, 8)).compiled == 1
    assert run(model, torch.randn(8, 2).t()).compiled == 1
    monkeypatch.setattr("ttc._cache.__version__", "0.0.1")
    assert run(model, x).compiled == 1
    monkeypatch.setattr("ttc._cache._cpu", lambda: ["model name:another one"])
    assert run(model, x).compiled == 1


@pytest.mark.parametrize("suffix", [".json", ".ttcb"])
@pytest.mark.parametrize("damage", ["truncated", "changed", "removed", "empty"])
def test_damage(own_cache, suffix, damage):
    model, x = small(), torch.randn(2, 8)
    run(model, x)
    (path,) = (p for p in files(own_cache) if p.suffix == suffix)
    data = path.read_bytes()
    middle = len(data) // 2
    path.unlink()  # a new file: the old one may be mapped
    if damage == "truncated":
        path.write_bytes(data[:middle])
    elif damage == "changed":
        path.write_bytes(data[:middle] + bytes(255 - b for b in data[middle : middle + 64]) + data[middle + 64 :])
    elif damage == "empty":
        path.write_bytes(b"")
    graph = run(model, x)
    assert (graph.state, graph.compiled, graph.cached) == ("ttc", 1, 0)
    assert run(model, x).cached == 1


def test_records_that_are_not_ours(own_cache):
    model, x = small(), torch.randn(2, 8)
    run(model, x)
    (record,) = (p for p in files(own_cache) if p.suffix == ".json")
    for text in ("[]", "{}", '{"bundle": true}', '{"bundle": true, "outputs": 3, "new": [[[2], "float32", null]]}'):
        record.write_text(text)
        assert run(model, x).state == "ttc"


@pytest.mark.parametrize("change", [
    {"outputs": [["new", 7]]}, {"outputs": []}, {"outputs": [["input", 0]]}, {"outputs": [["new_view", 0, [1000], [1], 0]]},
    {"new": [[[2, 4], "float32", [1, 0, 2]]]}, {"rejected": "for no reason"}])  # fmt: skip
def test_changed_records(own_cache, change):
    """Well-formed, but not what was stored."""
    model, x = small(), torch.randn(2, 8)
    run(model, x)
    (record,) = (p for p in files(own_cache) if p.suffix == ".json")
    record.write_text(json.dumps(json.loads(record.read_text()) | change))
    graph = run(model, x)
    assert (graph.state, graph.compiled, graph.cached) == ("ttc", 1, 0)
    assert run(model, x).cached == 1


@pytest.mark.parametrize("suffixes", [(".json",), (".ttcb",), (".json", ".ttcb")])
def test_what_is_of_another_graph(own_cache, suffixes):
    """Files that were moved, or copied to another name: the same shapes and types with other weights, and other types."""
    model, wider, x = small(), small(), torch.randn(2, 8)
    for other in (small(), lambda x: wider(x).double()):
        run(model, x)
        ours = {path.suffix: path for path in files(own_cache) if path.suffix in (".json", ".ttcb")}
        run(other, x)
        theirs = {path.suffix: path for path in files(own_cache) if path.suffix in ours and path not in ours.values()}
        for suffix in suffixes:
            copy = ours[suffix].with_suffix(".copy")
            copy.write_bytes(theirs[suffix].read_bytes())
            copy.replace(ours[suffix])  # a new file: the old one may be mapped
        graph = run(model, x)  # which compares with PyTorch
        assert (graph.state, graph.compiled, graph.cached) == ("ttc", 1, 0)
        torch_backend.clear_cache()


def test_what_is_rejected_is_remembered(own_cache):
    def function(x):
        return torch.linalg.svdvals(x)

    first, second = (run(function, torch.eye(3)) for _ in range(2))
    assert first.state == second.state == "PyTorch" and first.reason == second.reason
    assert len(files(own_cache)) == 1


def test_what_fails_for_another_reason_is_not(own_cache, monkeypatch):
    model, x = small(), torch.randn(2, 8)
    tools = os.environ["TTC_BIN"]
    monkeypatch.setenv("TTC_BIN", "/nonexistent")
    assert "the tool 'ttc-translate' is not in /nonexistent" in run(model, x).reason
    monkeypatch.setenv("TTC_BIN", tools)
    assert run(model, x).state == "ttc"


def test_the_size_is_bounded(own_cache, monkeypatch):
    models = [small(8, 64, 4) for _ in range(4)]
    x = torch.randn(2, 8)
    run(models[0], x)
    size = sum(path.stat().st_size for path in files(own_cache))
    monkeypatch.setenv("TTC_CACHE_SIZE", str(3 * size))
    for i, path in enumerate(files(own_cache)):
        os.utime(path, (1000 + i, 1000 + i))
    for model in models[1:]:
        run(model, x)
    assert len(files(own_cache)) <= 6 and sum(path.stat().st_size for path in files(own_cache)) <= 3 * size
    assert run(models[3], x).cached == 1
    assert run(models[0], x).compiled == 1  # it had not been used for longest


def test_sizes(monkeypatch):
    for text, size in (("500M", 500 << 20), ("20g", 20 << 30), ("7", 7), ("", 10 << 30)):
        monkeypatch.setenv("TTC_CACHE_SIZE", text)
        assert cache_size() == size
    monkeypatch.setenv("TTC_CACHE_SIZE", "much")
    with pytest.raises(ValueError, match="expected a number of bytes such as 500M or 20G, found 'much'"):
        cache_size()


def test_clearing(own_cache):
    run(small(), torch.randn(2, 8))
    own_cache.joinpath("mine.txt").write_text("not ours")
    assert torch_backend.clear_cache() > 1000
    assert [path.name for path in files(own_cache)] == ["mine.txt"]


def test_clearing_while_a_bundle_runs(own_cache):
    compiled = Compiled(small())
    with torch.no_grad():
        compiled(torch.randn(2, 8))
        torch_backend.clear_cache()
        compiled(torch.randn(2, 8))


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TTC_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("ttc._cache._not_kept_said", False)
    with caplog.at_level(logging.WARNING, "ttc.torch"):
        assert run(small(), torch.randn(2, 8)).compiled == 1
    assert "bundles are not kept" in caplog.text


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
@pytest.mark.parametrize("where", ["lock", "store", "compiler"])
def test_a_folder_that_cannot_be_written(own_cache, monkeypatch, caplog, where, code):
    def refuse(*args, **kwargs):
        raise OSError(code, os.strerror(code))

    def full(model, output, **options):
        if own_cache in output.parents:
            raise CompileError(f"error: cannot write '{output}': {os.strerror(code)}")
        return build(model, output, **options)

    if where == "compiler":
        if code != errno.ENOSPC:
            pytest.skip("only a full disk is noticed there first")
        monkeypatch.setattr(torch_backend, "build", full)
    else:
        monkeypatch.setattr(Cache, where, refuse)
    monkeypatch.setattr("ttc._cache._not_kept_said", False)
    with caplog.at_level(logging.WARNING, "ttc.torch"):
        graph = run(small(), torch.randn(2, 8))
    assert graph.state == "ttc" and not files(own_cache)
    assert [record.getMessage() for record in caplog.records] == [f"bundles are not kept: [Errno {code}] {os.strerror(code)}"]


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), RuntimeError("DefaultCPUAllocator: can't allocate memory")])
def test_what_may_pass_is_not_remembered(own_cache, monkeypatch, error):
    def fail(*args, **kwargs):
        raise RuntimeError("the exporter failed") from error

    model, x = small(), torch.randn(2, 8)
    with monkeypatch.context() as patch:
        patch.setattr("ttc._torch.onnx.export_program", fail)
        assert run(model, x).state == "PyTorch"
    assert run(model, x).state == "ttc"


def test_an_interrupt_while_compiling(own_cache, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    model, x = small(), torch.randn(2, 8)
    compiled = Compiled(model)
    with torch.no_grad():
        with monkeypatch.context() as patch:
            patch.setattr(torch_backend, "build", interrupt)
            with pytest.raises(KeyboardInterrupt):
                compiled(x)
        assert [path.name for path in own_cache.iterdir()] == ["locks"]
        compiled(x)
    assert compiled.states == ["ttc"]


def test_the_contents_of_a_target(own_cache, tmp_path):
    model, x = small(), torch.randn(2, 8)
    query = [f"{os.environ['TTC_BIN']}/ttrun", "query"]
    target = json.loads(subprocess.run(query, capture_output=True, text=True, check=True).stdout)
    path = tmp_path / "target.json"
    for bytes_, compiled in ((target["l1_bytes"], 1), (target["l1_bytes"], 0), (target["l1_bytes"] // 2, 1)):
        path.write_text(json.dumps(target | {"l1_bytes": bytes_}))
        assert run(model, x, target=str(path)).compiled == compiled


def test_threads_take_turns(own_cache):
    cache, order = Cache(own_cache), []

    def work(number):
        with cache.lock("ab" * 32):
            order.append(number)
            order.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order[::2] == order[1::2]


def test_the_key_has_the_build_of_the_compiler(tmp_path, monkeypatch):
    """Also where it is a library beside its tools, as in the wheel."""
    from ttc import _cache

    tool, library = tmp_path / "bin/ttc-translate", tmp_path / "lib/libttc_compiler.so"
    for path in (tool, library):
        path.parent.mkdir()
        path.write_text("1")
    monkeypatch.setattr(_cache, "tool_path", lambda name: tool)
    seen = [_cache.environment(())]
    for path in (library, tool):
        path.write_text("12")
        seen.append(_cache.environment(()))
    assert seen[0] != seen[1] != seen[2] and seen[2] == _cache.environment(())
