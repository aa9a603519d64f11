# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Man pages from docs/tools.md: each section `## `tool`` becomes tool.1, by lowdown.

    man_pages.py TOOLS.md VERSION FOLDER     writes FOLDER/*.1

A section may have several tools in its heading; then the further pages refer to the first. What
follows the table of tools and comes before the first section holds for every tool, and is part of
each page.
"""
import pathlib
import re
import subprocess
import sys

SECTION = re.compile(r"^## (`[^\n]*)\n(.*?)(?=^## |\Z)", re.M | re.S)


def plain_links(text):
    """A man page has no links: of one into these pages, the words and the page's name are left."""
    text = re.sub(r"\[([^\[\]]+)\]\(#[^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\[\]]+\.md)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\[([^\[\]]+)\]\(([\w./-]+\.md)[^)]*\)", r"\1 (\2)", text)


def option_lists(text):
    """A table of options is a list of definitions on a man page."""

    def convert(table):
        rows = [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table[0].strip().splitlines()]
        header, rows = rows[0], rows[2:]
        if header[0] not in ("option", "key", "command", "translation"):
            return table[0]
        found = ""
        for term, *cells in rows:
            said = cells[0] or cells[-1]
            for name, cell in zip(header[2:], cells[1:]):
                if cell:
                    said += f". {name.capitalize()}: {cell}"
            found += term + "\n: " + said.replace("\\|", "|") + "\n\n"
        return found

    return re.sub(r"(?:^\|.*\|\n)+", convert, text, flags=re.M)


def page(tool, summary, common, body, others, version):
    # The heading one level up, in capitals as man pages have them.
    body = re.sub(r"^### (.*)$", lambda m: "# " + m[1].upper(), body, flags=re.M)
    see = ", ".join(f"**{other}**(1)" for other in others if other != tool)
    return (
        f"title: {tool}\nsection: 1\nsource: ttc {version}\nvolume: ttc\n\n"
        f"# NAME\n\n{tool} - {summary}\n\n# DESCRIPTION\n\n{option_lists(plain_links(body.strip() + chr(10)))}\n\n"
        f"# ERRORS AND OUTPUT FILES\n\n{plain_links(common.strip())}\n\n"
        f"# SEE ALSO\n\n{see}\n\nThe documentation is installed in share/doc/ttc.\n"
    )


def main(source, version, folder):
    text = pathlib.Path(source).read_text()
    rows = re.findall(r"^\| (\[?`[^|]*) \| ([^|]*) \|$", text[: SECTION.search(text).start()], re.M)
    summaries = {name: summary for cell, summary in rows for name in re.findall(r"`([\w-]+)`", cell)}
    head = text[: SECTION.search(text).start()]
    common = head[head.rindex("|\n") + 2 :]
    sections = [(re.findall(r"`([\w-]+)`", heading), body) for heading, body in SECTION.findall(text)]
    # A tool may be named in the table only: `ttc-plan-check` is told about where `ttc-plan` is.
    known = {tool for tools, _ in sections for tool in tools}
    for cell, _ in rows:
        tools = re.findall(r"`([\w-]+)`", cell)
        for names, _ in sections:
            if names[0] == tools[0]:
                names += [tool for tool in tools if tool not in known]
    every = [tool for tools, _ in sections for tool in tools]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for tools, body in sections:
        first = page(tools[0], plain_links(summaries[tools[0]]), common, body, every, version)
        roff = subprocess.run(["lowdown", "-s", "-Tman"], input=first, text=True, check=True, capture_output=True).stdout
        (pathlib.Path(folder) / f"{tools[0]}.1").write_text(roff)
        for tool in tools[1:]:
            (pathlib.Path(folder) / f"{tool}.1").write_text(f".so man1/{tools[0]}.1\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
