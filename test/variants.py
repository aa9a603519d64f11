# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes out the variants of the modules in a test: copies with one thing changed each.

`%variants FILE | ttc-opt --split-input-file --verify-diagnostics` tests each module of FILE as it is, then its variants.
Modules are divided by `// -----`. A variant is a paragraph of comments below its module:

    // A free description, which is optional.
    // each: A, B                  a variant for each, in which it stands for $each
    // change: OLD => NEW          every OLD in the module, at least one; several changes are made in order; \\n is a new line
    // expected-error {{TEXT}}     at the module's line `// diagnostic here:`, else at the first line that a change made
    // expected-note at PART {{TEXT}}    at the one line that contains PART
"""
import re
import sys

DIAGNOSTIC = re.compile(r"// (expected-(?:error|warning|note|remark))(?: at (.*?))? (\{\{.*\}\})")
HERE = "// diagnostic here:"


def apply(changes, lines):
    """The changed lines, and the index of the first one that is new."""
    text = "\n".join(lines)
    for change in changes:
        old, found, new = change.replace("\\n", "\n").partition(" =>")
        if not found or old not in text:
            sys.exit(f"expected '// change: OLD => NEW' with OLD in the module, found '{change}'")
        text = text.replace(old, new.removeprefix(" "))
    changed = text.split("\n")
    return changed, next((i for i, line in enumerate(changed) if i >= len(lines) or line != lines[i]), 0)


def variant(module, paragraph):
    """A copy of the module, changed, with its diagnostics."""
    changes = [line.removeprefix("// change: ") for line in paragraph if line.startswith("// change: ")]
    lines, first = apply(changes, module)
    here = next((i for i, line in enumerate(lines) if line.strip() == HERE), first)
    added = {}
    diagnostics = [DIAGNOSTIC.fullmatch(line) for line in paragraph if line.startswith("// expected-")]
    if not diagnostics or None in diagnostics:
        sys.exit(f"expected '// expected-error {{{{TEXT}}}}' in the variant '{changes[0]}'")
    for kind, part, text in (match.groups() for match in diagnostics):
        places = [i for i, line in enumerate(lines) if part in line] if part else [here + (lines[here].strip() == HERE)]
        if len(places) != 1:
            sys.exit(f"expected one line with '{part}' in the variant '{changes[0]}', found {len(places)}")
        added.setdefault(places[0], []).append((kind, text))
    result = []
    for i, line in enumerate(lines):
        for distance, (kind, text) in zip(range(len(added.get(i, [])), 0, -1), added.get(i, [])):
            result.append(f"// {kind}@+{distance} {text}")
        result.append(line)
    return result


def expand(text):
    for number, split in enumerate(re.split(r"^// -----\n", text, flags=re.M)):
        module, variants = [], []
        for paragraph in re.split(r"\n\n+", split.strip("\n")):
            lines = paragraph.split("\n")
            if any(line.startswith("// change: ") for line in lines):
                each = next((line.removeprefix("// each: ").split(", ") for line in lines if line.startswith("// each: ")), [""])
                variants += [[line.replace("$each", value) for line in lines] for value in each]
            else:
                module += lines + [""]
        yield module
        for paragraph in variants:
            yield variant(module, paragraph)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print("\n// -----\n\n".join("\n".join(lines) for lines in expand(file.read())))
