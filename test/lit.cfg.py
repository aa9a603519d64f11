# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the tests below test/.

Substitutions   %python  the interpreter that has numpy, onnx, ... where they are installed
                %shared  the folder of shared models (REQUIRES: shared)
                %source  the root of the source tree;  %build  the root of the build tree
                %cc, %cxx  the compilers of this build
                %version the version of ttc
                %variants  prints a test's modules and their variants (variants.py)
                %roundtrip compares a test's module with what was printed of it (roundtrip.py)
Tools           everything in <build>/bin, and FileCheck, not, count, split-file, by name
Features        compiler, shared, onnx-python, numpy, onnxruntime, x86-64, avx2, avx512,
                asan or tsan, root
"""
import os
import platform
import re
import subprocess

import lit.formats

config.name = "ttc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "CMakeLists.txt"]

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.ttc_build_dir, "bin"), config.ttc_llvm_tools, os.environ["PATH"]]
)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.ttc_sanitizer == "asan":
    # The shared libMLIR keeps objects until the process ends; they are not ours to free. Its
    # allocators are shared with code of ours, which poisons what is free, and libMLIR, which is
    # not instrumented, does not unpoison what it then allocates.
    config.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0:allow_user_poisoning=0")
    config.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

with open(os.path.join(config.ttc_source_dir, "CMakeLists.txt")) as lists:
    version = re.search(r"^project\(ttc VERSION ([\d.]+)", lists.read(), re.M)[1]

config.substitutions += [
    ("%version", version),
    ("%python", config.ttc_python),
    ("%variants", f"{config.ttc_python} {config.ttc_source_dir}/test/variants.py"),
    ("%roundtrip", f"{config.ttc_python} {config.ttc_source_dir}/test/roundtrip.py"),
    ("%source", config.ttc_source_dir),
    ("%build", config.ttc_build_dir),
    ("%cxx", config.ttc_cxx),
    ("%cc", config.ttc_cc),
]

if config.ttc_compiler:
    config.available_features.add("compiler")
else:
    # Without the compiler only the runtime's own tests can run.
    config.suffixes = [".test"]

if not config.ttc_clang:
    config.excludes.append("fuzz")

shared = os.environ.get("TTC_SHARED") or os.path.join(config.ttc_source_dir, "..", "shared")
if os.path.isdir(os.path.join(shared, "data")):
    config.available_features.add("shared")
    config.substitutions.append(("%shared", os.path.abspath(shared)))
    config.environment["TTC_SHARED"] = os.path.abspath(shared)


def can_import(module):
    """Whether the tests' Python has this module."""
    command = [config.ttc_python, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"]
    return subprocess.run(command, capture_output=True).returncode == 0


for module, feature in (("onnx", "onnx-python"), ("numpy", "numpy"), ("onnxruntime", "onnxruntime")):
    if can_import(module):
        config.available_features.add(feature)

if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86-64")
    with open("/proc/cpuinfo") as cpuinfo:
        flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
    if "avx2" in flags and "fma" in flags:
        config.available_features.add("avx2")
    if "avx512f" in flags:
        config.available_features.add("avx512")
if config.ttc_sanitizer:
    config.available_features.add(config.ttc_sanitizer)
if os.geteuid() == 0:
    config.available_features.add("root")
