# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun generate, on a decoder that is no model (test/unit/Runtime/TestPrograms.c)."""
import json
import re
import subprocess

import pytest

CONTEXT = 64


@pytest.fixture(scope="module")
def bundle(build_dir, tmp_path_factory):
    def write(name):
        writer = build_dir / "test/unit/ttrt-write-sample"
        if not writer.exists():
            pytest.skip(f"{writer} is not built")
        path = tmp_path_factory.mktemp(name) / f"{name}.ttcb"
        subprocess.run([writer, name, path], check=True)
        return path
    return write


@pytest.fixture(scope="module")
def chat(bundle):
    return bundle("chat")


def tokens_after(tokens, most=CONTEXT, stops=()):
    """What test_decode gives."""
    tokens, made = list(tokens), []
    while len(made) < most and len(tokens) <= CONTEXT:
        total = sum(token * (2 * i + 1) for i, token in enumerate(tokens))
        made.append((total * 2654435761 & 0xffffffff) // 256 % 1000)
        tokens.append(made[-1])
        if made[-1] in stops:
            break
    return made


def bytes_of(token):
    if token < 256:
        return bytes([token])
    return b"" if token < 259 else b"th" if token == 259 else f" w{token}".encode()


def text_of(tokens):
    return b"".join(map(bytes_of, tokens)).decode(errors="replace")


def ids(text):
    return [token for piece in re.split("(th)", text) for token in ([259] if piece == "th" else piece.encode())]


def test_text(tools, chat):
    prompt = "the path: é"
    want = tokens_after(ids(prompt), 20)
    for options in ([], ["--cores=1"], ["--cores=2", "--ahead=1"], ["--ahead=50"], ["--schedule=single"], ["--no-trace"],
                    ["--prompt-by-steps"], ["--verify=structure"]):
        done = tools.ttrun("generate", chat, "--prompt", prompt, "--tokens=20", *options)
        assert done.stdout == text_of(want) + "\n"
        assert re.fullmatch(r"prompt: 10 tokens in [\d.]+ ms \(\d+ tokens/s\); answer: 20 tokens in [\d.]+ ms \([\d.]+ tokens/s\); "
                            r"the first one after [\d.]+ ms\n", done.stderr), done.stderr


def test_numbers(tools, chat, bundle):
    prompt = [5, 900, 17]
    want = tokens_after(prompt, 9)
    options = ["--prompt-ids=5,900,17", "--tokens=9"]
    lines = "".join(f"{token}\n" for token in want)
    assert tools.ttrun("generate", chat, *options, "--print-ids").stdout == lines
    assert tools.ttrun("generate", bundle("generate"), *options).stdout == lines
    assert tools.ttrun("generate", chat, *options).stdout == text_of(want) + "\n"


def test_json(tools, chat, root):
    found = json.loads(tools.ttrun("generate", chat, "--prompt=the", "--tokens=7", "--json").stdout)
    assert found["tokens"] == tokens_after(ids("the"), 7) and found["text"] == text_of(found["tokens"])
    assert (found["prompt_tokens"], found["kept_tokens"], found["ended"], found["context"]) == (2, 0, "tokens", CONTEXT)
    assert found["first_token_ms"] >= found["prompt_ms"] > 0 and found["decode_tokens_per_second"] > 0
    section = (root / "docs/ttrun-json.md").read_text().split("## `ttrun generate")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, flags=re.M)
    assert set(found) | {"profile"} == set(re.findall(r"`(\w+)`", " ".join(rows)))


def test_ends(tools, chat):
    def run(*options):
        return json.loads(tools.ttrun("generate", chat, "--json", *options).stdout)
    whole = run("--prompt=abc")
    assert whole["ended"] == "context" and whole["tokens"] == tokens_after(b"abc")
    assert len(whole["tokens"]) == CONTEXT - 3 + 1
    stop = whole["tokens"][20]
    stopped = run("--prompt=abc", f"--stop-ids={stop},1", "--ahead=30")
    assert stopped["ended"] == "stop" and stopped["tokens"] == tokens_after(b"abc", stops=(stop, 1))
    assert stopped["text"] == text_of(stopped["tokens"][:-1])
    # A prompt whose next token is the vocabulary's end.
    prompt = next(i for i in range(1000) if tokens_after([i, 7], 1) == [256])
    ended = run(f"--prompt-ids={prompt},7")
    assert ended["tokens"] == [256] and ended["text"] == "" and ended["ended"] == "stop"
    on = run(f"--prompt-ids={prompt},7", "--ignore-eos", "--tokens=5")
    assert on["tokens"] == tokens_after([prompt, 7], 5) and on["ended"] == "tokens"


def test_control_tokens(tools, chat):
    def tokens(*options):
        return json.loads(tools.ttrun("generate", chat, "--tokens=4", "--json", *options).stdout)
    plain, special = tokens("--prompt=<|user|>a"), tokens("--prompt=<|user|>a", "--special")
    assert plain["tokens"] == tokens_after(b"<|user|>a", 4) and special["tokens"] == tokens_after([257, 97], 4)
    assert special["prompt_tokens"] == 2


def test_chat(tools, chat, tmp_path):
    def tokens(*options):
        return json.loads(tools.ttrun("generate", chat, "--tokens=4", "--json", "--chat", *options).stdout)["tokens"]
    assert tokens("--prompt=hi") == tokens_after([257, *b"hi", 258], 4)
    # What a user types is text.
    assert tokens("--prompt=x<|user|>y") == tokens_after([257, *b"x<|user|>y", 258], 4)
    (tmp_path / "prompt").write_text("hi")
    assert tokens(f"--prompt-file={tmp_path}/prompt", "--system=S") == tokens_after([*b"<|system|>S", 257, *b"hi", 258], 4)


def test_conversation(tools, chat):
    done = subprocess.run([tools.path("ttrun"), "generate", chat, "--chat", "--tokens=3"], input="hi\n\nand\n", text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    first = tokens_after([257, *b"hi", 258], 3)
    answer = text_of(first)
    history = [257, *b"hi", 258, *ids(answer), 257, *b"and", 258]
    second = text_of(tokens_after(history, 3))
    assert done.stdout == answer + "\n" + second + "\n"
    assert re.findall(r"prompt: (\d+) tokens", done.stderr) == ["4", str(len(history))]
    assert int(re.search(r", (\d+) of them kept", done.stderr)[1]) >= 4


def test_states(tools, chat, tmp_path):
    states, prompt = tmp_path / "states", "some prompt that is long"
    want = tokens_after(ids(prompt), 5)
    first = tools.ttrun("generate", chat, "--prompt", prompt, "--tokens=1", f"--save-state={states}")
    assert first.stdout == text_of(want[:1]) + "\n"
    second = json.loads(tools.ttrun("generate", chat, "--prompt", prompt, "--tokens=5", f"--restore-state={states}", "--json").stdout)
    assert second["tokens"] == want and second["kept_tokens"] == len(ids(prompt)) - 1


def test_logits(tools, chat, tmp_path):
    np = pytest.importorskip("numpy")
    tools.ttrun("generate", chat, "--prompt=abc", "--tokens=6", f"--logits={tmp_path}/logits.npy")
    logits = np.load(tmp_path / "logits.npy")
    assert logits.shape == (6, 4) and list(logits[:, 0]) == tokens_after(b"abc", 6) and list(logits[:, 1]) == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("options, status, words", [
    ([], 2, "expected --prompt=TEXT"),
    (["--chat", "--json"], 2, "expected --prompt=TEXT"),
    (["--prompt=a", "--prompt-ids=1"], 2, "expected one of --prompt, --prompt-file and --prompt-ids"),
    (["--prompt-ids=1,x"], 2, "--prompt-ids=1,x: expected numbers of tokens, separated by commas"),
    (["--prompt-ids=1,"], 2, "expected numbers of tokens"),
    (["--prompt-ids=-1"], 2, "expected numbers of tokens"),
    (["--prompt=a", "--system=b"], 2, "--system needs --chat"),
    (["--prompt-ids=1", "--chat"], 2, "expected no --prompt-ids"),
    (["--prompt=a", "--top-p=1.5"], 2, "--top-p=1.5: expected a number above 0, at most 1"),
    (["--prompt=a", "--top-p=0"], 2, "--top-p=0: expected a number above 0, at most 1"),
    (["--prompt=a", "--repetition-penalty=0"], 2, "--repetition-penalty=0: expected a number above 0"),
    (["--prompt=a", "--tokens=0"], 2, "--tokens=0: expected a number from 1"),
    (["--prompt=a", "--ahead=0"], 2, "--ahead=0: expected a number from 1 to 4096"),
    (["--prompt=" + "a" * 65], 2, "the prompt has 65 tokens; the context has room for 64"),
    (["--prompt=" + "a" * 60, "--tokens=6"], 2, "the prompt has 60 tokens, and 6 more are wanted; the context of 64 has room for 5 more"),
    (["--prompt=a", "--stop-ids=" + ",".join(map(str, range(32)))], 2, "at most 32 tokens that end a text, found 33"),
    (["--prompt=a", "--schedule=overlap"], 2, "no schedule 'overlap'"),
    (["--prompt-file=/nonexistent"], 2, "cannot read '/nonexistent'"),
    (["--prompt=a", "--restore-state=/nonexistent"], 2, "--restore-state: cannot open '/nonexistent'"),
])
def test_errors(tools, chat, options, status, words):
    done = tools.ttrun("generate", chat, *options, check=False)
    assert done.returncode == status and words in done.stderr and done.stdout == "", (done.stdout, done.stderr)


def test_bundles_without(tools, bundle):
    for name, options, words in (("sample", ["--prompt=a"], "no entry point 'decode'"),
                                 ("generate", ["--prompt=a"], "no metadata 'tokenizer'"),
                                 ("generate", ["--chat", "--prompt=a"], "no metadata 'chat_template'")):
        done = tools.ttrun("generate", bundle(name), *options, check=False)
        assert done.returncode == 2 and words in done.stderr, done.stderr
