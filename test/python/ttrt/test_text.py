# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrt.Tokenizer, with the toy vocabulary of the runtime's tests: bytes, three control tokens, "th"."""

import threading

import pytest
import ttrt

END, USER, ASSISTANT, TH = 256, 257, 258, 259


@pytest.fixture(scope="module")
def tokenizer(chat_bundle):
    with ttrt.load(chat_bundle, cores=1) as bundle:
        return ttrt.Tokenizer(bundle)  # outlives it


def test_what_it_has(tokenizer):
    assert len(tokenizer) == 1000 and tokenizer.bos is None and tokenizer.eos == END
    assert tokenizer.stop_tokens == [END] and tokenizer.has_chat_template
    assert repr(tokenizer) == "<ttrt.Tokenizer: 1000 tokens>"


def test_encode_and_decode(tokenizer):
    assert tokenizer.encode("the") == [TH, ord("e")] and tokenizer.encode("") == []
    text = "<|end|> é🙂\0"
    assert tokenizer.decode(tokenizer.encode(text)) == text and END not in tokenizer.encode(text)
    tokens = tokenizer.encode(text, control=True)
    assert tokens[0] == END and tokenizer.decode(tokens) == text[len("<|end|>"):]
    assert tokenizer.decode(iter(tokens), control=True) == text
    assert tokenizer.decode([0xf0, 0x9f, 97]) == "\ufffda"
    assert tokenizer.decode(tokenizer.encode("th" * 10000)) == "th" * 10000


def test_stream(tokenizer):
    stream = tokenizer.stream()
    assert [stream.push(token) for token in tokenizer.encode("a🙂")] == ["a", "", "", "", "🙂"]
    assert stream.push(END) == "" and tokenizer.stream(control=True).push(END) == "<|end|>"
    assert stream.push(0xf0) == "" and stream.finish() == "\ufffd" and stream.push(97) == "a"


def test_chat(tokenizer):
    messages = [{"role": "user", "content": "h<|end|>🙂"}]
    prompt = tokenizer.apply_chat_template(messages)
    assert prompt[:2] == [USER, ord("h")] and prompt[-1] == ASSISTANT and END not in prompt
    assert tokenizer.apply_chat_template(messages, add_generation_prompt=False) == prompt[:-1]
    assert tokenizer.apply_chat_template(messages, tokenize=False) == "<|user|>h<|end|>🙂<|assistant|>"
    assert tokenizer.apply_chat_template(messages, enable_thinking=False) == prompt  # ignored here
    assert tokenizer.apply_chat_template(messages, tools=[{"name": "now"}], greeting="hi", tokenize=False) == (
        "hi[now]<|user|>h<|end|>🙂<|assistant|>")
    long = tokenizer.apply_chat_template([{"role": "user", "content": "x" * 5000}] * 2)
    assert len(long) == 10003


def test_errors(tokenizer, write_sample, tmp_path):
    with ttrt.load(write_sample("sample", tmp_path / "sample.ttcb"), cores=1) as bundle, pytest.raises(ttrt.NotFoundError, match="tokenizer"):
        ttrt.Tokenizer(bundle)
    with pytest.raises(ttrt.InvalidArgumentError, match="closed"):
        ttrt.Tokenizer(bundle)
    with pytest.raises(TypeError, match="expected a Bundle, found str"):
        ttrt.Tokenizer("sample.ttcb")
    for wrong in (-1, 1000, 1 << 40):
        with pytest.raises(ttrt.InvalidArgumentError, match="token"):
            tokenizer.decode([wrong])
        with pytest.raises(ttrt.InvalidArgumentError, match="token"):
            tokenizer.stream().push(wrong)
    for wrong in (["a"], [1.5], 3, None):
        with pytest.raises(TypeError):
            tokenizer.decode(wrong)
    with pytest.raises(TypeError):
        tokenizer.encode(b"a")
    with pytest.raises(TypeError):
        tokenizer.apply_chat_template([{"role": {1, 2}}])
    with pytest.raises(ttrt.InvalidArgumentError, match="messages: expected a list"):
        tokenizer.apply_chat_template({"role": "user"})


def test_threads(tokenizer):
    text = "the 🙂 " * 1000
    expected, wrong = tokenizer.encode(text), []

    def work():
        for _ in range(5):
            if tokenizer.encode(text) != expected or tokenizer.decode(expected) != text:
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
