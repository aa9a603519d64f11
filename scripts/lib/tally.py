# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: tally.py FOLDER

Adds up the JUnit files that lit, ctest and pytest wrote into FOLDER. Prints a line per file, every
failed and skipped test by name, and as the last line "N passed, N failed, N skipped". Exits with 1
if a test failed, if a runner wrote no results, or if none passed.
"""
import pathlib
import sys
import xml.etree.ElementTree as xml


def count(path):
    """(passed, failed, skipped) of one file; the last two as lists of names."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except xml.ParseError:
        return 0, [f"{path.stem}: the runner ended without results"], []
    if not cases:
        return 0, [f"{path.stem}: no test found"], []
    passed, failed, skipped = 0, [], []
    for case in cases:
        # pytest and lit put the file into classname; ctest repeats the name there.
        parts = [case.get("classname", ""), case.get("name", "")]
        name = parts[1] if parts[0] in ("", parts[1]) else "::".join(parts)
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif skip is not None:
            reason = skip.get("message") or (skip.text or "").strip()
            skipped.append(f"{name} ({reason.splitlines()[0]})" if reason else name)
        elif case.get("status") in ("notrun", "disabled"):
            skipped.append(name)
        else:
            passed += 1
    return passed, failed, skipped


def main():
    total_passed, all_failed, all_skipped = 0, [], []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
        passed, failed, skipped = count(path)
        print(f"{path.stem:20} passed {passed:5}  failed {len(failed):3}  skipped {len(skipped):3}")
        total_passed += passed
        all_failed += [f"{path.stem}: {name}" for name in failed]
        all_skipped += [f"{path.stem}: {name}" for name in skipped]
    for name in all_skipped:
        print("SKIPPED", name)
    for name in all_failed:
        print("FAILED ", name)
    print(f"{total_passed} passed, {len(all_failed)} failed, {len(all_skipped)} skipped")
    return 1 if all_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main())
