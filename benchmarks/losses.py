# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a model is from what the machine can do, by recordings of ttrun (docs/profiling.md).

Each recording measures the machine right after it: multiply-adds in registers, and memory. An op's
limit is its operations at that peak or its bytes at that bandwidth, whichever takes longer; bytes
are those that the plan has in DRAM, so an op whose operands are in a cache may be faster than its
limit, and then loses nothing.
"""
import collections
import statistics


class Losses:
    """Collects one recording for each round."""

    def __init__(self):
        self.ops, self.peaks, self.bandwidths, self.shares = collections.defaultdict(list), [], [], []
        self.flops = 0

    def add(self, profile, cores, ms):
        """`ms`: an inference of the same round without a recording."""
        report = profile["report"]
        limits = report["devices"][0]["limits"]
        self.peaks.append(limits["peak_gflops"] / cores)
        self.bandwidths.append(limits["bandwidth_gbs"])
        self.shares.append(sum(op.get("compute_us", 0) for op in report["ops"]) / 1e3 / ms)
        self.flops = sum(op.get("flops", 0) for op in report["ops"])
        rows = {}
        for op in report["ops"]:  # the same program at several places of the model is one row
            row = rows.setdefault(op["name"], {"commands": 0, "us": 0, "limit_us": 0, "compute_us": 0,
                                               "bandwidth_us": 0, "source": op["source"]})
            row["commands"] += 1
            row["us"] += op["time_us"]["median"]
            row["limit_us"] += op.get("ideal_us", 0)
            row["compute_us"] += op.get("compute_us", 0)
            row["bandwidth_us"] += op.get("bandwidth_us", 0)
        for name, row in rows.items():
            self.ops[name].append(row)

    def result(self, count=5):
        """The keys of a result of models.py."""
        rows = []
        for name, rounds in self.ops.items():
            row = {key: statistics.median(r[key] for r in rounds)
                   for key in ("us", "limit_us", "compute_us", "bandwidth_us")}
            row["lost_us"] = statistics.median(r["us"] - r["limit_us"] for r in rounds)
            rows.append({"name": name, "source": rounds[0]["source"],
                         "commands": rounds[0]["commands"], **row})
        rows.sort(key=lambda row: -row["lost_us"])
        return {"gflop": self.flops / 1e9, "peak_gflops_of_a_core": statistics.median(self.peaks),
                "bandwidth_gbs": statistics.median(self.bandwidths),
                "of_peak": statistics.median(self.shares),
                "recorded_us": sum(row["us"] for row in rows),
                "losses": [row for row in rows[:count] if row["lost_us"] > 0]}


def lines(result):
    """The text of it."""
    yield (f"  peak of one core {result['peak_gflops_of_a_core']:.0f} GFLOP/s; "
           f"{result['cores']} core(s): {result['bandwidth_gbs']:.0f} GB/s; "
           f"the model's {result['gflop']:.2f} GFLOP run at {result['of_peak']:.1%} of the peak")
    if not result["losses"]:
        return
    yield (f"  {'lost us':>9} {'of all':>7} {'us':>9} {'limit us':>9} {'by':>6} {'times':>5}  "
           "the ops that lose most against their own limit")
    for row in result["losses"]:
        kind = ("none" if not row["limit_us"] else
                "FLOPs" if row["compute_us"] >= row["bandwidth_us"] else "bytes")
        yield (f"  {row['lost_us']:9.1f} {row['lost_us'] / result['recorded_us']:7.1%} "
               f"{row['us']:9.1f} {row['limit_us']:9.1f} {kind:>6} {row['commands']:5}  "
               f"{row['name']}  {row['source'][:60]}")
