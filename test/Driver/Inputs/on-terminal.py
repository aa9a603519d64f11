# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose standard error is a terminal, and prints what that terminal got as a Python string."""
import os
import pty
import subprocess
import sys

ours, terminal = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=terminal, env={**os.environ, "TERM": "xterm"})
os.close(terminal)
got = b""
try:
    while data := os.read(ours, 4096):
        got += data
except OSError:  # Linux reports the closed terminal as an I/O error.
    pass
print(ascii(got.decode()))
sys.exit(process.wait())
