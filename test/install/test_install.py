# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cmake --install, and what a stranger does with the result."""
import os
import re
import shutil
import subprocess

import numpy as np
import pytest


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(build_dir, tmp_path_factory):
    if not (build_dir / "CMakeCache.txt").exists():
        pytest.skip(f"no build at {build_dir}")
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", build_dir, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="module")
def build_example(installed, build_dir, root, tmp_path_factory):
    """Builds an example against the installed tree alone."""
    if "-fsanitize" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("a sanitized libttrt does not link into a plain program")

    def build(folder, program):
        source = tmp_path_factory.mktemp("example") / folder
        shutil.copytree(root / "examples" / folder, source)
        run("cmake", "-G", "Ninja", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={installed}",
            "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22")
        run("cmake", "--build", source / "build")
        return source / "build" / program

    return build


@pytest.fixture(scope="module")
def example(build_example):
    return build_example("c", "ttrt-example")


def test_tree(installed):
    files = {str(p.relative_to(installed)) for p in installed.rglob("*") if p.is_file()}
    for tool in ("ttc-opt", "ttc-translate", "ttrun", "ttc-lsp-server", "ttc-plan", "ttc-plan-check"):
        assert f"bin/{tool}" in files
    for tail in ("include/ttrt/ttrt.h", "include/ttrt/pipeline.hpp", "ttrtConfig.cmake", "ttrtConfigVersion.cmake", "LICENSE"):
        assert any(f.endswith(tail) for f in files), (tail, sorted(files))


def test_libttrt_is_small(installed, build_dir, tmp_path):
    """What an application carries: below 200 KiB, stripped. Release only, others are not optimised."""
    if "CMAKE_BUILD_TYPE:STRING=Release" not in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("not a release build")
    library, = (p for p in installed.rglob("libttrt.so.*") if not p.is_symlink())
    run("strip", "-o", tmp_path / "libttrt.so", library)
    assert (tmp_path / "libttrt.so").stat().st_size < 200 * 1024


def test_installed_tools_start(installed):
    for tool in ("ttc-opt", "ttc-translate", "ttrun"):
        assert "usage" in run(installed / "bin" / tool, "--help", env={}).lower()


def test_c_example_runs_a_bundle_made_by_hand(example, build_dir, tmp_path):
    """Without the compiler: the bundle that the runtime's own tests use."""
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    run(writer, "sample", tmp_path / "sample.ttcb")
    assert re.search(r"^output \S+: [\d ]+; largest: element", run(example, tmp_path / "sample.ttcb"), re.M)


def test_c_example_runs_a_bundle(example, tools, root, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle)
    printed = run(example, bundle)
    assert "input image: 1 1 8 8" in printed
    largest, value = re.search(r"output logits: 1 10; largest: element (\d+), (\S+)", printed).groups()
    np.save(tmp_path / "in.npy", (np.arange(64, dtype=np.float32) / 64).reshape(1, 1, 8, 8))
    tools.ttrun("run", bundle, f"--input=image={tmp_path / 'in.npy'}",
                f"--output=logits={tmp_path / 'out.npy'}")
    logits = np.load(tmp_path / "out.npy").ravel()
    assert int(largest) == logits.argmax()
    assert float(value) == pytest.approx(float(logits.max()), rel=1e-5)


def test_cpp_example_streams(build_example, tools, root, tmp_path):
    program, bundle = build_example("cpp", "ttrt-stream"), tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, "--slots=2")
    np.save(tmp_path / "in.npy", np.full((1, 1, 8, 8), 49, np.float32))
    tools.ttrun("run", bundle, f"--input=image={tmp_path / 'in.npy'}", f"--output=logits={tmp_path / 'out.npy'}")
    largest = float(np.load(tmp_path / "out.npy").max())
    for schedule in ("overlap-io-signals", "single", "overlap-io", "overlap-input"):
        printed = run(program, bundle, 50, schedule)
        name, value = re.match(r"(\S+): 50 inferences; the last one's largest element: (\S+)", printed).groups()
        assert name == schedule
        assert float(value) == pytest.approx(largest, rel=1e-5)
    assert run(program, bundle, 1).startswith("overlap-io-signals: 1 inferences")
    done = subprocess.run([program, bundle, "1", "fastest"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("no schedule 'fastest'; entry point 'main' has: single, overlap-io-signals")


def test_c_example_reports_a_bad_bundle(example, tmp_path):
    (tmp_path / "bad.ttcb").write_bytes(os.urandom(8192))
    done = subprocess.run([example, tmp_path / "bad.ttcb"], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.match(r"[a-z ]+: .+", done.stderr), done.stderr
