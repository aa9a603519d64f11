# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: record_nightly.py FILE STAGE COMMIT RESULT SECONDS LOG

Notes in FILE how a stage of nightly.sh ended. What the log says in its last tally line goes with it.
"""
import datetime
import json
import pathlib
import re
import sys


def main():
    path, stage, commit, result, seconds, log = sys.argv[1:]
    path = pathlib.Path(path)
    records = json.loads(path.read_text()) if path.exists() else {}
    record = {"commit": commit, "date": datetime.date.today().isoformat(), "result": result, "seconds": int(seconds)}
    tallies = re.findall(r"^\d+ passed, \d+ failed.*$", pathlib.Path(log).read_text(errors="replace"), re.M)
    if tallies:
        record["tally"] = tallies[-1]
    records[stage] = record
    path.write_text(json.dumps(dict(sorted(records.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
