#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure whole models: ttc, ONNX Runtime and OpenVINO, alternately, in one run.

Each engine has a process of its own on the same cores. A round gives each of them its turn, in
rotating order; the ratio is taken within each round and the median over the rounds is printed, so
that a clock that drifts with the neighbours does not favour anyone.

"x faster" is the peer's time over ours: above 1, ttc is faster. The peak of one core, the share of it
that a model gets, and the ops that lose most come from recordings in the same rounds (losses.py); so
does the scaling from one core to two.

Models are random-weight copies of ../shared/data/light, and encoders and vision transformers that
../shared/tools/export_encoders.py and export_vision.py export (that needs torch, transformers,
onnxscript); --classes measures those of the folder classes, half of them also in bytes. All are made on first
use and kept in --models-folder. With --float or --weights, ttc also runs the f32 model without
options in the same rounds ("ttc f32"). NAME_qdq and NAME_dynamic are a model quantised by ONNX Runtime's
quantiser (quantize.py); --quantized measures those that quantised kernels are for. Peers that are not
installed are named and left out:
  .venv/bin/pip install -r benchmarks/requirements.txt
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import classes
import common
import float_types
import losses
import quantize

LIGHT = ["resnet50", "squeezenet", "shufflenet", "densenet121", "inception_v1", "inception_v2",
         "vgg19", "bvlc_alexnet", "zfnet512"]
ENCODERS = ["bert_base_128", "minilm_128", "minilm_16", "small_32"]
VISION = ["convnext_tiny", "vit_base"]
ALL = [*LIGHT, "mobilenet_v2", "convnext_tiny", "bert_base_128", "minilm_128", "minilm_16", "vit_base"]
DEFAULT = ["resnet50", "squeezenet", "bert_base_128"]
DISTURBED = 0.1  # cores that others may keep busy
# The largest difference to ONNX Runtime's outputs, relative to the largest output. In a model that multiplies integers, one
# rounding the other way grows from layer to layer: with random weights, both engines are up to 0.07 away from the same
# model in f32 arithmetic, and from each other.
LIMIT, LIMIT_OF_INTEGERS = 1e-3, 0.1
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
        command = [tools / "realize_light_models.py", shared / f"data/light/light_{name}.onnx", path]
    elif name in VISION:
        command = [common.HERE / "export_vision.py", folder, name]
    elif name in classes.F32:
        command = [common.HERE / "classes/export.py", folder, name]
    else:
        command = [tools / "export_encoders.py", folder, name]
    print(f"making {path.name} ...", flush=True)
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    if done.returncode or not path.exists():
        why = (done.stderr.strip() or "no message").splitlines()[-1]
        print(f"SKIPPED {name}: {command[0].name} failed: {why}")
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
    """The largest difference, relative to the largest output; NaN if there is one."""
    return float(np.max([np.abs(np.load(ours[n]) - np.load(theirs[n])).max() /
                         np.abs(np.load(theirs[n])).max() for n in theirs]))


class Bundle:
    """A model that ttc compiled, timed as the peers are."""

    def __init__(self, ttc, name, path):
        self.ttc, self.name, self.path = ttc, name, path

    def times(self, loops):
        self.last = self.ttc.perf(self.path, loops)
        return [self.last["end_to_end_ms"]["median"]]

    def resident(self):
        return self.last["resident_mb"]

    def ready_ms(self):
        return self.last["load_ms"]

    def close(self):
        pass


class Turns:
    """The engines on this number of cores, and their measurements: a separate result."""

    def __init__(self, cores, arguments, path, bundle, wide_bundle, scratch):
        self.cores = common.cores_to_use(cores)
        self.ttc = common.Ttc(arguments.build, self.cores)
        self.ours = Bundle(self.ttc, "ttc", bundle)
        self.peers = []
        self.wanted = cores in arguments.cores  # else only for the scaling
        if self.wanted:
            for name in common.installed_peers():
                try:
                    self.peers.append(common.Peer(name, path, self.cores, scratch / "inputs.npz"))
                except RuntimeError as error:
                    print(f"SKIPPED {name} for {path.stem} in {arguments.float}: {error}")
        self.others = list(self.peers)
        if wide_bundle and self.wanted:
            self.others.append(Bundle(self.ttc, "ttc f32", wide_bundle))
        self.engines = [self.ours, *self.others]
        self.times = {engine.name: [] for engine in self.engines}
        self.loads = {"full": [], "structure": []}
        self.losses = losses.Losses()
        self.foreign = common.Others()  # while ttc has its turns: then peers sleep

    def turn(self, engine, loops):
        with self.foreign if engine is self.ours else contextlib.nullcontext():
            times = engine.times(loops)
        self.times[engine.name].append(common.median(times))
        if engine is self.ours and self.wanted:
            self.loads["full"].append(engine.last["load_ms"])
            self.loads["structure"].append(self.ttc.perf(engine.path, 1, "structure")["load_ms"])

    def record(self, loops, scratch):
        profile = self.ttc.profile(self.ours.path, scratch / "profile", loops)
        self.losses.add(profile, len(self.cores), self.times["ttc"][-1])

    def result(self):
        mine = self.times["ttc"]
        return {"ms": {engine: common.median(values) for engine, values in self.times.items()},
                "faster": {e.name: common.median(b / a for a, b in zip(mine, self.times[e.name]))
                           for e in self.others},
                "load_ms": {verify: common.median(values) for verify, values in self.loads.items()},
                "create_ms": {e.name: e.ready_ms() for e in self.others},
                "resident_mb": {e.name: e.resident() for e in self.engines},
                "others_cores": self.foreign.cores(),
                **self.losses.result()}


def compile_all(path, arguments, scratch, result):
    """The bundle, and that of the f32 model if it is to be compared with it, else None."""
    original = path
    if arguments.float != "f32":
        path = scratch / path.name
        onnx.save(float_types.convert(onnx.load(original), arguments.float), path)
    cores = common.cores_to_use(min(2, len(os.sched_getaffinity(0))))
    ttc = common.Ttc(arguments.build, cores)
    options = [f"--weights={arguments.weights}"] if arguments.weights else []
    bundle, wide = scratch / "model.ttcb", None
    result["compile_s"] = ttc.compile(path, bundle, cores, options)
    result["bundle_mb"] = bundle.stat().st_size / 1e6
    if arguments.float != "f32" or arguments.weights:
        wide = scratch / "f32.ttcb"
        ttc.compile(original, wide, cores)
    return path, bundle, wide


def compare_outputs(turns, path, inputs, wide, scratch):
    """The errors against each other engine."""
    files, errors = {}, {}
    for name, value in inputs.items():
        files[name] = scratch / f"in_{len(files)}.npy"
        np.save(files[name], value)
    names = [output.name for output in onnx.load(path, load_external_data=False).graph.output]
    ours = {name: str(scratch / f"ours_{i}.npy") for i, name in enumerate(names)}
    turns.ttc.outputs(turns.ours.path, files, ours)
    for peer in turns.peers:
        errors[peer.name] = worst_error(ours, peer.save(scratch))
    if wide:
        theirs = {name: str(scratch / f"wide_{i}.npy") for i, name in enumerate(names)}
        turns.ttc.outputs(wide, files, theirs)
        errors["ttc f32"] = worst_error(ours, theirs)
    return errors


def measure(path, arguments, scratch):
    """A result for each number of cores."""
    inputs = random_inputs(path)
    np.savez(scratch / "inputs.npz", **inputs)
    facts = {"model": path.stem.removeprefix("light_").removesuffix("_real"),
             "float": arguments.float, "weights": arguments.weights or "auto"}
    path, bundle, wide = compile_all(path, arguments, scratch, facts)
    # One core and two are always measured, for the scaling; peers only as they are asked for.
    most = len(os.sched_getaffinity(0))
    counts = sorted({*arguments.cores, *(c for c in (1, 2) if c <= most)})
    turns = {n: Turns(n, arguments, path, bundle, wide, scratch) for n in counts}
    wanted = turns[arguments.cores[0]]
    limit = LIMIT_OF_INTEGERS if path.stem.endswith(tuple(f"_{kind}" for kind in quantize.KINDS)) else LIMIT
    for name, error in compare_outputs(wanted, path, inputs, wide, scratch).items():
        facts[f"error_{name}"] = error
        # Other types round differently, and OpenVINO multiplies other integers.
        if name == "onnxruntime" and not (arguments.float != "f32" or arguments.weights or error <= limit):
            for engine in (e for part in turns.values() for e in part.engines):
                engine.close()
            raise RuntimeError(f"expected outputs within {limit} of ONNX Runtime's, found {error:.1e}")

    # As many inferences a turn as fit into its share of the time.
    first = turns[counts[0]].ttc.perf(bundle, 3)
    share = arguments.seconds * 1e3 / arguments.rounds / sum(len(t.engines) for t in turns.values())
    loops = max(3, int(share / first["end_to_end_ms"]["median"]))
    facts.update(commands=sum(first["commands_per_trace"]), loops_a_turn=loops)
    order = [(t, engine) for t in turns.values() for engine in t.engines]
    for turn in range(arguments.rounds):
        begin = turn % len(order)
        for part, engine in order[begin:] + order[:begin]:
            part.turn(engine, loops)
        for count in arguments.cores:
            turns[count].record(min(loops, 20), scratch)
    scaling = None
    if {1, 2} <= set(counts):
        scaling = common.median(a / b / 2 for a, b in zip(turns[1].times["ttc"],
                                                          turns[2].times["ttc"]))
    results = [{**facts, "cores": count, "scaling": scaling, **turns[count].result()}
               for count in arguments.cores]
    for part in turns.values():
        for engine in part.engines:
            engine.close()
    return results


def best(result):
    """How many times faster ttc is than the faster peer; None without peers."""
    return min((r for name, r in result["faster"].items() if name != "ttc f32"), default=None)


def report(result):
    print(f"\n{result['model']}, floats {result['float']}, weights {result['weights']}, "
          f"{result['cores']} core(s), {result['loops_a_turn']} inferences a turn")
    print(f"  {'engine':12} {'ms':>9} {'ttc is':>14} {'ready ms':>10} {'resident MB':>12} {'error':>9}")
    for engine, ms in result["ms"].items():
        if engine == "ttc":
            ready, faster, error = result["load_ms"]["full"], "", ""
        else:
            ready = result["create_ms"][engine]
            faster = f"{result['faster'][engine]:.3f} x faster"
            error = f"{result[f'error_{engine}']:.1e}"
        print(f"  {engine:12} {ms:9.3f} {faster:>14} {ready:10.2f} "
              f"{result['resident_mb'][engine]:12.1f} {error:>9}")
    print(*losses.lines(result), sep="\n")
    if result["others_cores"] > DISTURBED:
        print(f"  WARNING: others kept {result['others_cores']:.2f} cores busy meanwhile: measure again")
    if result["scaling"]:
        print(f"  scaling: time on one core / (2 x time on two cores) = {result['scaling']:.2f}")
    loads = result["load_ms"]
    print(f"  compiled in {result['compile_s']:.1f} s on two cores to {result['bundle_mb']:.1f} MB, "
          f"{result['commands']} commands; structure-only load {loads['structure']:.2f} ms")
    if "onnxruntime" in result["create_ms"]:
        create = result["create_ms"]["onnxruntime"]
        print(f"  loading against ONNX Runtime's session creation: full {loads['full'] / create:.1%}, "
              f"structure {loads['structure'] / create:.1%}")


def table(results):
    """Markdown: a row for each model, the geometric means, and the least. Above 1.00, ttc is faster; (!) marks
    models whose measurement was disturbed."""
    counts = sorted({r["cores"] for r in results})
    words = {1: "one core", 2: "two cores"}
    heads, rows = ["model"], {}
    for count in counts:
        text = words.get(count, f"{count} cores")
        heads += [f"{text}: ms", "ORT / ttc", "OpenVINO / ttc", "best / ttc", "% of peak"]
    yield "| " + " | ".join([*heads, "scaling"]) + " |"
    yield "|---" * (len(heads) + 1) + "|"
    for result in results:
        rows.setdefault(result["model"], {})[result["cores"]] = result
    for model, by_cores in rows.items():
        cells = [model + (" (!)" if any(
            r["others_cores"] > DISTURBED for r in by_cores.values()) else "")]
        for count in counts:
            result = by_cores.get(count)
            if result is None:
                cells += ["-"] * 5
                continue
            ratios = [result["faster"].get(p) for p in ("onnxruntime", "openvino")]
            cells += [f"{result['ms']['ttc']:.2f}",
                      *("-" if r is None else f"{r:.2f}" for r in [*ratios, best(result)]),
                      f"{result['of_peak']:.0%}"]
        scaling = next(iter(by_cores.values()))["scaling"]
        yield "| " + " | ".join([*cells, f"{scaling:.2f}" if scaling else "-"]) + " |"
    cells = ["*geometric mean*"]
    for count in counts:
        ratios = [best(r) for r in results if r["cores"] == count and best(r)]
        cells += ["", "", "", f"*{statistics.geometric_mean(ratios):.3f}*" if ratios else "-", ""]
    yield "| " + " | ".join([*cells, ""]) + " |"
    cells = ["*least*"]
    for count in counts:
        ratios = [best(r) for r in results if r["cores"] == count and best(r)]
        cells += ["", "", "", f"*{min(ratios):.2f}*" if ratios else "-", ""]
    yield "| " + " | ".join([*cells, ""]) + " |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=DEFAULT,
                        help=f"names or .onnx files (default: {' '.join(DEFAULT)}; "
                        f"known: {' '.join(['mobilenet_v2', *LIGHT, *ENCODERS, *VISION, *classes.F32])}, "
                        "and each with _qdq or _dynamic)")
    parser.add_argument("--all", action="store_true",
                        help=f"measure {' '.join(ALL)} on one core and on two, and print a table")
    parser.add_argument("--quantized", action="store_true",
                        help=f"measure {' '.join(QUANTIZED)} instead")
    parser.add_argument("--classes", action="store_true",
                        help=f"measure {len(classes.F32)} models of all kinds of networks (classes/__init__.py) and "
                        f"{len(classes.QUANTIZED)} copies in bytes, on one core and on two, and print a table")
    parser.add_argument("--cores", type=lambda text: [int(n) for n in text.split(",")],
                        help="cores for each engine, or a list: 1,2 (default 1; with --all and --classes 1,2)")
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
    arguments.cores = arguments.cores or ([1, 2] if arguments.all or arguments.classes else [1])

    print(*common.machine_facts(arguments.build), sep="\n")
    for name in ("onnxruntime", "openvino"):
        if name not in common.installed_peers():
            print(f"SKIPPED {name}: not installed (benchmarks/requirements.txt)")
    results, measured = [], 0
    names = ALL if arguments.all else arguments.models
    names = QUANTIZED if arguments.quantized else names
    names = [*classes.F32, *classes.QUANTIZED] if arguments.classes else names
    for name in names:
        path = model_file(name, arguments.models_folder, arguments.shared)
        if path is None:
            continue
        with tempfile.TemporaryDirectory(prefix="ttc-benchmark-") as scratch:
            try:
                fresh = measure(path, arguments, pathlib.Path(scratch))
            except RuntimeError as error:
                print(f"FAILED {name}: {error}")
                continue
        results += fresh
        measured += 1
        for result in fresh:
            report(result)
        sys.stdout.flush()
        if arguments.json:  # after each model: a long run that is stopped keeps what it has
            arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    if measured < len(names):
        print(f"\n{len(names) - measured} of {len(names)} models failed or were skipped")
    if arguments.all or measured > 1:
        print("", *table(results), sep="\n")
    return 0 if measured == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
