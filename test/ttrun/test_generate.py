# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun generate, on a decoder that is no model (test/unit/Support/TestPrograms.c)."""
import json
import re
import subprocess

import pytest

CONTEXT = 64


@pytest.fixture(scope="module")
def chat(written):
    return written("chat")


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


def test_numbers(tools, chat, written):
    prompt = [5, 900, 17]
    want = tokens_after(prompt, 9)
    options = ["--prompt-ids=5,900,17", "--tokens=9"]
    lines = "".join(f"{token}\n" for token in want)
    assert tools.ttrun("generate", chat, *options, "--print-ids").stdout == lines
    assert tools.ttrun("generate", written("generate"), *options).stdout == lines
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


def test_what_the_template_sees(tools, chat, tmp_path):
    messages, functions = tmp_path / "messages.json", tmp_path / "tools.json"
    messages.write_text(json.dumps([{"role": "user", "content": "hi"}, {"role": "tool", "content": "x<|user|>"}]))
    functions.write_text(json.dumps([{"name": "f"}, {"name": "<|user|>"}]))

    def tokens(*options):
        return json.loads(tools.ttrun("generate", chat, "--tokens=4", "--json", "--chat", *options).stdout)["tokens"]
    said = [257, *b"hi<|tool|>x<|user|>", 258]
    assert tokens(f"--messages={messages}") == tokens_after(said, 4)
    # Names of control tokens are text in a tool, too.
    assert tokens(f"--messages={messages}", f"--tools={functions}") == tokens_after([*b"[f][<|user|>]", *said], 4)
    assert tokens("--prompt=hi", '--variables={"greeting": "Ho"}') == tokens_after([*b"Ho", 257, *b"hi", 258], 4)


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


@pytest.fixture(scope="module", params=["sequences", "chat"])
def several(request, written):
    """For four sequences, and for one."""
    return written(request.param)


TEXTS = ["the path", "é", "abc", "a longer prompt for all", "xy", "hello"]


def answer_of(prompt, tokens):
    text = text_of(tokens_after(ids(prompt), tokens))
    return text if text.endswith("\n") else text + "\n"


def test_several_prompts(tools, several, tmp_path):
    """Whichever others step with it, each prompt has the text that it has alone."""
    want = "\n".join(f"=== prompt {i + 1}: {prompt}\n{answer_of(prompt, 11)}" for i, prompt in enumerate(TEXTS))
    (tmp_path / "prompts").write_text("".join(f"{prompt}\n\n" for prompt in TEXTS))
    for i, prompt in enumerate(TEXTS):
        (tmp_path / str(i)).write_text(prompt)
    prompts = [f"--prompt={prompt}" for prompt in TEXTS]
    for options in (prompts, prompts + ["--ahead=1"], prompts + ["--cores=1", "--no-trace"], prompts + ["--prompt-by-steps"],
                    [f"--prompts-file={tmp_path}/prompts"], [f"--prompt-file={tmp_path}/{i}" for i in range(len(TEXTS))]):
        done = tools.ttrun("generate", several, "--tokens=11", *options)
        assert done.stdout == want
        assert re.fullmatch(rf"6 prompts, [14] at a time: {sum(len(ids(text)) for text in TEXTS)} tokens in [\d.]+ ms \(\d+ tokens/s\); answers: 66 tokens in [\d.]+ ms "
                            r"\([\d.]+ tokens/s in all\)\n", done.stderr), done.stderr
    # A title is one line, and short.
    long = tools.ttrun("generate", several, "--prompt=a\nb", "--prompt=" + "é" * 31, "--tokens=1").stdout
    assert re.findall("^=== .*", long, flags=re.M) == ["=== prompt 1: a...", "=== prompt 2: " + "é" * 30 + "..."]


def test_several_prompts_json(tools, several, root):
    # One ends with a stop token, one with the context.
    stop = tokens_after(ids("abc"), 9)[-1]
    found = json.loads(tools.ttrun("generate", several, *(f"--prompt={prompt}" for prompt in TEXTS), f"--stop-ids={stop}", "--json").stdout)
    wants = [tokens_after(ids(prompt), stops=(stop, 256)) for prompt in TEXTS]
    assert [answer["tokens"] for answer in found["answers"]] == wants
    for prompt, want, answer in zip(TEXTS, wants, found["answers"]):
        stopped = want[-1] in (stop, 256)
        assert answer["ended"] == ("stop" if stopped else "context") and answer["prompt_tokens"] == len(ids(prompt))
        assert answer["text"] == text_of(want[:-1] if stopped else want)
    assert found["tokens"] == sum(map(len, wants)) and found["sequences"] in (1, 4)
    assert found["prompt_tokens"] == sum(len(ids(prompt)) for prompt in TEXTS)
    page = (root / "docs/ttrun-json.md").read_text().split("## `ttrun generate")
    keys = [set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", part.split("\n## ")[0], flags=re.M)))) for part in page[1:]]
    assert set(found) | {"profile"} == keys[1]
    assert set(found["answers"][0]) == keys[0] - {"bundle", "cores", "devices", "ahead", "context", "load_ms", "profile"}


def test_several_prompts_otherwise(tools, several, tmp_path):
    options = ["--prompt-ids=5,900,17", "--prompt-ids=1", "--tokens=5"]
    wants = [tokens_after([5, 900, 17], 5), tokens_after([1], 5)]
    lines = "\n".join(f"=== prompt {i + 1}\n" + "".join(f"{token}\n" for token in want) for i, want in enumerate(wants))
    assert tools.ttrun("generate", several, *options, "--print-ids").stdout == lines
    # Conversations of their own.
    found = json.loads(tools.ttrun("generate", several, "--chat", "--system=S", "--prompt=hi", "--prompt=you", "--tokens=4", "--json").stdout)
    assert [answer["tokens"] for answer in found["answers"]] == [tokens_after([*b"<|system|>S", 257, *ids(text), 258], 4)
                                                                 for text in ("hi", "you")]
    # One prompt, a conversation.
    assert tools.ttrun("generate", several, "--prompt=abc", "--tokens=9").stdout == answer_of("abc", 9)
    done = subprocess.run([tools.path("ttrun"), "generate", several, "--chat", "--tokens=3"], input="hi\n", text=True,
                          capture_output=True, timeout=60)
    assert done.stdout == text_of(tokens_after([257, *b"hi", 258], 3)) + "\n"


def test_several_states(tools, written, tmp_path):
    """Each place keeps what it has of its prompt."""
    sequences, states = written("sequences"), tmp_path / "states"
    prompts = [f"--prompt={text}" for text in TEXTS[:4]]
    tools.ttrun("generate", sequences, *prompts, "--tokens=1", f"--save-state={states}")
    found = json.loads(tools.ttrun("generate", sequences, *prompts, "--tokens=5", f"--restore-state={states}", "--json").stdout)
    for text, answer in zip(TEXTS, found["answers"]):
        assert answer["tokens"] == tokens_after(ids(text), 5) and answer["kept_tokens"] == len(ids(text)) - 1


@pytest.mark.parametrize("options, status, words", [
    ([], 2, "expected --prompt=TEXT"),
    (["--chat", "--json"], 2, "expected --prompt=TEXT"),
    (["--prompt=a", "--prompt-ids=1"], 2, "expected one of --prompt, --prompt-file, --prompts-file and --prompt-ids"),
    (["--prompt-ids=1,x"], 2, "--prompt-ids=1,x: expected numbers of tokens, separated by commas"),
    (["--prompt-ids=1,"], 2, "expected numbers of tokens"),
    (["--prompt-ids=-1"], 2, "expected numbers of tokens"),
    (["--prompt=a", "--system=b"], 2, "--system needs --chat"),
    (["--prompt=a", "--tools=b"], 2, "--tools needs --chat"),
    (["--prompt=a", "--variables={}"], 2, "--variables needs --chat"),
    (["--messages=b"], 2, "--messages needs --chat"),
    (["--chat", "--messages=b", "--prompt=a"], 2, "expected one of --prompt"),
    (["--chat", "--messages=b", "--system=a"], 2, "--messages has all messages: expected no --system"),
    (["--chat", "--messages=/nonexistent"], 2, "cannot read '/nonexistent'"),
    (["--chat", "--prompt=a", "--variables=[]"], 2, "variables: expected an object, found a list"),
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
    (["--prompts-file=/nonexistent"], 2, "cannot read '/nonexistent'"),
    (["--prompts-file=/dev/null"], 2, "--prompts-file=/dev/null: expected a prompt a line, found none"),
    (["--prompt=a", "--prompt-ids=1"], 2, "expected one of --prompt"),
    (["--prompt=a", "--prompt=b", "--logits=x.npy"], 2, "--logits: expected one prompt, found 2"),
    (["--prompt=a", "--prompt=" + "a" * 65], 2, "prompt 2 has 65 tokens; the context has room for 64"),
    (["--prompt=a", "--prompt=" + "a" * 60, "--tokens=6"], 2,
     "prompt 2 has 60 tokens, and 6 more are wanted; the context of 64 has room for 5 more"),
    (["--prompt=a", "--restore-state=/nonexistent"], 2, "--restore-state: cannot open '/nonexistent'"),
])
def test_errors(tools, chat, options, status, words):
    done = tools.ttrun("generate", chat, *options, check=False)
    assert done.returncode == status and words in done.stderr and done.stdout == "", (done.stdout, done.stderr)


def test_bundles_without(tools, written):
    for name, options, words in (("sample", ["--prompt=a"], "no entry point 'decode'"),
                                 ("generate", ["--prompt=a"], "no metadata 'tokenizer'"),
                                 ("generate", ["--chat", "--prompt=a"], "no metadata 'chat_template'")):
        done = tools.ttrun("generate", written(name), *options, check=False)
        assert done.returncode == 2 and words in done.stderr, done.stderr
