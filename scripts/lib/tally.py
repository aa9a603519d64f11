# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: tally.py FOLDER [MOST]

Adds up the JUnit files that lit, ctest and pytest wrote into FOLDER. Prints a line per file, every
failed and skipped test by name, the 25 slowest tests and the 25 files (folders of lit tests, classes of
GoogleTest) that take longest, the time of each stage (stages.txt), how far the whole is from MOST
seconds, if given, and as the last line "N passed, N failed, N skipped". Exits with 1 if a test failed,
if a runner wrote no results, or if none passed. Times are for people: a loaded machine fails nothing.

ctest runs a program of GoogleTest as one test; the cases are in FOLDER/SUITE/PROGRAM.xml, which the
program wrote itself.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as xml

SLOWEST = 25


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped, self.times = 0, [], [], []

    def add(self, name, case):
        self.times.append((float(case.get("time") or 0), name))
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            self.failed.append(name)
        elif skip is not None:
            reason = (skip.get("message") or skip.text or "").strip()
            self.skipped.append(f"{name} ({reason.splitlines()[0]})" if reason else name)
        elif case.get("status") in ("notrun", "disabled"):
            self.skipped.append(name)
        else:
            self.passed += 1


def cases_in(path):
    try:
        return list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return None


def name_of(case):
    """pytest, lit and GoogleTest have a classname of their own; ctest repeats the name there."""
    parts = [case.get("classname", ""), case.get("name", "")]
    return parts[1] if parts[0] in ("", parts[1]) else "::".join(parts)


def count(path):
    """The tally of one runner's file."""
    tally, cases = Tally(), cases_in(path)
    if cases is None:
        tally.failed.append("the runner ended without results")
    elif not cases:
        tally.failed.append("no test found")
    for case in cases or []:
        program = cases_in(path.with_suffix("") / f"{case.get('name')}.xml")
        if not program:
            tally.add(name_of(case), case)
            continue
        failures = len(tally.failed)
        for inner in program:
            tally.add(f"{case.get('name')}.{name_of(inner)}", inner)
        # It failed after its last case (a leak, say), or in a way that it could not write down.
        if case.find("failure") is not None and len(tally.failed) == failures:
            tally.failed.append(f"{case.get('name')}: the program failed, no case of it did")
    return tally


def main():
    folder = pathlib.Path(sys.argv[1])
    total = Tally()
    for path in sorted(folder.glob("*.xml")):
        tally = count(path)
        print(f"{path.stem:20} passed {tally.passed:5}  failed {len(tally.failed):3}  skipped {len(tally.skipped):3}")
        total.passed += tally.passed
        for every, one in ((total.failed, tally.failed), (total.skipped, tally.skipped)):
            every += [f"{path.stem}: {name}" for name in one]
        total.times += [(seconds, f"{path.stem}: {name}") for seconds, name in tally.times]
    for name in total.skipped:
        print("SKIPPED", name)
    print(f"\nthe slowest {SLOWEST} tests")
    for seconds, name in sorted(total.times, reverse=True)[:SLOWEST]:
        print(f"{seconds:7.1f} s  {name}")
    files = collections.defaultdict(list)
    for seconds, name in total.times:
        files[name.rpartition("::")[0] or name].append(seconds)
    print(f"\nthe {SLOWEST} files that take longest")
    for name, times in sorted(files.items(), key=lambda item: -sum(item[1]))[:SLOWEST]:
        print(f"{sum(times):7.1f} s  {name}: {len(times)} tests")
    stages = folder / "stages.txt"
    if stages.exists():
        print("\nstages")
        rows = [line.split() for line in stages.read_text().splitlines()]
        for name, seconds in [*rows, ("all", sum(int(seconds) for _, seconds in rows))]:
            print(f"{seconds:>5} s    {name}")
        if len(sys.argv) > 2:
            left = int(sys.argv[2]) - int(seconds)
            print(f"{abs(left):>5} s    {'less' if left >= 0 else 'more'} than the gate may take")
    for name in total.failed:
        print("FAILED ", name)
    print(f"{total.passed} passed, {len(total.failed)} failed, {len(total.skipped)} skipped")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
