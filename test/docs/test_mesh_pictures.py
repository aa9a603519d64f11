# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of docs/mesh.md are what `ttrun read` draws today. They show the example model and nothing that is measured.
After a change of the plan, of the prediction or of the drawing, update them with

    TTC_UPDATE_DOCS=1 TTC_BUILD_DIR=$PWD/build python -m pytest test/docs
"""
import os
import platform
import re
import xml.etree.ElementTree

import pytest


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the example is compiled for x86-64")
def test_pictures_are_up_to_date(tools, root, tmp_path):
    page = (root / "docs/mesh.md").read_text()
    command = re.search(r"^ttc-translate --onnx-to-bundle (examples/digits/\S+) (.*) -o digits\.ttcb$", page, re.M)
    bundle = tmp_path / "digits.ttcb"
    tools.run("ttc-translate", "--onnx-to-bundle", root / command[1], *command[2].split(), "-o", bundle)
    tools.ttrun("read", bundle, f"--mesh-picture={tmp_path / 'plan.svg'}")
    tools.ttrun("read", bundle, "--mesh-time", f"--timeline-picture={tmp_path / 'timeline.svg'}")
    folder = root / "docs/images/mesh"
    for name in ("plan.svg", "timeline.svg"):
        assert f"(images/mesh/{name})" in page
        now = (tmp_path / name).read_bytes()
        xml.etree.ElementTree.fromstring(now)
        if os.environ.get("TTC_UPDATE_DOCS"):
            (folder / name).write_bytes(now)
        else:
            assert (folder / name).read_bytes() == now, f"{name} is not up to date; to update it: {__doc__.splitlines()[-2].strip()}"
    assert {p.name for p in folder.iterdir()} == {"plan.svg", "timeline.svg"}
