# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cmake --install, and what a stranger does with the result."""
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from gate import nightly

TOOLS = ("ttc", "ttc-opt", "ttc-translate", "ttrun", "ttc-lsp-server", "ttc-plan", "ttc-plan-check")


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(build_dir, tmp_path_factory):
    if not (build_dir / "CMakeCache.txt").exists():
        pytest.skip(f"no build at {build_dir}")
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", build_dir, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="module")
def build_example(installed, build_dir, root, tmp_path_factory):
    """Builds an example against the installed tree alone."""
    if "-fsanitize" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("a sanitized libttrt does not link into a plain program")

    def build(folder, program):
        source = tmp_path_factory.mktemp("example") / folder
        shutil.copytree(root / "examples" / folder, source)
        run("cmake", "-G", "Ninja", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={installed}",
            "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22")
        run("cmake", "--build", source / "build")
        return source / "build" / program

    return build


@pytest.fixture(scope="module")
def example(build_example):
    return build_example("c", "ttrt-example")


def test_tree(installed):
    files = {str(p.relative_to(installed)) for p in installed.rglob("*") if p.is_file()}
    for tool in TOOLS:
        assert f"bin/{tool}" in files
    for tail in ("include/ttrt/ttrt.h", "include/ttrt/pipeline.hpp", "include/ttrt/profile.hpp", "ttrtConfig.cmake", "ttrtConfigVersion.cmake", "LICENSE",
                 "pkgconfig/ttrt.pc", "share/doc/ttc/README.md"):
        assert any(f.endswith(tail) for f in files), (tail, sorted(files))


def test_libttrt_is_small(installed, build_dir, tmp_path):
    """What an application carries: below 311 KB, stripped. Release only, others are not optimised."""
    if "CMAKE_BUILD_TYPE:STRING=Release" not in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("not a release build")
    library, = (p for p in installed.rglob("libttrt.so.*") if not p.is_symlink())
    run("strip", "-o", tmp_path / "libttrt.so", library)
    assert (tmp_path / "libttrt.so").stat().st_size < 311_000


@pytest.mark.parametrize("name, map, version, api", [
    ("libttrt", "runtime/ttrt.map", "TTRT_0.1", "TTRT_API"),
    ("libttrt_generate", "runtime/generate/generate.map", "TTRT_GENERATE_0.1", "TTRT_GENERATE_API"),
    ("libttrt_shapes", "runtime/shapes/shapes.map", "TTRT_SHAPES_0.1", "TTRT_SHAPES_API"),
    ("libttrt_text", "runtime/text/text.map", "TTRT_TEXT_0.1", "TTRT_TEXT_API"),
])
def test_exports_are_those_of_map_and_headers(installed, root, name, map, version, api):
    """The binary interface: the library's name, and each symbol under the release that introduced it."""
    def declared_in(headers):
        return re.findall(rf"^{api} [^;]*?\b(ttrt_\w+)\(", "".join(h.read_text() for h in headers), re.M)

    library, = (p for p in installed.rglob(f"{name}.so.*") if not p.is_symlink())
    assert f"Library soname: [{name}.so.0]" in run("readelf", "--dynamic", "--wide", library)
    mapped = {}
    for node, body in re.findall(r"^(TTRT_[\w.]+) \{(.*?)^\}", (root / map).read_text(), re.M | re.S):
        for symbol in re.findall(r"^    (\w+);$", body, re.M):
            assert symbol not in mapped, f"{symbol} is in two versions"
            mapped[symbol] = node
    assert version in mapped.values()
    exported = dict(re.findall(r" [A-Z] (\w+)@@?(\S+)$", run("nm", "-D", "--defined-only", library), re.M))
    nodes = {symbol for symbol in exported if symbol.startswith("TTRT_")}  # some linkers list the nodes, too
    assert {symbol: node for symbol, node in exported.items() if symbol not in nodes} == mapped
    assert sorted(declared_in((installed / "include/ttrt").glob("*.h"))) == sorted(s for s, node in mapped.items() if node == version)
    private = sorted(s for s, node in mapped.items() if node != version)
    tables = re.findall(r"^extern TTRT_API const \w+ (\w+);", (root / "runtime/lib/Api/Turns.h").read_text(), re.M)
    assert private == (tables if name == "libttrt" else [])


def test_libttrt_text_needs_no_other_library(installed, build_dir):
    """It has fmt and PCRE2 inside, so that a machine which runs bundles needs no further packages."""
    library, = (p for p in installed.rglob("libttrt_text.so.*") if not p.is_symlink())
    needed = set(re.findall(r"Shared library: \[(\w+)", run("readelf", "--dynamic", "--wide", library)))
    assert needed <= {"libttrt", "libstdc", "libm", "libgcc_s", "libc", "libclang_rt", "ld"}, needed


def test_installed_tools_start(installed):
    for tool in ("ttc-opt", "ttc-translate", "ttrun"):
        assert "usage" in run(installed / "bin" / tool, "--help", env={}).lower()


def test_c_example_runs_a_bundle_made_by_hand(example, build_dir, tmp_path):
    """Without the compiler: the bundle that the runtime's own tests use."""
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    run(writer, "sample", tmp_path / "sample.ttcb")
    assert re.search(r"^output \S+: [\d ]+; largest: element", run(example, tmp_path / "sample.ttcb"), re.M)


def test_generate_example(build_example, build_dir, tmp_path):
    program, writer, bundle = build_example("generate", "ttrt-generate"), build_dir / "test/unit/ttrt-write-sample", tmp_path / "chat.ttcb"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    run(writer, "chat", bundle)
    tokens, made = [5, 900, 17], []
    for _ in range(4):  # test_decode in test/unit/Support/TestPrograms.c
        total = sum(token * (2 * i + 1) for i, token in enumerate(tokens + made))
        made.append((total * 2654435761 & 0xffffffff) // 256 % 1000)
    assert run(program, bundle, 4, *map(str, tokens)).split() == [str(token) for token in made]
    done = subprocess.run([program, bundle, "100", "1"], capture_output=True, text=True)
    assert done.returncode == 1 and "the context of 64 has room for 64 more" in done.stderr


def test_host_ops_example_registers_its_function(build_example, tools, root, tmp_path):
    program = build_example("host-ops", "swish")
    bundle = tmp_path / "swish.ttcb"
    tools.compile(root / "examples/host-ops/swish.onnx", bundle, "--host-ops=com.acme.*")
    printed = run(program, bundle)
    assert "wants com.acme.Swish\n" in printed and re.search(r"^y: -?\d+\.\d{4} ", printed, re.M)


def test_shapes_example_embeds_texts(build_example, build_dir, tools, root, tmp_path):
    """In C as in Python, one by one as in batches; a text that is too long is an error, and the next one runs."""
    program = build_example("shapes", "ttrt-embed")
    run(sys.executable, root / "examples/shapes/make.py", tmp_path / "encoder.onnx")
    tools.run("ttc-translate", "--onnx-to-bundle", "--dim=batch:1..8", "--dim=sequence:1..512", tmp_path / "encoder.onnx",
              "-o", tmp_path / "encoder.ttcb")
    words = ["a stitch in time", "saves nine", "nine lives has a cat", "x", "time in a stitch", "\u00e9t\u00e9", "nine saves", "z" * 512, "y"]
    text = "\n".join(words)
    printed = [run(program, tmp_path / "encoder.ttcb", batch, input=text).splitlines() for batch in "138"]
    python = run(sys.executable, root / "examples/shapes/embed.py", tmp_path / "encoder.onnx", input=text,
                 env={**os.environ, "PYTHONPATH": f"{build_dir / 'python'}:{root / 'python'}", "TTC_BIN": str(build_dir / "bin")})
    # Two texts of the same words are equally near to others, up to rounding.
    assert [line.split(":")[0] for line in python.splitlines()] == [line.split(":")[0] for line in printed[0]]
    assert "5: like 1, " in python and "7: like 2, " in python and len(printed[0]) == len(words) - 1
    for lines in printed[1:] + [python.splitlines()]:
        assert all(abs(float(a.split()[-1]) - float(b.split()[-1])) <= 0.0011 for a, b in zip(lines, printed[0], strict=True))
    done = subprocess.run([program, tmp_path / "encoder.ttcb", "1"], input="a\n" + "z" * 513 + "\nb", capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout.startswith("2: like 1")
    assert "no variant of model 'main' holds batch = 1, sequence = 513" in done.stderr


def test_c_example_runs_a_bundle(example, tools, root, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle)
    printed = run(example, bundle)
    assert "input image: 1 1 8 8" in printed
    largest, value = re.search(r"output logits: 1 10; largest: element (\d+), (\S+)", printed).groups()
    np.save(tmp_path / "in.npy", (np.arange(64, dtype=np.float32) / 64).reshape(1, 1, 8, 8))
    tools.ttrun("run", bundle, f"--input=image={tmp_path / 'in.npy'}",
                f"--output=logits={tmp_path / 'out.npy'}")
    logits = np.load(tmp_path / "out.npy").ravel()
    assert int(largest) == logits.argmax()
    assert float(value) == pytest.approx(float(logits.max()), rel=1e-5)


def test_cpp_example_streams(build_example, tools, root, tmp_path):
    program, bundle = build_example("cpp", "ttrt-stream"), tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, "--slots=2")
    np.save(tmp_path / "in.npy", np.full((1, 1, 8, 8), 49, np.float32))
    tools.ttrun("run", bundle, f"--input=image={tmp_path / 'in.npy'}", f"--output=logits={tmp_path / 'out.npy'}")
    largest = float(np.load(tmp_path / "out.npy").max())
    for schedule in ("overlap-io-signals", "single", "overlap-io", "overlap-input"):
        printed = run(program, bundle, 50, schedule)
        name, value = re.match(r"(\S+): 50 inferences; the last one's largest element: (\S+)", printed).groups()
        assert name == schedule
        assert float(value) == pytest.approx(largest, rel=1e-5)
    assert run(program, bundle, 1).startswith("overlap-io-signals: 1 inferences")
    done = subprocess.run([program, bundle, "1", "fastest"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("no schedule 'fastest'; entry point 'main' has: single, overlap-io-signals")


def test_program_that_opens_signed_bundles(installed, build_dir, tmp_path):
    """The CMake package's ttrt::ttrt_sign, in C."""
    if not (installed / "include/ttrt/sign.h").exists():
        pytest.skip("built without libsodium")
    if "-fsanitize" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("a sanitized libttrt does not link into a plain program")
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(x C)\nfind_package(ttrt REQUIRED)\n"
        "add_executable(x x.c)\ntarget_link_libraries(x PRIVATE ttrt::ttrt_sign)\n")
    (tmp_path / "x.c").write_text("""
#include <stdio.h>
#include <ttrt/sign.h>
int main(int argc, char **argv) {
  const char *files[] = {argv[2]};
  ttrt_error error;
  ttrt_keys *keys;
  ttrt_bundle *bundle = NULL;
  (void)argc;
  if (ttrt_keys_open(files, 1, &keys, &error) == TTRT_OK)
    ttrt_bundle_open_signed(argv[1], NULL, keys, TTRT_VERIFY_FULL, &bundle, &error);
  printf("%s %s, %u entry points\\n", ttrt_status_name(error.status), error.message, ttrt_bundle_entries(bundle));
  ttrt_bundle_close(bundle);
  ttrt_keys_close(keys);
  return 0;
}
""")
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installed}", "-DCMAKE_C_COMPILER=clang-22")
    run("cmake", "--build", tmp_path / "build")
    run(writer, "sample", tmp_path / "a.ttcb")
    run(installed / "bin/ttrun", "keygen", "one", cwd=tmp_path)
    run(installed / "bin/ttrun", "keygen", "two", cwd=tmp_path)
    run(installed / "bin/ttrun", "sign", "a.ttcb", "--key=one.key", cwd=tmp_path)
    assert run(tmp_path / "build/x", "a.ttcb", "one.pub", cwd=tmp_path) == "ok , 1 entry points\n"
    assert run(tmp_path / "build/x", "a.ttcb", "two.pub", cwd=tmp_path).startswith("not trusted signed with key ")


def test_c_example_reports_a_bad_bundle(example, tmp_path):
    (tmp_path / "bad.ttcb").write_bytes(os.urandom(8192))
    done = subprocess.run([example, tmp_path / "bad.ttcb"], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.match(r"[a-z ]+: .+", done.stderr), done.stderr


def test_libttrt_loads_the_proof_of_meshes(installed, example, build_dir, tmp_path):
    """A bundle for a mesh is proved by libttrt_mesh, which is beside libttrt, and refused without it."""
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")

    def refusal(sample, **options):
        run(writer, sample, tmp_path / sample)
        done = subprocess.run([example, tmp_path / sample], capture_output=True, text=True, **options)
        assert done.returncode == 1
        return done.stderr

    library, = installed.rglob("libttrt.so.0")
    assert re.search(r"runpath: \[\$ORIGIN\]", run("readelf", "--dynamic", "--wide", library))  # and not the current folder
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(library, alone)
    missing = "the bundle is for a mesh, and libttrt_mesh, which proves it, cannot be loaded: libttrt_mesh.so.0: "
    assert missing in refusal("mesh", env={"LD_LIBRARY_PATH": str(alone)})
    assert "the bundle is compiled for a mesh of 4 devices, and the device has no transport" in refusal("mesh")  # it is open
    assert "device 99; the mesh has" in refusal("mesh-refused")


def test_pkg_config_builds_the_c_example(installed, build_dir, root, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    if "-fsanitize" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("a sanitized libttrt does not link into a plain program")
    # The installed tree may be moved: the file finds it by where it is itself.
    moved = tmp_path / "moved"
    shutil.copytree(installed, moved, symlinks=True)
    where, = moved.rglob("ttrt.pc")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(where.parent)}
    assert "-lttrt_generate -lttrt" in run("pkg-config", "--libs", "ttrt_generate", env=environment)
    assert "-lttrt_text -lttrt" in run("pkg-config", "--libs", "ttrt_text", env=environment)
    flags = run("pkg-config", "--cflags", "--libs", "ttrt", env=environment).split()
    assert f"-L{where.parent}/../../lib" in " ".join(flags)
    run("clang-22", root / "examples/c/main.c", "-o", tmp_path / "program", *flags)
    done = subprocess.run([tmp_path / "program", "absent.ttcb"], capture_output=True, text=True,
                          env={"LD_LIBRARY_PATH": str(where.parent.parent)})
    assert done.returncode == 1 and "absent.ttcb" in done.stderr
    assert run("pkg-config", "--modversion", "ttrt", env=environment).strip() in run(installed / "bin/ttc", "--version")


def test_cmake_of_the_documentation(installed, root, tmp_path):
    sys.path.append(str(root / "test/docs"))
    from blocks import blocks

    found = blocks("cmake")
    assert found
    for number, block in enumerate(found):
        project = tmp_path / str(number)
        project.mkdir()
        (project / "app.c").write_text("#include <ttrt/ttrt.h>\nint main(void) { return ttrt_version() == 0; }\n")
        (project / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(app C)\nadd_executable(app app.c)\n{block.text}")
        run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={installed}", "-DCMAKE_C_COMPILER=clang-22")


def test_every_tool_has_a_man_page(installed):
    pages = {p.name: p for p in installed.glob("share/man/man1/*.1")}
    if not pages and not shutil.which("lowdown"):
        pytest.skip("lowdown is not installed")
    assert set(pages) == {f"{tool}.1" for tool in TOOLS}
    text = pages["ttrun.1"].read_text()
    for option in ("loops", "schedule", "expect"):
        assert re.search(rf"^.*(?:--|\\-\\-){option}\b", text, re.M)
    # A page that refers to another one refers to one that is there.
    for page in pages.values():
        if page.read_text().startswith(".so "):
            assert (page.parent.parent / page.read_text().split()[1]).exists()


def complete(installed, *words):
    """What bash offers for the last of these words."""
    script = installed / "share/bash-completion/completions" / words[0]
    code = f'source "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ttc; printf "%s\\n" "${{COMPREPLY[@]}}"'
    environment = {**os.environ, "PATH": f"{installed / 'bin'}:{os.environ['PATH']}"}
    return set(run("bash", "-c", code, "bash", *words, env=environment, cwd=installed).split())


@pytest.mark.parametrize("words, offered, not_offered", [
    (["ttc", "pe"], {"perf"}, {"run"}),
    (["ttc", ""], {"compile", "run", "monitor", "bin"}, set()),
    (["ttrun", "ch"], {"check"}, {"run"}),
    (["ttc", "run", "--lo"], {"--loops="}, {"--random="}),
    (["ttrun", "run", "--verify", "="], {"full", "structure", "none"}, set()),
    (["ttc", "model.onnx", "--mem"], {"--memory="}, {"--queues="}),
    (["ttc", "compile", "model.onnx", "--memory", "=", "d"], {"dram"}, {"auto"}),
    (["ttc-translate", "--imp"], {"--import-onnx"}, {"--onnx-to-bundle"}),
    (["ttrun", "run", "sh"], {"share"}, {"bin"}),
])
def test_completion(installed, words, offered, not_offered):
    found = complete(installed, *words)
    assert offered <= found and not not_offered & found, found


def test_links_of_the_installed_pages_lead_somewhere(installed):
    doc = installed / "share/doc/ttc"
    pages = sorted(doc.rglob("*.md"))
    assert len(pages) > 10
    wrong = [
        f"{page.relative_to(doc)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text())
        if not link.startswith("http") and not (page.parent / link).exists()
    ]
    assert not wrong, wrong


@pytest.mark.parametrize("shared", ["OFF", *nightly(["ON"])])
def test_debian_packages(shared, build_dir, tmp_path, tools, root):
    """cpack makes one of each component; together they have what cmake --install has, and what they need is named:
    `shared` libraries, too, which take long to find."""
    for tool in ("cpack", "dpkg-shlibdeps", "file"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    if "CMAKE_BUILD_TYPE:STRING=Release" not in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("not a release build")
    run("cpack", "-G", "DEB", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip",
        "-D", f"CPACK_DEBIAN_PACKAGE_SHLIBDEPS={shared}", "--config", build_dir / "CPackConfig.cmake", "-B", tmp_path / "packages", cwd=build_dir)
    packages = {p.name.split("_")[0]: p for p in (tmp_path / "packages").glob("*.deb")}
    signs = "libttrt-sign0" in packages  # not without libsodium
    mpi = "libttrt-mpi0" in packages  # not without MPI
    assert set(packages) == {"libttrt0", "libttrt-dev", "ttrun", "ttc"} | (
        {"libttrt-sign0"} if signs else set()) | ({"libttrt-mpi0"} if mpi else set())
    field = lambda name, what: run("dpkg-deb", "-f", packages[name], what).strip()
    assert ("libmlir-22" in field("ttc", "Depends")) == (shared == "ON")
    assert "libttrt0 (= " in field("libttrt-dev", "Depends")
    if signs:
        assert "libttrt0 (= " in field("libttrt-sign0", "Depends")
        assert ("libsodium" in field("libttrt-sign0", "Depends")) == (shared == "ON")
    assert "sodium" not in field("libttrt0", "Depends")
    if mpi:
        assert ("libopenmpi" in field("libttrt-mpi0", "Depends")) == (shared == "ON")
    assert "mpi" not in field("libttrt0", "Depends") + field("ttrun", "Depends")
    assert not re.search("mlir|llvm|protobuf|onnx", field("ttrun", "Depends") + field("libttrt0", "Depends"))
    files = {}
    for name, package in packages.items():
        run("dpkg-deb", "-x", package, tmp_path / "root")
        for line in run("dpkg-deb", "-c", package).splitlines():
            path = line.split()[5]
            assert path.endswith("/") or path not in files, f"{path} is in {name} and in {files[path]}"
            files[path] = name
    assert files["./usr/bin/ttrun"] == "ttrun" and files["./usr/bin/ttc"] == "ttc"
    # The whole way with what the packages hold.
    shutil.copy(root / "examples/digits/digits.onnx", tmp_path)
    run(tmp_path / "root/usr/bin/ttc", "digits.onnx", cwd=tmp_path, env={})
    assert "logits f32[1, 10]" in run(tmp_path / "root/usr/bin/ttc", "run", "digits.ttcb", "--random", cwd=tmp_path, env={})
