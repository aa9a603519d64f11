# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: seeds.py BUILD FOLDER TARGET...

Writes what the fuzzers TARGET begin with into FOLDER/TARGET, with the tools of a build tree: bundles of the examples and
of the runtime's tests, recordings of one, and the models of the importer's tests. The folders of test/fuzz/corpus are copied: those are
files that no tool makes, and inputs that were findings.
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stderr=subprocess.DEVNULL)


def bundles(build, folder):
    """Small ones: rings of slots on two queues, and those that are made by hand."""
    for name in ("sample", "certified", "host"):
        run(build / "test/unit/ttrt-write-sample", name, folder / f"{name}.ttcb")
    translate = build / "bin/ttc-translate"
    if translate.exists():
        run(translate, "--onnx-to-bundle", "--queues=2", "--slots=2", ROOT / "examples/mlp/mlp.onnx", "-o", folder / "mlp.ttcb")


def commands(build, folder):
    """Each chooses a few changes of the commands of a bundle."""
    for seed in range(256):
        (folder / f"changes-{seed}").write_bytes(random.Random(seed).randbytes(64))


def tables(build, folder):
    """The bundles of test/runtime/mutate-tables.test."""
    digits, mlp = ROOT / "examples/digits/digits.onnx", ROOT / "examples/mlp/mlp.onnx"
    chip, grid, text = folder / "chip.json", folder / "grid.onnx", folder / "grid.txt"
    shutil.copy(HERE / "corpus/target/chip.json", chip)
    text.write_text((ROOT / "test/runtime/mutate-tables.test").read_text().split("//--- grid.txt\n")[1])
    run(build / "bin/onnx-text", text, grid)
    for name, options in {
        "digits": [digits],
        "rings": ["--queues=2", "--slots=3", mlp],
        "entries": ["--queues=2", digits, mlp, "--entry=left,right"],
        "chip": [f"--target={chip}", "--queues=2", "--shard=width", digits],
        "grid": ["--queues=2", grid],
        "host": ["--queues=2", "--host-ops=com.acme.*", ROOT / "examples/host-ops/swish.onnx"],
        "stages": ["--mesh=2x2", "--parallel=tensor:x,pipeline:y", "--hide-exchanges", mlp],
    }.items():
        run(build / "bin/ttc-translate", "--onnx-to-bundle", *options, "-o", folder / f"{name}.ttcb")
    for made in (chip, grid, text):
        made.unlink()


def models(build, folder):
    """The texts below "//--- NAME.txt" in the importer's tests."""
    for test in sorted((ROOT / "test/Import/Onnx").rglob("*.mlir")):
        for part in test.read_text().split("//--- ")[1:]:
            name, _, text = part.partition("\n")
            if name.endswith(".txt"):
                source = folder / f"{test.stem}-{name}"
                source.write_text(text)
                try:
                    run(build / "bin/onnx-text", source, source.with_suffix(".onnx"))
                except subprocess.CalledProcessError:
                    pass  # a text that is to be refused
                source.unlink()


def modules(build, folder):
    """The functions of the conversion's tests, with those that they call."""
    for test in sorted((ROOT / "test/Conversion/StablehloToTtc").glob("*.mlir")):
        for number, part in enumerate(test.read_text().split("// -----")):
            (folder / f"{test.stem}-{number}.mlir").write_text(part)


def logs(build, folder):
    """Recordings of the sample: runs on two cores, dispatched ones, a pipeline; and one that was not closed."""
    bundle = folder.parent / "sample.ttcb"
    run(build / "test/unit/ttrt-write-sample", "sample", bundle)
    for name, options in {"runs": ["--cores=2"], "dispatched": ["--cores=1", "--no-trace"], "pipeline": ["--cores=1", "--queues=1"]}.items():
        profile = folder.parent / f"profile-{name}"
        shutil.rmtree(profile, ignore_errors=True)
        subprocess.run([build / "bin/ttrun", "run", bundle, "--random", "--loops=3", f"--profile={profile}", *options],
                       check=True, stdout=subprocess.DEVNULL)
        [log] = profile.glob("*/profile.ttlog")
        shutil.copy(log, folder / f"{name}.ttlog")
        shutil.rmtree(profile)
    whole = (folder / "runs.ttlog").read_bytes()
    (folder / "cut.ttlog").write_bytes(whole[: len(whole) * 2 // 3])


def texts(build, folder):
    """Chat templates of the tests, after a byte 1, tokenizers of a few tokens, after a byte 0, and messages, after a byte 2."""
    sys.path.insert(0, str(ROOT / "test/ttrun/text"))
    import expressions
    import templates
    for name, source in [*templates.MODELS.items(), *enumerate(templates.SMALL)]:
        (folder / f"template-{name}").write_bytes(b"\x01" + source.encode())
    for pre in expressions.EXPRESSIONS:
        tokenizer = {"model": "bpe", "pre": pre, "vocab": ["a", "b", "ab", "<|end|>", "\u0120", "\u0120a", "1", "\u00f0"],
                     "types": [1, 1, 1, 3, 1, 1, 1, 1], "merges": ["a b", "\u0120 a"], "bos": 3, "eos": 3, "eot": None,
                     "add_bos": True, "stop": [2]}
        (folder / f"tokenizer-{pre}").write_bytes(b"\x00" + json.dumps(tokenizer).encode())
    sentences = ["<s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", "a", "\u2581a", "[t]"]
    tokenizer = {"model": "spm", "vocab": sentences, "types": [3] + [6] * 256 + [1] * 3 + [4], "ranks": list(range(len(sentences))),
                 "bos": 0, "eos": 0, "eot": None, "add_bos": True, "add_space_prefix": True, "stop": [0]}
    (folder / "tokenizer-spm").write_bytes(b"\x00" + json.dumps(tokenizer).encode())
    tokenizer |= {"model": "bpe", "pre": "gemma4", "merges": ["\u2581 a"]}
    (folder / "tokenizer-plain").write_bytes(b"\x00" + json.dumps(tokenizer).encode())
    # Replacements: "a" becomes "b", by a table of two words for each node.
    table = [1 << 10] + [0] * 95 + [ord("a") | 1 << 8 | 2 << 10] + [0] * 1 + [1 << 31] + [0] * 3
    table = b"".join(word.to_bytes(4, "little") for word in table)
    charsmap = len(table).to_bytes(4, "little") + table + b"b\0"
    unigram = {"model": "unigram", "vocab": ["<unk>", "\u2581", "a", "\u2581a", "b", "[t]", "</s>"], "types": [2, 1, 1, 1, 1, 4, 3],
               "scores": [0, -1, -2, -2.5, -3, 0, 0], "unknown": 0, "bos": None, "eos": 6, "add_bos": False, "add_space_prefix": True,
               "merge_spaces": True, "add_end": 6, "stop": [6], "charsmap": charsmap.hex()}
    (folder / "tokenizer-unigram").write_bytes(b"\x00" + json.dumps(unigram).encode())
    words = {"model": "wordpiece", "vocab": ["[UNK]", "[CLS]", "[SEP]", "\u2581a", "b", "\u2581ab", "\u25811", "2"], "types": [3, 3, 3, 1, 1, 1, 1, 1],
             "unknown": 0, "bos": 1, "add_bos": True, "add_end": 2, "lowercase": True, "strip_accents": True, "stop": []}
    (folder / "tokenizer-wordpiece").write_bytes(b"\x00" + json.dumps(words).encode())
    messages = [{"role": "user", "content": "\u00f0 <|end|>", "n": [1, -2.5, True, None, {"": "\ud83d\ude42"}]}]
    (folder / "messages").write_bytes(b"\x02" + json.dumps(messages).encode())


MAKERS = {"commands": commands, "loader": bundles, "log": logs, "onnx": models, "stablehlo": modules, "tables": tables, "text": texts}


def main():
    build, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    for target in sys.argv[3:]:
        folder = output / target
        folder.mkdir(parents=True, exist_ok=True)
        if (HERE / "corpus" / target).is_dir():
            shutil.copytree(HERE / "corpus" / target, folder, dirs_exist_ok=True)
        if target in MAKERS:
            MAKERS[target](build, folder)


if __name__ == "__main__":
    main()
