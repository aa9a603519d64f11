# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the module of a test with what was printed of it: `ttc-opt %s | ttc-opt | %roundtrip %s`.

White space, comments and the names of values do not count. What is printed in another way than it is written stands in a
comment `// printed: TEXT`, below the line.
"""
import re
import sys

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\{-#|#-\}|[%^][\w$.-]+|[+-]?\d+\.\d*(?:e[+-]?\d+)?|[\w$.#@!-]+|\S')


def written(text):
    """The source as it should be printed."""
    lines = []
    for line in text.split("\n"):
        if line.strip().startswith("// printed: "):
            lines[-1] = line.strip().removeprefix("// printed: ")
        elif not line.strip().startswith("//"):
            lines.append(line)
    return "\n".join(lines)


def tokens(text):
    """The tokens, with the values of each function or trace named in the order in which they first stand."""
    names, result = {}, []
    for token in TOKEN.findall(text):
        if token in ("func.func", "ttc.trace", "ttc.program"):
            names = {}
        if token[0] in "%^":
            token = names.setdefault(token, f"{token[0]}{len(names)}")
        elif re.fullmatch(r"[+-]?\d+\.\d*(?:e[+-]?\d+)?", token):
            token = str(float(token))
        result.append(token)
    return result


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        expected = tokens(written(file.read()))
    printed = sys.stdin.read()
    found = tokens(printed)
    if found[:2] == ["module", "{"] and expected[0] != "module":
        end = len(found) - found[::-1].index("}") - 1 if "{-#" not in found else found.index("{-#") - 1
        found = found[2:end] + found[end + 1:]
    for at, (one, other) in enumerate(zip(expected + ["the end"], found + ["the end"])):
        if one != other:
            print(printed)
            sys.exit(f"expected '{' '.join(expected[max(at - 20, 0):at + 12])}'\nfound    '{' '.join(found[max(at - 20, 0):at + 12])}'")
