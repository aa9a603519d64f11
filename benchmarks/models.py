#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure whole models: ttc, ONNX Runtime and OpenVINO, alternately, in one run.

Each engine has a process of its own on the same cores. A round gives each of them its turn, in
rotating order; the ratio is taken within each round and the median over the rounds is printed, so
that a clock that drifts with the neighbours does not favour anyone.

Models are random-weight copies of ../shared/data/light and the encoders that
../shared/tools/export_encoders.py exports (that needs torch, transformers, onnxscript); both are
made on first use and kept in --models. With --float or --weights, ttc also runs the f32 model without
options in the same rounds ("ttc f32"). NAME_qdq and NAME_dynamic are a model quantised by ONNX Runtime's
quantiser (quantize.py); --quantized measures those that quantised kernels are for. Peers that are not
installed are named and left out:
  .venv/bin/pip install -r benchmarks/requirements.txt
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import common
import float_types
import quantize

LIGHT = ["resnet50", "squeezenet", "shufflenet", "densenet121", "inception_v1", "inception_v2",
         "vgg19", "bvlc_alexnet", "zfnet512"]
ENCODERS = ["bert_base_128", "minilm_128", "minilm_16", "small_32"]
DEFAULT = ["resnet50", "squeezenet", "bert_base_128"]
QUANTIZED = ["resnet50_qdq", "mobilenet_v2_qdq", "minilm_128_dynamic"]


def model_file(name, folder, shared):
    """The ONNX file of a model; made if it is not there. None with a message if it cannot be."""
    if name.endswith(".onnx"):
        return pathlib.Path(name)
    path = folder / (f"light_{name}_real.onnx" if name in LIGHT else f"{name}.onnx")
    if path.exists():
        return path
    base, _, kind = name.rpartition("_")
    if kind in quantize.KINDS:
        source = model_file(base, folder, shared)
        if source is not None:
            print(f"making {path.name} ...", flush=True)
            quantize.KINDS[kind](source, path)
        return path if source is not None else None
    folder.mkdir(parents=True, exist_ok=True)
    if name == "mobilenet_v2":
        quantize.make_mobilenet_v2(path)
        return path
    tools = shared / "tools"
    if name in LIGHT:
        command = ["realize_light_models.py", shared / f"data/light/light_{name}.onnx", path]
    else:
        command = ["export_encoders.py", folder, name]
    print(f"making {path.name} ...", flush=True)
    done = subprocess.run([sys.executable, tools / command[0], *command[1:]], capture_output=True,
                          text=True)
    if done.returncode or not path.exists():
        why = (done.stderr.strip() or "no message").splitlines()[-1]
        print(f"SKIPPED {name}: {command[0]} failed: {why}")
        return None
    return path


def random_inputs(path):
    """One array per input: token ids, a mask of ones, or normal noise."""
    model = onnx.load(path, load_external_data=False)
    weights = {t.name for t in model.graph.initializer}
    rng = np.random.default_rng(0)
    inputs = {}
    for value in model.graph.input:
        if value.name in weights:
            continue
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if np.issubdtype(dtype, np.integer):
            inputs[value.name] = (np.ones(shape) if value.name == "mask"
                                  else rng.integers(0, 30000, shape)).astype(dtype)
        else:
            inputs[value.name] = rng.standard_normal(shape).astype(dtype)
    return inputs


def worst_error(ours, theirs):
    """The largest difference, relative to the largest output."""
    return max(float(np.abs(np.load(ours[n]) - np.load(theirs[n])).max() /
                     np.abs(np.load(theirs[n])).max()) for n in theirs)


class Bundle:
    """A model that ttc compiled, timed as the peers are."""

    def __init__(self, ttc, name, model, path, compile_cores, options=()):
        self.ttc, self.name, self.path = ttc, name, path
        self.compile_s = ttc.compile(model, path, compile_cores, options)

    def times(self, loops):
        self.last = self.ttc.perf(self.path, loops)
        return [self.last["end_to_end_ms"]["median"]]


def measure(path, arguments, scratch):
    cores = common.cores_to_use(arguments.cores)
    inputs = random_inputs(path)
    original = path
    if arguments.float != "f32":
        path = scratch / path.name
        onnx.save(float_types.convert(onnx.load(original), arguments.float), path)
    np.savez(scratch / "inputs.npz", **inputs)
    ttc = common.Ttc(arguments.build, cores)
    compile_cores = common.cores_to_use(min(2, len(os.sched_getaffinity(0))))
    options = [f"--weights={arguments.weights}"] if arguments.weights else []
    ours = Bundle(ttc, "ttc", path, scratch / "model.ttcb", compile_cores, options)
    bundle = ours.path
    result = {"model": path.stem, "cores": arguments.cores, "float": arguments.float,
              "weights": arguments.weights or "auto", "compile_s": ours.compile_s,
              "bundle_mb": bundle.stat().st_size / 1e6}

    peers = []
    for name in common.installed_peers():
        try:
            peers.append(common.Peer(name, path, cores, scratch / "inputs.npz"))
        except RuntimeError as error:
            print(f"SKIPPED {name} for {path.stem} in {arguments.float}: {error}")
    files = {}
    for name, value in inputs.items():
        files[name] = scratch / f"in_{len(files)}.npy"
        np.save(files[name], value)
    for peer in peers:
        theirs = peer.save(scratch)
        outputs = {name: str(scratch / f"ours_{i}.npy") for i, name in enumerate(theirs)}
        ttc.outputs(bundle, files, outputs)
        result[f"error_{peer.name}"] = worst_error(outputs, theirs)
    others = list(peers)
    if arguments.float != "f32" or arguments.weights:
        others.append(Bundle(ttc, "ttc f32", original, scratch / "f32.ttcb", compile_cores))
        names = [output.name for output in onnx.load(path, load_external_data=False).graph.output]
        narrow, wide = ({name: str(scratch / f"{kind}_{i}.npy") for i, name in enumerate(names)}
                        for kind in ("narrow", "wide"))
        ttc.outputs(bundle, files, narrow)
        ttc.outputs(others[-1].path, files, wide)
        result["error_ttc f32"] = worst_error(narrow, wide)

    # As many inferences a turn as fit into its share of the time.
    first = ttc.perf(bundle, 3)
    loops = max(3, int(arguments.seconds * 1e3 / arguments.rounds /
                       (len(others) + 1) / first["end_to_end_ms"]["median"]))
    result.update(commands=sum(first["commands_per_trace"]), resident_mb={"ttc": first["resident_mb"]})
    times = {engine: [] for engine in ["ttc", *(p.name for p in others)]}
    loads = {"full": [], "structure": []}
    for turn in range(arguments.rounds):
        order = [ours, *others]
        for engine in order[turn % len(order):] + order[:turn % len(order)]:
            times[engine.name].append(common.median(engine.times(loops)))
            if engine is ours:
                loads["full"].append(ours.last["load_ms"])
                loads["structure"].append(ttc.perf(bundle, 1, "structure")["load_ms"])
    result["loops_a_turn"] = loops
    result["ms"] = {engine: common.median(values) for engine, values in times.items()}
    result["ratio"] = {p.name: common.median(a / b for a, b in zip(times["ttc"], times[p.name]))
                       for p in others}
    result["load_ms"] = {verify: common.median(values) for verify, values in loads.items()}
    result["create_ms"] = {p.name: p.facts["create_ms"] for p in peers}
    for peer in peers:
        result["resident_mb"][peer.name] = peer.resident()
        peer.close()
    if len(others) > len(peers):
        result["resident_mb"]["ttc f32"] = others[-1].last["resident_mb"]
        result["create_ms"]["ttc f32"] = others[-1].last["load_ms"]
    return result


def report(result):
    print(f"\n{result['model']}, floats {result['float']}, weights {result['weights']}, "
          f"{result['cores']} core(s), {result['loops_a_turn']} inferences a turn")
    print(f"  {'engine':12} {'ms':>9} {'ttc/this':>9} {'ready ms':>10} {'resident MB':>12} {'error':>9}")
    for engine, ms in result["ms"].items():
        if engine == "ttc":
            ready, ratio, error = result["load_ms"]["full"], "", ""
        else:
            ready = result["create_ms"][engine]
            ratio = f"{result['ratio'][engine]:.3f}"
            error = f"{result[f'error_{engine}']:.1e}"
        print(f"  {engine:12} {ms:9.3f} {ratio:>9} {ready:10.2f} "
              f"{result['resident_mb'][engine]:12.1f} {error:>9}")
    loads = result["load_ms"]
    print(f"  compiled in {result['compile_s']:.1f} s on two cores to {result['bundle_mb']:.1f} MB, "
          f"{result['commands']} commands; structure-only load {loads['structure']:.2f} ms")
    if "onnxruntime" in result["create_ms"]:
        create = result["create_ms"]["onnxruntime"]
        print(f"  loading against ONNX Runtime's session creation: full {loads['full'] / create:.1%}, "
              f"structure {loads['structure'] / create:.1%}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=DEFAULT,
                        help=f"names or .onnx files (default: {' '.join(DEFAULT)}; all: every name; "
                        f"known: {' '.join(['mobilenet_v2', *LIGHT, *ENCODERS])}, and each with _qdq or _dynamic)")
    parser.add_argument("--quantized", action="store_true",
                        help=f"measure {' '.join(QUANTIZED)} instead")
    parser.add_argument("--cores", type=int, default=1, help="cores for each engine (default 1)")
    parser.add_argument("--float", choices=["f32", *float_types.TYPES], default="f32",
                        help="convert the models to this type (default f32)")
    parser.add_argument("--weights", choices=["f32", "f16", "bf16", "int8"],
                        help="ttc's option of this name")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each engine (default 9)")
    parser.add_argument("--seconds", type=float, default=30, help="about this long a model")
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--models-folder", type=pathlib.Path, default=common.ROOT / "build/models")
    parser.add_argument("--shared", type=pathlib.Path, default=pathlib.Path(
        os.environ.get("TTC_SHARED", common.ROOT.parent / "shared")))
    parser.add_argument("--json", type=pathlib.Path, help="also write the results here")
    arguments = parser.parse_args()

    print(*common.machine_facts(arguments.build), sep="\n")
    for name in ("onnxruntime", "openvino"):
        if name not in common.installed_peers():
            print(f"SKIPPED {name}: not installed (benchmarks/requirements.txt)")
    results = []
    names = LIGHT + ENCODERS if arguments.models == ["all"] else arguments.models
    names = QUANTIZED if arguments.quantized else names
    for name in names:
        path = model_file(name, arguments.models_folder, arguments.shared)
        if path is None:
            continue
        with tempfile.TemporaryDirectory(prefix="ttc-benchmark-") as scratch:
            try:
                results.append(measure(path, arguments, pathlib.Path(scratch)))
            except RuntimeError as error:
                print(f"FAILED {name}: {error}")
                continue
        report(results[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0 if len(results) == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
