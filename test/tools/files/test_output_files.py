# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every tool writes a file completely or leaves the old one: nothing is made before there is something to
write, it is synced before it gets its name, and an error names the file and leaves no other."""
import errno
import os
import resource
import shutil
import subprocess
import sys
import threading

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from writers import COMPILER, Writers  # noqa: E402

NAMES = ("ttc-translate", "ttc-opt", "ttc", "ttc-plan", "ttrun-run", "ttrun-map", "ttrun-csv", "ttrun-timeline")
# One of each way to write: llvm::raw_ostream, writeFile().
EACH = ("ttc-translate", "ttc-plan")


@pytest.fixture(scope="module")
def writers(tools, build_dir, tmp_path_factory):
    for tool in ("ttc-translate", "ttc-opt", "ttc", "ttc-plan", "ttrun"):
        tools.path(tool)
    if not COMPILER:
        pytest.skip("no C compiler for the shim")
    made = Writers(build_dir, tmp_path_factory.mktemp("writers"))
    assert made.names == list(NAMES)
    return made


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def only(folder, *names):
    return sorted(os.listdir(folder)) == sorted(names)


@pytest.mark.parametrize("name", NAMES)
def test_synced_before_it_has_its_name(writers, tmp_path, name):
    out, log = tmp_path / "out" / "file", tmp_path / "log"
    out.parent.mkdir()
    for old in (False, True):
        log.write_text("")
        done = run(writers.command(name, out), env=writers.shim(LOG=log))
        assert done.returncode == 0, done.stderr
        assert writers.is_complete(name, out.read_bytes()) and only(out.parent, "file")
        calls = log.read_text().split()
        assert calls[0] == "tmpfile" and set(calls[1:calls.index("fsync")]) == {"write"}, calls
        assert calls[calls.index("fsync"):] == ["fsync", "linkat", *(["renameat"] if old else []), "fsync-folder"]


@pytest.mark.parametrize("name", NAMES)
def test_limit_on_the_size_of_files(writers, tmp_path, name):
    """An error, and not the end by SIGXFSZ: the old file is still there, and no other."""
    out = tmp_path / "out" / "file"
    out.parent.mkdir()
    out.write_text("old")
    done = run(writers.command(name, out), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
    assert done.returncode > 0 and os.strerror(errno.EFBIG) in done.stderr, (done.returncode, done.stderr)
    assert "fault of ttc" not in done.stderr, done.stderr
    assert out.read_text() == "old" and only(out.parent, "file")


@pytest.mark.parametrize("name", EACH)
def test_without_unnamed_files(writers, tmp_path, name):
    """File systems without O_TMPFILE: a file with a unique name, which no error leaves."""
    out = tmp_path / "file"
    for attempt in range(2):
        done = run(writers.command(name, out), env=writers.shim(NO_TMPFILE=1))
        assert done.returncode == 0, done.stderr
        assert writers.is_complete(name, out.read_bytes()) and only(tmp_path, "file")
    out.write_text("old")
    for call in ("write", "fsync", "renameat"):
        done = run(writers.command(name, out), env=writers.shim(NO_TMPFILE=1, FAIL=f"{call}:{errno.EIO}"))
        assert done.returncode != 0 and "cannot write" in done.stderr and "Input/output error" in done.stderr
        assert out.read_text() == "old" and only(tmp_path, "file")


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("call", ("tmpfile", "write", "fsync", "linkat"))
def test_failing_call(writers, tmp_path, name, call):
    out = tmp_path / "file"
    out.write_text("old")
    done = run(writers.command(name, out), env=writers.shim(FAIL=f"{call}:{errno.ENOSPC}"))
    assert done.returncode in (1, 2)
    assert str(out) in done.stderr and "No space left on device" in done.stderr, done.stderr
    assert out.read_text() == "old" and only(tmp_path, "file")


@pytest.mark.parametrize("name", NAMES)
def test_leftovers_do_not_block(writers, tmp_path, name):
    """A killed tool of the same process id had left FILE.new<pid>, and every later one failed."""
    out = tmp_path / "file"
    done = run(["sh", "-c", f'touch {out}.new$$; exec "$@"', "sh", *writers.command(name, out)])
    assert done.returncode == 0, done.stderr
    assert writers.is_complete(name, out.read_bytes())


def in_namespace(script):
    """Runs a shell script with mounts of its own; skips where that is not allowed."""
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if not shutil.which("unshare") or run([*unshare, "mount", "-t", "tmpfs", "none", "/mnt"]).returncode:
        pytest.skip("no mount namespaces here")
    return run([*unshare, "sh", "-c", script])


@pytest.mark.parametrize("name", NAMES)
def test_full_disk_and_read_only_folder(writers, tmp_path, name):
    folder = tmp_path / "disk"
    folder.mkdir()
    command = " ".join(f"'{part}'" for part in writers.command(name, folder / "file"))
    done = in_namespace(f"""
      mount -t tmpfs -o size=16k none {folder} && echo old > {folder}/file
      dd if=/dev/zero of={folder}/filler bs=1k 2>/dev/null
      {command}; echo status $?
      mount -o remount,ro {folder}
      {command}; echo status $?
      cat {folder}/file; ls -A {folder}""")
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("status ")] in (["status 1"] * 2, ["status 2"] * 2), done.stdout
    assert lines[-3:] == ["old", "file", "filler"], done.stdout
    errors = [line for line in done.stderr.splitlines() if f"{folder}/file" in line]
    assert len(errors) == 2 and "No space left" in errors[0] and "Read-only file system" in errors[1], done.stderr


@pytest.mark.parametrize("name", EACH)
def test_links(writers, tmp_path, name):
    for there in (True, False):
        folder = tmp_path / f"there-{there}"
        (folder / "real").mkdir(parents=True)
        if there:
            (folder / "real/file").write_text("old")
            (folder / "real/file").chmod(0o604)
        (folder / "link").symlink_to("real/file")
        (folder / "other").symlink_to("link")
        done = run(writers.command(name, folder / "other"), umask=0o027)
        assert done.returncode == 0, done.stderr
        assert (folder / "link").is_symlink() and (folder / "other").is_symlink()
        file = folder / "real/file"
        assert writers.is_complete(name, file.read_bytes()) and only(folder / "real", "file")
        assert file.stat().st_mode & 0o777 == (0o604 if there else 0o640)
    (tmp_path / "loop").symlink_to("loop")
    done = run(writers.command(name, tmp_path / "loop"))
    assert done.returncode != 0 and "Too many levels of symbolic links" in done.stderr


@pytest.mark.parametrize("name", EACH)
def test_standard_output_is_appended_to(writers, tmp_path, name):
    log = tmp_path / "log"
    for path in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        log.write_bytes(b"before\n")
        with open(log, "ab") as stream:
            done = subprocess.run(writers.command(name, path), stdout=stream, stderr=subprocess.PIPE, timeout=120)
        assert done.returncode == 0, done.stderr
        data = log.read_bytes()
        assert data.startswith(b"before\n") and writers.is_complete(name, data[7:]), path


@pytest.mark.parametrize("name", EACH)
def test_fifo(writers, tmp_path, name):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    reader.start()
    done = run(writers.command(name, fifo))
    reader.join(60)
    assert done.returncode == 0 and got and writers.is_complete(name, got[0])
    assert only(tmp_path, "fifo") and fifo.is_fifo()


@pytest.mark.parametrize("name", EACH)
def test_folders_that_are_not_there(writers, tmp_path, name):
    done = run(writers.command(name, tmp_path / "none/file"))
    assert done.returncode != 0
    assert f"{tmp_path}/none/file" in done.stderr
    assert f"its folder '{tmp_path}/none': No such file or directory" in done.stderr
    gone = tmp_path / "gone"
    gone.mkdir()
    done = run(writers.command(name, gone / "file"), env=writers.shim(REMOVE=gone))
    assert done.returncode != 0 and not gone.exists()
    assert f"{gone}/file" in done.stderr and f"its folder '{gone}' is gone" in done.stderr
    done = run(writers.command(name, tmp_path))
    assert done.returncode != 0 and f"{tmp_path}" in done.stderr and "Is a directory" in done.stderr
