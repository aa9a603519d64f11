# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses the blocks of MLIR in the documentation, all of them in a few processes of ttc-opt.

Most are fragments, which are completed first:
- Values that a fragment uses and does not define are defined after it, with the types that the parser names.
- Attributes and types that stand alone become attributes of an op.
- IR before and after a pass, divided by a comment such as "// becomes", is two fragments.
- A sketch has "..." in it: its statements without that are parsed, except branches.

What parses is verified, except sketches. A fragment may lack the op around it and the symbols that it refers to, and nothing else.
"""
import bisect
import re
import subprocess

DIVISION = re.compile(r"^[ ]*// (?:becomes|and|where|with)\b.*\n", re.M | re.I)
ALONE = re.compile(r"(?:\s*//.*\n)*\s*(?:#ttc\.|tensor<)")
UNVERIFIED = "--mlir-very-unsafe-disable-verifier-on-parsing"
FLOW = re.compile(r"^\s*(?:llvm\.)?return\b|\^|#[a-z]+\b(?!\.)")
CONTEXT = re.compile(r"expects parent op|must be the last operation in the parent|expected @\w+ to be a .*, found none|Undefined required grid symbol")


def depth(text):
    text = re.sub(r'//.*|"(?:[^"\\]|\\.)*"|->', "", text)
    return sum(text.count(c) for c in "([{<") - sum(text.count(c) for c in ")]}>")


def complete_statements(lines):
    """The statements of a sketch that have no "...", those in regions of others included."""
    i = 0
    while i < len(lines):
        end, indent = i + 1, len(lines[i]) - len(lines[i].lstrip())
        while end < len(lines) and (depth("\n".join(lines[i:end])) > 0 or re.match(rf" {{{indent + 1},}}\S", lines[end])):
            end += 1
        statement = "\n".join(lines[i:end])
        if "..." not in statement:
            if not FLOW.search(statement):
                yield statement
        elif opened := [j for j in range(i, end) if lines[j].endswith("{")]:
            yield from complete_statements(lines[opened[0] + 1:end - 1 if lines[end - 1].strip() == "}" else end])
        i = end


class Fragment:
    def __init__(self, where, text):
        self.where, self.sketch, self.types = where, "..." in text, {}
        if self.sketch:
            text = "\n".join(complete_statements(text.splitlines()))
        elif ALONE.match(text):
            entries = [entry for entry in re.split(r"^(?=\S)", text, flags=re.M) if entry.strip() and not entry.startswith("//")]
            text = "\n".join(f'"doc.use"() {{attribute = {entry}}} : () -> ()' for entry in entries)
        self.text = text

    def __str__(self):
        return self.text.rstrip() + "".join(f'\n{name} = "doc.value"() : () -> {kind}' for name, kind in self.types.items()) + "\n"


def parse(tool, fragments, *options):
    """[(fragment, line, column, message)]"""
    starts, source = [], ""
    for fragment in fragments:
        starts.append(source.count("\n") + 1)
        source += f"{fragment}// -----\n"
    done = subprocess.run([tool, "--split-input-file", "--allow-unregistered-dialect", *options, "-", "-o", "/dev/null"], input=source,
                          capture_output=True, text=True)
    found = re.findall(r"^<stdin>:(\d+):(\d+): (?:error|note): (.*)$", done.stderr, re.M)
    assert (done.returncode == 0) == (not found), done.stderr
    where = [bisect.bisect(starts, int(line)) - 1 for line, _, _ in found]
    return [(fragments[i], int(line) - starts[i], int(column) - 1, text) for i, (line, column, text) in zip(where, found)]


def learn_types(errors):
    """Whether the errors say more about the types of values that fragments do not define."""
    learnt, name = False, None
    for fragment, line, column, text in errors:
        if text == "use of undeclared SSA value name":
            fragment.types[re.match(r"%[\w$.-]+", str(fragment).splitlines()[line][column:])[0]] = "none"
        elif defined := re.match(r"definition of SSA value '(%[^#']+)(?:#0)?' has type 'none'", text):
            name = defined[1]
            continue
        elif name and (used := re.match(r"previously used here with type '(.*)'$", text)):
            fragment.types[name] = used[1]
        else:
            continue
        learnt = True
    return learnt


def problems(tool, blocks):
    """What is wrong with blocks, [(where, text)]."""
    fragments = [Fragment(where, part) for where, text in blocks for part in DIVISION.split(text) if part.strip()]
    while learn_types(errors := parse(tool, fragments, UNVERIFIED)):
        pass
    broken = {fragment for fragment, *_ in errors}
    parsed = [fragment for fragment in fragments if fragment not in broken and not fragment.sketch]
    errors += [error for error in parse(tool, parsed) if not CONTEXT.search(error[3]) and not error[3].startswith("see current operation")]
    return [f"{fragment.where}: {text}, in\n{fragment}" for fragment, _, _, text in errors]
