# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every pytest file below test/ shares: where the built tools and the shared models are.

TTC_BUILD_DIR names the build tree (default: build at the root), TTC_SHARED the folder of shared
models (default: ../shared beside the checkout). Without the models a test is skipped with the reason;
so it is without a tool, unless TTC_BUILD_DIR was given: then a missing tool is a failure. Tests marked `nightly`
run only with TTC_NIGHTLY=1.
"""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()
sys.path.insert(0, str(ROOT / "test"))
import pictures  # noqa: E402
SHARED = pathlib.Path(os.environ.get("TTC_SHARED", ROOT.parent / "shared")).resolve()

MOST_KEPT = 1 << 25  # bytes of a model


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly: takes long, or repeats another test with more cases; TTC_NIGHTLY=1 runs it")


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    if left_out and not os.environ.get("TTC_NIGHTLY"):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


class Tools:
    """The built tools. A call returns the finished process and fails the test if it fails, or draws a picture with
    faults. `kept` is a folder for what several tests compile."""

    def __init__(self, kept):
        self.kept = kept

    def path(self, name):
        tool = BUILD / "bin" / name
        if not tool.exists():
            absent = pytest.fail if "TTC_BUILD_DIR" in os.environ else pytest.skip
            absent(f"{tool} is not built")
        return tool

    def run(self, name, *args, check=True, timeout=600, **options):
        command = [str(self.path(name)), *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
        if check and done.returncode != 0:
            pytest.fail(f"{' '.join(command)}\nexit {done.returncode}\n{done.stdout}\n{done.stderr}")
        if found := pictures.problems_of_command(command, options.get("cwd")):
            pytest.fail("\n".join([" ".join(command), *found[:20]]))
        return done

    def compile(self, model, bundle, *args, reuse=True, check=True, **options):
        """model.onnx or model.gguf -> bundle.ttcb, the whole way in one command. What each program of the bundle does
        is compared with what the bundle says about it. A bundle that another test has compiled in the same way is
        copied, except with options of the process; `reuse=False` is for tests of the compiler itself."""
        how = f"--{pathlib.Path(model).suffix[1:]}-to-bundle"
        with self.keeping("ttc-translate", how, model, *args) if reuse and not options else contextlib.nullcontext() as kept:
            if kept and kept.exists():
                shutil.copyfile(kept, bundle)
                return subprocess.CompletedProcess([], 0, "", "")
            done = self.run("ttc-translate", how, model, "-o", bundle, *args, check=check, **options)
            if done.returncode == 0:
                self.ttrun("check", "--execute", bundle, cwd=options.get("cwd"))
                if kept and not done.stdout + done.stderr:
                    shutil.copyfile(bundle, f"{kept}.part")
                    os.replace(f"{kept}.part", kept)
        return done

    def compile_ir(self, model, bundle, *options, execute=True):
        """model.mlir -> bundle.ttcb by the pipeline with these options; `execute` checks the programs as compile() does.
        Returns the IR that became the bundle."""
        plan = f"{bundle}.mlir"
        self.run("ttc-opt", model, f"--ttc-trace-pipeline={' '.join(options)}", "-o", plan)
        self.run("ttc-translate", "--ttc-to-bundle", plan, "-o", bundle)
        self.ttrun("check", *(["--execute"] if execute else []), bundle)
        return pathlib.Path(plan).read_text()

    @contextlib.contextmanager
    def keeping(self, tool, *args):
        """Locks, for all workers, and yields the path of the file that is kept for a tool and these arguments: the
        names and contents of the files among them, and all others as they are. None if they name other files to read or
        write."""
        status = self.path(tool).stat()
        key = [tool, status.st_mtime_ns, status.st_size]
        for option, _, value in (str(arg).rpartition("=") for arg in args):
            isfile = os.path.isfile(value) and os.path.getsize(value) < MOST_KEPT
            data = pathlib.Path(value).read_bytes() if isfile else None
            if b"location" in data if data else os.sep in value:  # of an ONNX tensor in a file of its own; of an output
                yield None
                return
            key.append((option, os.path.basename(value), hashlib.sha256(data).hexdigest()) if data else (option, value))
        kept = self.kept / hashlib.sha256(repr(key).encode()).hexdigest()
        self.kept.mkdir(exist_ok=True)
        with open(f"{kept}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield kept

    def open(self, bundle):
        """A bundle, opened in this process (capi.py)."""
        from capi import Bundle

        library = BUILD / "lib/libttrt.so"
        if not library.exists() or "-fsanitize" in (BUILD / "CMakeCache.txt").read_text():
            pytest.skip(f"{library} does not load into Python: not built, or sanitized")
        return Bundle(library, bundle)

    def ttrun(self, *args, **options):
        return self.run("ttrun", *args, **options)


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    # The workers of pytest-xdist have a folder each, in one of the session.
    return Tools((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kept")


@pytest.fixture(scope="session")
def shared():
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no shared models at {SHARED} (set TTC_SHARED)")
    return SHARED


@pytest.fixture(scope="session")
def build_dir():
    return BUILD


@pytest.fixture(scope="session")
def root():
    return ROOT
