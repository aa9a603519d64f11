# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles for AArch64 in an emulator: all outputs and states have the bits of the same model on x86-64.

TTC_ARM_BUILD names the build of the preset arm64 (default: build-arm64), TTC_ARM_EMULATOR the command that runs its
programs (default: qemu-aarch64-static -L build-arm64-root). Without them, the tests are skipped."""
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test/conformance"))

BUILD = pathlib.Path(os.environ.get("TTC_ARM_BUILD", ROOT / "build-arm64"))
EMULATOR = shlex.split(os.environ.get("TTC_ARM_EMULATOR", f"qemu-aarch64-static -L {ROOT}/build-arm64-root"))
# The CPU that LLVM compiles for, that of the emulator, and the one of x86-64 with the same instructions for products of bytes.
CPUS = [("cortex-a53", "cortex-a53", "x86-64-v3"), ("cortex-a72", "cortex-a72", "x86-64-v3"), ("cortex-a76", "cortex-a76", "x86-64-v3"),
        ("neoverse-n1", "neoverse-n1", "x86-64-v3"), ("neoverse-v2", "max", "x86-64-v3"), ("apple-m1", "max", "x86-64-v3")]


class Arm:
    def run(self, name, *args, cpu="max", check=True):
        done = subprocess.run([*EMULATOR, BUILD / "bin" / name, *map(str, args)], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "QEMU_CPU": cpu})
        assert not check or done.returncode == 0, f"{name}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done


@pytest.fixture(scope="session")
def arm():
    if platform.machine() != "x86_64":
        pytest.skip("the results of x86-64 are compared with")
    if not (BUILD / "bin/ttc-outputs").exists():
        pytest.skip(f"nothing is built for AArch64 in {BUILD} (docs/arm.md)")
    if not shutil.which(EMULATOR[0]):
        pytest.skip(f"there is no {EMULATOR[0]} (docs/arm.md)")
    return Arm()


def outputs(text):
    """{entry, run and output: hash}, all NaNs as one."""
    lines = [line.rsplit(" ", 2) for line in text.splitlines()]
    assert lines
    return {name: same for name, _, same in lines}


def compare(tools, arm, model, folder, *options, cpu=CPUS[1], cores=2):
    """A model on both architectures; the names of outputs and states with other bits."""
    kind, found = pathlib.Path(model).suffix[1:], []
    name, emulated, other = cpu
    for target in (other, name):
        bundle = folder / f"{target}.ttcb"
        tools.run("ttc-translate", f"--{kind}-to-bundle", model, f"--target-cpu={target}", "-o", bundle, *options)
        done = tools.run("ttc-outputs", cores, bundle) if target == other else arm.run("ttc-outputs", cores, bundle, cpu=emulated)
        found.append(outputs(done.stdout))
    expected, found = found
    assert found.keys() == expected.keys()
    return [name for name in found if found[name] != expected[name]]


@pytest.mark.parametrize("cpu", CPUS, ids=[cpu[0] for cpu in CPUS])
def test_digits(cpu, tools, arm, tmp_path):
    assert compare(tools, arm, ROOT / "examples/digits/digits.onnx", tmp_path, cpu=cpu) == []


def test_an_older_cpu_is_refused(tools, arm, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.run("ttc-translate", "--onnx-to-bundle", ROOT / "examples/digits/digits.onnx", "--target-cpu=neoverse-v2", "-o", bundle)
    done = arm.run("ttc-outputs", 1, bundle, cpu="cortex-a72", check=False)
    assert done.returncode == 1 and "needs features that this one (aarch64) lacks: " in done.stdout
    assert {"dotprod", "i8mm", "sve2"} <= set(done.stdout.strip().partition("lacks: ")[2].split(", "))


def test_the_other_architecture_is_refused(tools, arm, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.run("ttc-translate", "--onnx-to-bundle", ROOT / "examples/digits/digits.onnx", "--target-cpu=x86-64-v3", "-o", bundle)
    done = arm.run("ttc-outputs", 1, bundle, check=False)
    assert done.returncode == 1 and "bundle is compiled for x86_64 (x86-64-v3); this machine is aarch64" in done.stdout


@pytest.mark.parametrize("format", ["Q8_0", "Q4_K", "IQ4_XS", "MXFP4", "Q6_K"])
def test_decoder(format, tools, arm, tmp_path):
    pytest.importorskip("numpy")
    import gguf_models

    model = tmp_path / "model.gguf"
    gguf_models.write(model, format=format, layers=1, width=256, hidden=256, head_size=64)
    assert compare(tools, arm, model, tmp_path, "--context=128", "--logits") == []
