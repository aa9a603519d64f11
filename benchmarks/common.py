# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks share: facts about the machine, pinned processes, ttc's two tools."""
import importlib.metadata
import json
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = pathlib.Path(__file__).resolve().parent


def machine_facts(build):
    """Lines that say what was measured on; a number without them means little."""
    cpu, flags = "unknown", set()
    for line in open("/proc/cpuinfo"):
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            cpu = value.strip()
        if key.strip() == "flags":
            flags = set(value.split())
            break
    memory = next(int(l.split()[1]) for l in open("/proc/meminfo") if l.startswith("MemTotal"))
    vectors = [f for f in ("avx2", "fma", "avx512f", "avx512_vnni", "amx_tile") if f in flags]
    commit = subprocess.run(["git", "-c", "safe.directory=*", "describe", "--always", "--dirty"],
                            cwd=ROOT, capture_output=True, text=True).stdout.strip()
    kind = next((l.split("=")[1].strip() for l in open(build / "CMakeCache.txt")
                 if l.startswith("CMAKE_BUILD_TYPE:")), "unknown")
    load = ", ".join(f"{v:.1f}" for v in os.getloadavg())
    return [
        f"machine   {cpu}; {' '.join(vectors)}; {len(os.sched_getaffinity(0))} CPUs, "
        f"{memory / 2**20:.0f} GiB; load {load}",
        f"system    {platform.freedesktop_os_release().get('PRETTY_NAME')}, "
        f"kernel {platform.release()}, Python {platform.python_version()}",
        f"versions  ttc {commit or 'unknown'} ({kind} build); " +
        "; ".join(f"{name} {version(name)}" for name in ("onnxruntime", "openvino")),
    ]


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def cores_to_use(count):
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < count:
        sys.exit(f"{count} cores wanted, {len(allowed)} allowed")
    return allowed[:count]


def pinned(cores):
    """For subprocess's preexec_fn: the same cores for every engine."""
    return lambda: os.sched_setaffinity(0, cores)


class Others:
    """The CPU time that other processes take meanwhile: `with others: run a child`."""

    def __init__(self):
        self.cpu = self.wall = 0

    @staticmethod
    def _now():
        with open("/proc/stat") as file:
            user, nice, system, _, _, irq, softirq, steal, *_ = map(int, file.readline().split()[1:])
        own = sum(t.ru_utime + t.ru_stime for t in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        return busy - own, time.perf_counter()

    def __enter__(self):
        self.begin = self._now()

    def __exit__(self, *_):
        cpu, wall = (now - before for now, before in zip(self._now(), self.begin))
        self.cpu += cpu
        self.wall += wall

    def cores(self):
        """How many cores they kept busy, on average."""
        return max(0, self.cpu) / self.wall if self.wall else 0


class Ttc:
    """Compiles with ttc-translate and measures with ttrun perf, each call a process."""

    name = "ttc"

    def __init__(self, build, cores):
        self.bin = pathlib.Path(build) / "bin"
        self.cores = cores
        for tool in ("ttc-translate", "ttrun"):
            if not (self.bin / tool).exists():
                sys.exit(f"{self.bin / tool} is not built (scripts/demo.sh builds it)")

    def compile(self, model, bundle, cores, options=()):
        """Seconds that it took."""
        start = time.perf_counter()
        self._run(["ttc-translate", "--onnx-to-bundle", model, "-o", bundle, *options], cores)
        return time.perf_counter() - start

    def perf(self, bundle, loops, verify="full", inputs=()):
        """The object that ttrun perf --json prints. `inputs`: its options --input=NAME=FILE."""
        out = self._run(["ttrun", "perf", bundle, "--json", f"--loops={loops}",
                         f"--cores={len(self.cores)}", f"--verify={verify}", *inputs], self.cores)
        return json.loads(out)

    def profile(self, bundle, folder, loops):
        """As perf(), recorded: "report" is report.json of the recording (docs/profiling.md). Its
        limits are what the same cores were measured to do right after it."""
        out = json.loads(self._run(
            ["ttrun", "perf", bundle, "--json", f"--loops={loops}", f"--cores={len(self.cores)}",
             f"--profile={folder}"], self.cores))
        recording = pathlib.Path(out["profile"])
        out["report"] = json.loads((recording / "report.json").read_text())
        shutil.rmtree(recording)
        return out

    def outputs(self, bundle, inputs, outputs):
        """Runs the bundle on .npy files: both are {name: path}."""
        arguments = [f"--input={n}={p}" for n, p in inputs.items()]
        arguments += [f"--output={n}={p}" for n, p in outputs.items()]
        self._run(["ttrun", "run", bundle, f"--cores={len(self.cores)}", *arguments], self.cores)

    def _run(self, command, cores):
        command = [str(self.bin / command[0]), *map(str, command[1:])]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=pinned(cores))
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
        return done.stdout


class Peer:
    """ONNX Runtime or OpenVINO in a process of its own (peer.py), asked over pipes."""

    def __init__(self, name, model, cores, inputs):
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "peer.py"), name, str(model), str(len(cores)), str(inputs)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(cores))
        self.facts = self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended: exit {self.process.wait()}")
        return json.loads(line)

    def _ask(self, **question):
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return self._answer()

    def times(self, loops):
        """Milliseconds of each of this number of inferences."""
        return self._ask(loops=loops)["ms"]

    def save(self, folder):
        """Writes each output as .npy; {name: path}."""
        return self._ask(save=str(folder))["files"]

    def ready_ms(self):
        """Milliseconds that creating the session took."""
        return self.facts["create_ms"]

    def resident(self):
        return self._ask(resident=True)["resident_mb"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def installed_peers():
    return [n for n in ("onnxruntime", "openvino") if version(n) != "not installed"]


def median(values):
    return statistics.median(values)
