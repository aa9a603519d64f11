# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun read --memory-map: the page tests itself in headless Chromium (MemoryMap/selftest.js)."""
import json
import re
import shutil

import pytest

from gate import pairs


@pytest.fixture(scope="module")
def page_of(tools, written, tmp_path_factory):
    """Writes a sample bundle, and its page."""
    folder = tmp_path_factory.mktemp("pages")

    def make(name):
        bundle, page = written(name), folder / f"{name}.html"
        tools.ttrun("read", bundle, f"--memory-map={page}")
        return bundle, page

    return make


@pytest.mark.parametrize("name", ["sample", "chain-barriers", "hostile", "many", "chat"])
def test_page_tests_itself(page_of, browser, name):
    bundle, page = page_of(name)
    result = browser(page)
    assert result["failures"] == []
    assert result["title"] == "ttc memory map", "a name of the bundle was run as a script"
    assert result["scripts"] == 3
    # It stays usable with thousands of buffers: nothing in the document grows with them, and the pointer
    # looks at few.
    assert result["elements"] < 500
    assert result["visited"] < 200


@pytest.mark.parametrize("name,size", pairs(["sample", "many", "hostile"], [(2600, 1400), (900, 600), (500, 700)]))
def test_page_of_any_size_tests_itself(page_of, browser, name, size):
    """Texts are readable and not on each other, and no number is broken."""
    assert browser(page_of(name)[1], size)["failures"] == []


def test_all_buffers_are_there(page_of, browser, tools):
    bundle, page = page_of("many")
    read = json.loads(tools.ttrun("read", bundle, "--json").stdout)
    blocks = browser(page)["blocks"]
    assert blocks[0] == len(read["buffers"]) > 5000
    assert blocks[-1] == len(read["traces"][0]["commands"]) + 1


def test_compiled_model(browser, tools, root, tmp_path):
    tools.compile(root / "examples/digits/digits.onnx", tmp_path / "digits.ttcb")
    tools.ttrun("read", tmp_path / "digits.ttcb", f"--memory-map={tmp_path}/digits.html")
    result = browser((tmp_path / 'digits.html'))
    assert result["failures"] == []
    assert result["found"] > 20, "searches for ops have hardly anything to find"


@pytest.mark.parametrize("code, broken, message", [
    ("list[middle].offset <= offset", "list[middle].offset < offset - 512", "hit at"),
    (", ...opsOf(buffer, 3)]", "]", "a search for the op"),
    ("kind & access", "kind & 2", "is read"),
    ("(kNamedByOp.has(kind) && source) || name", "name", "labelled by its op"),
    ("grid-template-columns: fit-content(50%) minmax(0, 1fr)", "grid-template-columns: 6fr 1fr", "is broken"),
    ("pen.fillStyle = inkOn(colourOf(b))", "pen.fillStyle = '#fff'", "is #ffffff on"),
    ("isDark() ? dark : light", "light", "light and dark differ"),
    ("bottom + 10);", "bottom + 22);", "is on"),
])
def test_a_failure_is_seen(page_of, browser, tmp_path, code, broken, message):
    """The page's test fails where its index, its search or its labels are broken."""
    bundle, page = page_of("sample")
    text = page.read_text()
    assert text.count(code) == 1
    copy = tmp_path / "broken.html"
    copy.write_text(text.replace(code, broken))
    assert any(message in failure for failure in browser(copy)["failures"])


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
