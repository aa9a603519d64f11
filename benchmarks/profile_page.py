#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure how fluently report.html of a large recording zooms and pans, in headless Chromium.

Records the digits until there are --zones zones, opens the report's page, and changes the view in each
frame: in to one zone and out again in several places, and along the time at several scales. It prints the
frames per second, the intervals between frames, and what drawing one takes. A display of 60 Hz gives 16.7 ms
between frames; Chromium is without a GPU here, so it also paints with the CPU.

  benchmarks/profile_page.py
  benchmarks/profile_page.py --recording=profile/20250131-120000
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import common

# Draws a frame for each view; gives the times at which frames begin, and what drawing took.
SCRIPT = """
(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const views = [], all = span;
  const steps = FRAMES / 8;
  for (const place of [0.2, 0.5, 0.8]) // in, and out
    for (let i = 0; i < 2 * steps; ++i) {
      const depth = i < steps ? i / steps : 2 - i / steps;
      const length = all * Math.pow(2e3 / all, depth), middle = all * (0.5 + (place - 0.5) * depth);
      views.push(['zoom', middle - length / 2, middle + length / 2]);
    }
  for (const share of [0.5, 0.05, 0.005, 0.0005])
    for (let i = 0; i < steps / 2; ++i) {
      const begin = all * (1 - share) * i / (steps / 2);
      views.push(['pan', begin, begin + all * share]);
    }
  const original = draw, drawn = [];
  let visited = 0;
  draw = () => {
    const begin = performance.now();
    visited = Math.max(visited, original());
    drawn.push(performance.now() - begin);
  };
  const result = {zones: zoneCount, zoom: [], pan: []};
  for (let i = 0; i < 20; ++i) { setView(0, all); await frame(); }
  drawn.length = 0;
  let last = await frame();
  for (const [kind, begin, end] of views) {
    setView(begin, end);
    const now = await frame();
    result[kind].push(now - last);
    last = now;
  }
  draw = original;
  return JSON.stringify({...result, drawn, visited});
})()
"""


class Browser:
    """Chromium, asked over its debugging pipe: JSON that ends with a zero byte."""

    def __init__(self, program, profile):
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()

        def connect():  # it reads from 3 and writes to 4
            os.dup2(os.dup(to_browser), 3)
            os.dup2(os.dup(from_browser), 4)

        # Without its sandbox, which needs rights that containers and root do not have; the page is our own.
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--window-size=1920,1080", f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=connect, env={**os.environ, "HOME": str(profile)})
        os.close(to_browser)
        os.close(from_browser)
        self.out, self.input = os.fdopen(ours_out, "wb", 0), os.fdopen(ours_in, "rb")
        self.number, self.session = 0, None

    def ask(self, method, until=None, **parameters):
        """The answer to one question, or with `until`, the first event of this name after it."""
        self.number += 1
        question = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            question["sessionId"] = self.session
        self.out.write(json.dumps(question).encode() + b"\0")
        while True:
            message = bytearray()
            while (byte := self.input.read(1)) != b"\0":
                if not byte:
                    sys.exit("chromium ended")
                message += byte
            answer = json.loads(message)
            if "error" in answer:
                sys.exit(f"{method}: {answer['error']}")
            if answer.get("method") == until if until else answer.get("id") == self.number:
                return answer.get("result")

    def open(self, page):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Page.navigate", until="Page.loadEventFired", url=page.as_uri())

    def evaluate(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(json.dumps(answer["exceptionDetails"], indent=2))
        return json.loads(answer["result"]["value"])

    def close(self):
        self.process.terminate()
        self.process.wait()


def record(build, zones, folder):
    bundle = folder / "digits.ttcb"
    run = lambda *command: subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout
    run(build / "bin/ttc-translate", "--onnx-to-bundle", common.ROOT / "examples/digits/digits.onnx", "-o", bundle)
    loops = 100
    while True:
        run(build / "bin/ttrun", "run", bundle, "--random", "--cores=2", f"--loops={loops}", f"--profile={folder}/{loops}")
        found = json.loads(run(build / "bin/ttrun", "report", "--json", folder / str(loops)))
        if found["zones"] >= zones:
            return pathlib.Path(found["report"])
        loops = loops * zones // found["zones"] * 11 // 10


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--zones", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=960)
    parser.add_argument("--recording", type=pathlib.Path, help="a folder with a report, in place of a new one")
    arguments = parser.parse_args()
    chromium = shutil.which("chromium")
    if not chromium:
        sys.exit("chromium is not installed (Debian package chromium)")
    print(*common.machine_facts(arguments.build), sep="\n")
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.recording or record(arguments.build, arguments.zones, pathlib.Path(scratch))
        browser = Browser(chromium, f"{scratch}/chromium")
        try:
            browser.open((folder / "report.html").resolve())
            result = browser.evaluate(SCRIPT.replace("FRAMES", str(arguments.frames)))
        finally:
            browser.close()
        size = (folder / "report.html").stat().st_size
    print(f"page      {result['zones']} zones, {size / 1e6:.1f} MB; at most {result['visited']} rectangles in a frame")
    for kind in ("zoom", "pan"):
        intervals = result[kind]
        late = sum(interval > 1.5e3 / 60 for interval in intervals)
        print(f"{kind:<9} {1e3 * len(intervals) / sum(intervals):.1f} frames per second; between frames: median "
              f"{percentile(intervals, 0.5):.1f}, 95 % {percentile(intervals, 0.95):.1f}, most {max(intervals):.1f} ms; "
              f"{late} of {len(intervals)} late")
    drawn = result["drawn"]
    print(f"draw()    median {percentile(drawn, 0.5):.2f}, 95 % {percentile(drawn, 0.95):.2f}, most {max(drawn):.2f} ms")


if __name__ == "__main__":
    main()
