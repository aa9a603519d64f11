# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who may include whom: rooms.toml, over all includes of the tree."""
import pathlib
import posixpath
import re
import subprocess
import tomllib

import pytest

TABLE = tomllib.loads((pathlib.Path(__file__).parent / "rooms.toml").read_text())
# Where CMake lets sources look for headers, the folder of the source itself apart.
SEARCHED = ["", "runtime/include", "runtime/lib", "runtime", "runtime/sign", "tooling", "include", "tools/Support",
            "test/unit/Kernels"]
GENERATED = (".inc", "_generated.h", "Files.h")
OTHERS = ("mlir/", "llvm/", "lld/", "onnx/", "google/", "gtest/")


def room_of(path, rooms):
    """The innermost one."""
    if path == "include/ttc/Mesh/MeshDescription.h":
        return "lib/Mesh/Description"
    path = re.sub(r"^include/ttc/", "lib/", path)
    return max((room for room in rooms if path.startswith(room + "/")), key=len, default=None)


def target_of(path, name, files):
    for folder in [posixpath.dirname(path), *SEARCHED]:
        target = posixpath.normpath(posixpath.join(folder, name))
        # The header of a family of ops is made of the .td of its name.
        for made_of in (target, re.sub(r"Ops\.h$", "Ops.td", target)):
            if made_of in files:
                return made_of
    return None


def findings(files, table=TABLE, paths=None):
    """What is wrong in `files`, texts by path, or in `paths` of them; the arrows between rooms; and which private headers are used."""
    rooms, reader = table["rooms"], table["reader"]
    wrong, arrows, private = [], set(), {}
    order = list(rooms)
    for room, listed in rooms.items():
        wrong += [f"rooms.toml: {room} lists {other}, which does not stand above it" for other in listed
                  if other != "*" and other not in order[:order.index(room)]]
    for path in files if paths is None else paths:
        room = room_of(path, rooms)
        if not room:
            wrong.append(f"{path} is in no room")
            continue
        for name in re.findall(r'^ *#? *include +"([^"]+)"', files[path], re.M):
            target = target_of(path, name, files)
            if not target:
                if not name.endswith(GENERATED) and not name.startswith(OTHERS):
                    wrong.append(f"{path} includes {name}, which is nowhere")
                continue
            other = room_of(target, rooms)
            if other == room or "*" in rooms[room]:
                continue
            if target in reader["headers"] and any(room == r or room.startswith(r + "/") for r in reader["rooms"]):
                private.setdefault(target, set()).add(path)
            elif other not in rooms[room]:
                wrong.append(f"{path} includes {target}: {room} may not include {other}")
            else:
                arrows.add((room, other))
    return wrong, arrows, private


@pytest.fixture(scope="module")
def files(root):
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=root, capture_output=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [p for p in listed.stdout.decode().split("\0") if re.search(r"\.(h|hpp|cpp|c|td)$", p) and (root / p).exists()]
    assert len(paths) > 1000
    return {p: (root / p).read_text(errors="replace") for p in paths}


def test_no_room_includes_upwards(files):
    wrong, arrows, private = findings(files)
    print("private headers of libttrt outside of it:", *(f"{h}: {len(users)}" for h, users in sorted(private.items())), sep="\n  ")
    assert not wrong, "\n".join(wrong)
    unused = [(a, b) for a, listed in TABLE["rooms"].items() for b in listed if b != "*" and (a, b) not in arrows]
    assert not unused, f"rooms.toml allows what is not needed: {unused}"
    assert sorted(private) == TABLE["reader"]["headers"]


@pytest.mark.parametrize("path, include, problem", [
    ("runtime/lib/Base/Sort.h", "Bundle/Bundle.h", "runtime/lib/Base may not include runtime/lib/Bundle"),
    ("runtime/lib/Device/Queue.h", "Api/ApiChecks.h", "runtime/lib/Device may not include runtime/lib/Api"),
    ("runtime/text/Tokenizer.h", "Formats/Json.h", "runtime/text may not include tooling/Formats"),
    ("tooling/Run/Session.cpp", "tools/ttrun/Commands.h", "tooling/Run may not include tools/ttrun"),
    ("tooling/Run/Mesh/Rank.h", "Run/Session.h", "tooling/Run/Mesh may not include tooling/Run"),
    ("tooling/Describe/Costs.cpp", "Device/Queue.h", "tooling/Describe may not include runtime/lib/Device"),
    ("lib/Bundle/Stream.cpp", "runtime/lib/Bundle/Bundle.h", "lib/Bundle may not include runtime/lib/Bundle"),
    ("lib/Analysis/Buffers.cpp", "ttc/Transforms/Passes.h", "lib/Analysis may not include lib/Transforms"),
    ("kernels/Exp.h", "dialects/Ttc/TtcDialect.h", "kernels may not include dialects/Ttc"),
    ("runtime/include/ttrt/ttrt.h", "ttrt/format/steps.h", "runtime/include/ttrt may not include runtime/include/ttrt/format"),
    ("runtime/mesh/Mesh.cpp", "test/unit/Mesh/World.h", "runtime/mesh may not include test"),
    ("runtime/mesh/Mesh.cpp", "Nowhere.h", "which is nowhere"),
])
def test_an_upward_include_is_found(files, path, include, problem):
    wrong, _, _ = findings(files | {path: f'{files[path]}\n#include "{include}"\n'}, paths=[path])
    assert len(wrong) == 1 and path in wrong[0] and problem in wrong[0], wrong


def test_a_cycle_in_the_table_is_found(files):
    rooms = TABLE["rooms"] | {"runtime/lib/Base": [*TABLE["rooms"]["runtime/lib/Base"], "runtime/lib/Device"]}
    wrong, _, _ = findings({}, TABLE | {"rooms": rooms})
    assert wrong == ["rooms.toml: runtime/lib/Base lists runtime/lib/Device, which does not stand above it"]
