# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the tools, which are part of the package, and runs them."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import IO, Any, NoReturn


def tool_path(name: str) -> pathlib.Path:
    """The tool of that name, such as "ttc-translate": in the folder that the environment variable
    TTC_BIN names; without that variable in this package, or else in the PATH.

    FileNotFoundError if it is not there.
    """
    folder = os.environ.get("TTC_BIN")
    candidate = pathlib.Path(folder) if folder else pathlib.Path(__file__).parent / "bin"
    candidate = candidate.absolute()
    if name and os.access(candidate / name, os.X_OK) and not os.path.isdir(candidate / name):
        return candidate / name
    found = None if folder or not name else shutil.which(name)
    if not found:
        where = "as TTC_BIN says" if folder else "nor in the PATH; set TTC_BIN to the folder of the tools"
        raise FileNotFoundError(f"the tool '{name}' is not in {candidate}, {where}")
    return pathlib.Path(found)


@contextlib.contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Ctrl-C that comes meanwhile counts at the end: a process that Popen() has started is known then."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[-1])


def run_tool(
    name: str, arguments: Sequence[str], output: IO[Any] | None, pass_fds: Sequence[int], folder: str | os.PathLike[str]
) -> tuple[int, str]:
    """Runs a tool to its end: its exit status, negative for a signal, and what it wrote to standard
    error. Standard output goes to `output`, temporary files to `folder`. An exception that arrives
    here, such as KeyboardInterrupt, ends the tool and all processes that it has started."""
    process = None
    try:
        with interrupts_deferred():
            process = subprocess.Popen(
                [str(tool_path(name)), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output if output is not None else subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=pass_fds,
                env={**os.environ, "TMPDIR": os.fspath(folder)},
                process_group=0,
                text=True,
                errors="replace",
            )
        _, messages = process.communicate()
    except BaseException:
        if process is not None:
            if process.returncode is None:  # else the number may be another process's by now
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if process.stderr:
                process.stderr.close()
        raise
    return process.returncode, messages


def exec_tool(name: str, arguments: Sequence[str]) -> NoReturn:
    """Replaces this process by a tool, which finds packages of Python, such as onnxruntime, here."""
    try:
        path = str(tool_path(name))
    except FileNotFoundError as error:
        sys.exit(f"error: {error}")
    os.environ.setdefault("TTC_PYTHON", sys.executable)
    sys.stdout.flush()
    os.execv(path, [path, *arguments])


# The commands that the wheel installs.
def ttc() -> NoReturn:
    exec_tool("ttc", sys.argv[1:])


def ttc_opt() -> NoReturn:
    exec_tool("ttc-opt", sys.argv[1:])


def ttc_translate() -> NoReturn:
    exec_tool("ttc-translate", sys.argv[1:])


def ttrun() -> NoReturn:
    exec_tool("ttrun", sys.argv[1:])
