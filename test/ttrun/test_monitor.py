# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun monitor: devices of several processes, their end, and a folder full of what is no entry."""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import time

import pytest

SUFFIX = ".monitor"


@pytest.fixture
def place(tools, build_dir, tmp_path):
    """A runtime directory of our own; processes that are started in it end with the test."""
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    return Place(tools, writer, tmp_path)


@pytest.fixture(autouse=True)
def end_processes(request):
    yield
    for process in Place.started:
        process.kill()
        process.wait()
    Place.started.clear()


class Place:
    started = []

    def __init__(self, tools, writer, tmp_path):
        self.tools = tools
        self.root = tmp_path
        self.folder = tmp_path / "ttrt"
        self.bundle = tmp_path / "sample.ttcb"
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "TTRT_MONITOR": "1", "TERM": "xterm"}
        self.environment.pop("NO_COLOR", None)
        subprocess.run([writer, "sample", self.bundle], check=True)

    def start(self, *options, **environment):
        """A process that runs the sample until it is killed."""
        command = [self.tools.path("ttrun"), "run", self.bundle, "--random", f"--loops={2**40}", "--cores=1", *options]
        process = subprocess.Popen(command, env={**self.environment, **environment}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        Place.started.append(process)
        return process

    def monitor(self, *options, check=True):
        return self.tools.ttrun("monitor", *options, env=self.environment, check=check)

    def devices(self):
        return json.loads(self.monitor("--once", "--json").stdout)["devices"]

    def wait_for(self, wanted):
        """Scans until the pids are these."""
        for _ in range(600):
            devices = self.devices()
            if sorted(d["pid"] for d in devices) == sorted(p.pid for p in wanted):
                return {d["pid"]: d for d in devices}
            time.sleep(0.05)
        pytest.fail(f"expected {[p.pid for p in wanted]}, found {devices}")

    def record(self, name=None, **fields):
        """An entry as another program might have written it; valid, of this process, unless told otherwise."""
        with open("/proc/self/stat") as stat:
            start = int(stat.read().rsplit(")", 1)[1].split()[19])
        f = {"magic": b"TTRTMON\n", "version": 1, "size": 640, "pid": os.getpid(), "start": start, "number": 0,
             "memories": (1000, 1, 1000, 1, 1000, 1), "process": b"test", "bundle": b"made.ttcb", **fields}
        data = struct.pack("<8sIIQQQII6Q64s256s32x", f["magic"], f["version"], f["size"], f["pid"], f["start"],
                           f["number"], 1, 0, *f["memories"], f["process"], f["bundle"])
        data += struct.pack("<QQ48x", 7, 7) * 3
        assert len(data) == 640
        self.folder.mkdir(mode=0o700, exist_ok=True)
        path = self.folder / (name or f"{f['pid']}.{f['start']}.{f['number']}{SUFFIX}")
        path.write_bytes(data)
        return path


def test_two_processes_and_one_is_killed(place):
    first, second = place.start(), place.start()
    devices = place.wait_for([first, second])
    for device in devices.values():
        assert device["process"] == "ttrun" and device["bundle"] == "sample.ttcb" and device["cores"] == 1
        assert device["dram"] == {"used": 5120, "total": 67108672}
        assert device["l1"] == {"used": 64, "total": 65536}
        assert device["trace"] == {"used": 192, "total": 192}
    assert len(list(place.folder.iterdir())) == 2
    first.send_signal(signal.SIGKILL)
    place.wait_for([second])  # although the first one is a zombie: its parent has not waited for it yet
    assert first.poll() == -signal.SIGKILL
    assert [p.name.split(".")[0] for p in place.folder.iterdir()] == [str(second.pid)]
    # The other one continues.
    before = place.devices()[0]["iterations"]
    for _ in range(200):
        if place.devices()[0]["iterations"] > before:
            break
        time.sleep(0.05)
    else:
        pytest.fail("iterations do not count")


def test_rates_and_one_object_per_refresh(place):
    place.wait_for([place.start()])
    command = [place.tools.path("ttrun"), "monitor", "--json", "--interval=0.2"]
    with subprocess.Popen(command, env=place.environment, stdout=subprocess.PIPE, text=True) as monitor:
        objects = [json.loads(monitor.stdout.readline()) for _ in range(4)]
        while not objects[-1]["devices"][0]["iterations_per_second"] and len(objects) < 300:
            objects.append(json.loads(monitor.stdout.readline()))
        monitor.send_signal(signal.SIGINT)
        assert monitor.wait(timeout=30) == 0
    assert objects[0]["devices"][0]["iterations_per_second"] is None
    assert objects[-1]["devices"][0]["iterations_per_second"] > 0
    times = [o["time_ms"] for o in objects]
    assert times == sorted(times)


def test_entry_goes_with_the_device(place):
    place.tools.ttrun("run", place.bundle, "--random", env=place.environment)
    assert list(place.folder.iterdir()) == []


@pytest.mark.parametrize("value", [None, "", "0"])
def test_off(place, value):
    environment = {k: v for k, v in place.environment.items() if k != "TTRT_MONITOR"}
    if value is not None:
        environment["TTRT_MONITOR"] = value
    place.tools.ttrun("run", place.bundle, "--random", env=environment)
    assert not place.folder.exists()
    assert place.devices() == []


def test_what_is_no_entry_is_ignored(place):
    good = place.record()
    pid_and_start = good.name[: -len(".0" + SUFFIX)]
    names = (f"{pid_and_start}.{n}{SUFFIX}" for n in range(1, 1000))
    place.record(next(names))  # says number 0
    for fields in ({"magic": b"TTRTMOM\n"}, {"version": 2}, {"size": 639}):
        place.record(f"{pid_and_start}.5{SUFFIX}", number=5, **fields)
        assert [d["number"] for d in place.devices()] == [0]
    (place.folder / f"{pid_and_start}.6{SUFFIX}").write_bytes(good.read_bytes()[:639])
    (place.folder / f"{pid_and_start}.7{SUFFIX}").write_bytes(good.read_bytes() + b"x")
    (place.folder / f"{pid_and_start}.8{SUFFIX}").write_bytes(b"")
    (place.folder / f"{pid_and_start}.9{SUFFIX}").write_bytes(os.urandom(640))
    (place.folder / f"{pid_and_start}.10{SUFFIX}").mkdir()
    os.mkfifo(place.folder / f"{pid_and_start}.11{SUFFIX}")  # opening it must not wait for a writer
    elsewhere = place.root / "elsewhere"
    place.record(number=12).rename(elsewhere)
    (place.folder / f"{pid_and_start}.12{SUFFIX}").symlink_to(elsewhere)
    (place.folder / f"{pid_and_start}.13{SUFFIX}").symlink_to("/dev/zero")
    (place.folder / f"..{SUFFIX}").write_bytes(good.read_bytes())
    (place.folder / "notes.txt").write_text("mine")
    left = sorted(os.listdir(place.folder))
    assert [d["number"] for d in place.devices()] == [0]
    assert sorted(os.listdir(place.folder)) == left, "only entries of processes that ended are removed"


def test_a_reused_pid_is_another_process(place):
    place.record(start=1)
    place.record(pid=2**22 + 1)  # above what Linux gives out
    (place.folder / f".{2**22 + 1}.0").write_bytes(b"")
    assert place.devices() == []
    assert os.listdir(place.folder) == []


def test_names_and_numbers_of_others_do_no_harm(place):
    place.record(process=b"\x1b[2J\x07\xff" + b"p" * 61, bundle=b"\x1b]0;x\x07" + b"b" * 250, memories=(0, 5, 10, 2**64 - 1, 2**64 - 1, 1))
    text = place.monitor("--once").stdout
    assert "\x1b" not in text and "\x07" not in text and max(map(len, text.splitlines())) <= 100
    assert "L1    [" + 36 * "#" + "] 100.0 %" in text
    device = place.devices()[0]
    assert device["dram"] == {"used": 5, "total": 0} and device["process"].startswith("\x1b[2J\x07\ufffdp")


def test_cut_off_while_it_is_read(place):
    good = place.record()
    data = good.read_bytes()
    command = [place.tools.path("ttrun"), "monitor", "--json", "--interval=0.01"]
    with subprocess.Popen(command, env=place.environment, stdout=subprocess.PIPE, text=True) as monitor:
        for _ in range(200):
            line = monitor.stdout.readline()
            assert len(json.loads(line)["devices"]) <= 1
            with good.open("r+b") as file:
                file.truncate(0)
                file.truncate(320)
                file.write(data)
        monitor.send_signal(signal.SIGTERM)
        assert monitor.wait(timeout=30) == 0


@pytest.mark.parametrize("unsafe", ["symlink", "mode", "file"])
def test_an_unsafe_folder_is_not_used(place, unsafe):
    if unsafe == "symlink":
        (place.root / "other").mkdir(mode=0o700)
        place.folder.symlink_to(place.root / "other")
    elif unsafe == "mode":
        place.folder.mkdir()
        place.folder.chmod(0o770)
    else:
        place.folder.write_text("")
    done = place.monitor("--once", check=False)
    assert done.returncode == 2 and str(place.folder) in done.stderr
    # A device does its work all the same, and says why it cannot be watched.
    done = place.tools.ttrun("run", place.bundle, "--random", env=place.environment)
    assert "this device cannot be watched" in done.stderr
    assert unsafe == "file" or list(place.folder.iterdir()) == []


def on_terminal(place, *options, stop=b"\x03", **environment):
    """Runs the monitor on a terminal, types `stop` after the second refresh; what it wrote, and the status."""
    child, terminal = pty.fork()
    if child == 0:
        tool = str(place.tools.path("ttrun"))
        os.execve(tool, [tool, "monitor", "--interval=0.1", *options], {**place.environment, **environment})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    output = b""
    while output.count(b"ttrun monitor:") < 2:
        output += os.read(terminal, 65536)
    os.write(terminal, stop)
    try:
        while chunk := os.read(terminal, 65536):
            output += chunk
    except OSError:
        pass  # the terminal has no other end any more
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    local = termios.tcgetattr(terminal)[3]
    assert local & termios.ECHO and not local & termios.NOFLSH, "the terminal's settings are not restored"
    os.close(terminal)
    return output.decode(), status


def test_ctrl_c_restores_the_terminal(place):
    place.record()
    output, status = on_terminal(place)
    assert status == 0
    assert output.startswith("\x1b[?1049h\x1b[?25l")
    assert output.endswith("\x1b[?25h\x1b[?1049l")
    assert output.count("\x1b[?7l") == output.count("\x1b[?7h")


def test_colours(place):
    """Green below 75 %, yellow from 75 %, red from 90 %; TRACE, which is full by design, is always green. No colours
    where NO_COLOR says so."""
    for percent, dram_code in ((7499, "32"), (7500, "33"), (9000, "31")):
        place.record(memories=(10000, percent, 10000, 7500, 10000, 10000))
        output, _ = on_terminal(place)
        for title, code in (("DRAM", dram_code), ("L1", "33"), ("TRACE", "32")):
            line = next(line for line in output.splitlines() if title in line)
            assert f"\x1b[{code}m#" in line and line.count("\x1b[3") == 2, line
        assert "100.0 %" in line and "sized exactly" in line
    output, _ = on_terminal(place, NO_COLOR="1")
    assert "\x1b[?1049h" in output and "\x1b[3" not in output
    # Not on a terminal: no control sequence at all.
    text = place.monitor("--once").stdout
    assert "\x1b" not in text and "  75.0 %" in text


def test_json_is_documented(place, root):
    page = (root / "docs/ttrun-json.md").read_text()
    section = page.split("\n## `ttrun monitor --json`\n", 1)[1].split("\n## ", 1)[0]
    place.record()
    found = json.loads(place.monitor("--once", "--json").stdout)
    for key in [*found, *found["devices"][0], *found["devices"][0]["dram"]]:
        assert f"`{key}`" in section, key
