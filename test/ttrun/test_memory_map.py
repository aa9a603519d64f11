# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun read --memory-map: the page tests itself in headless Chromium (MemoryMap/selftest.js)."""
import html
import json
import os
import re
import shutil
import subprocess

import pytest


@pytest.fixture(scope="module")
def page_of(tools, build_dir, tmp_path_factory):
    """Writes a sample bundle, and its page."""
    folder = tmp_path_factory.mktemp("pages")

    def make(name):
        writer = build_dir / "test/unit/ttrt-write-sample"
        if not writer.exists():
            pytest.skip(f"{writer} is not built")
        bundle, page = folder / f"{name}.ttcb", folder / f"{name}.html"
        subprocess.run([writer, name, bundle], check=True)
        tools.ttrun("read", bundle, f"--memory-map={page}")
        return bundle, page

    return make


@pytest.fixture(scope="module")
def in_browser(tmp_path_factory):
    """Loads a page in Chromium and returns the document as it is then."""
    browser = shutil.which("chromium")
    if not browser:
        pytest.skip("chromium is not installed (Debian package chromium): the memory map's page is NOT tested")
    profile = tmp_path_factory.mktemp("chromium")

    def load(address):
        # Without its sandbox, which needs rights that containers and root do not have; the pages are our own.
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--window-size=1400,900", f"--user-data-dir={profile}", "--dump-dom", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": str(profile)})
        assert done.returncode == 0, done.stderr
        return done.stdout

    return load


def outcome(document):
    found = re.search(r'<pre id="selftest">(.*?)</pre>', document, re.S)
    assert found, "the page did not come to the end of its test:\n" + document[:2000]
    return json.loads(html.unescape(found[1]))


@pytest.mark.parametrize("name", ["sample", "chain-barriers", "hostile", "many", "chat"])
def test_page_tests_itself(page_of, in_browser, name):
    bundle, page = page_of(name)
    result = outcome(in_browser(f"{page.as_uri()}#selftest"))
    assert result["failures"] == []
    assert result["title"] == "ttc memory map", "a name of the bundle was run as a script"
    assert result["scripts"] == 3
    # It stays usable with thousands of buffers: nothing in the document grows with them, and the pointer
    # looks at few.
    assert result["elements"] < 500
    assert result["visited"] < 200


def test_all_buffers_are_there(page_of, in_browser, tools):
    bundle, page = page_of("many")
    read = json.loads(tools.ttrun("read", bundle, "--json").stdout)
    blocks = outcome(in_browser(f"{page.as_uri()}#selftest"))["blocks"]
    assert blocks[0] == len(read["buffers"]) > 5000
    assert blocks[-1] == len(read["traces"][0]["commands"]) + 1


def test_compiled_model(in_browser, tools, root, tmp_path):
    tools.compile(root / "examples/digits/digits.onnx", tmp_path / "digits.ttcb")
    tools.ttrun("read", tmp_path / "digits.ttcb", f"--memory-map={tmp_path}/digits.html")
    result = outcome(in_browser(f"{(tmp_path / 'digits.html').as_uri()}#selftest"))
    assert result["failures"] == []
    assert result["found"] > 20, "searches for ops have hardly anything to find"


@pytest.mark.parametrize("code, broken, message", [
    ("list[middle].offset <= offset", "list[middle].offset < offset - 512", "hit at"),
    (", ...opsOf(buffer, 3)]", "]", "a search for the op"),
    ("kind & access", "kind & 2", "is read"),
    ("(kNamedByOp.has(kind) && source) || name", "name", "labelled by its op"),
])
def test_a_failure_is_seen(page_of, in_browser, tmp_path, code, broken, message):
    """The page's test fails where its index, its search or its labels are broken."""
    bundle, page = page_of("sample")
    text = page.read_text()
    assert text.count(code) == 1
    copy = tmp_path / "broken.html"
    copy.write_text(text.replace(code, broken))
    assert any(message in failure for failure in outcome(in_browser(f"{copy.as_uri()}#selftest"))["failures"])


def test_same_bytes_each_time(page_of, tools, tmp_path):
    bundle, page = page_of("hostile")
    copy = tmp_path / "elsewhere.ttcb"
    shutil.copy(bundle, copy)
    assert tools.ttrun("read", copy, "--memory-map=-").stdout == page.read_text()


def test_needs_nothing_else(page_of):
    """No address of another file, no markup out of a name."""
    bundle, page = page_of("hostile")
    text = page.read_text()
    # The data are no markup: nothing in them can end their element.
    markup, begin, rest = text.partition('<script type="application/json" id="data">')
    content, end, rest = rest.partition("</script>")
    assert begin and end and json.loads(content)["producer"].startswith("</script>")
    assert not set(content) & set("<>&")
    text = markup + rest
    assert not re.search(r"https?:|\bsrc=|\bhref=|@import|url\(|@[A-Z]+@", text)
    assert "default-src 'none'" in text
    assert text.count("<script") == text.count("</script>") == 2
    assert "harm" not in text


def test_cannot_write(page_of, tools):
    bundle, page = page_of("sample")
    done = tools.ttrun("read", bundle, f"--memory-map={bundle}/map.html", check=False)
    assert done.returncode == 2 and f"cannot write {bundle}/map.html: Not a directory" in done.stderr
