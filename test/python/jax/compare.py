# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of ttc against JAX's, and the programs that are expected to be refused.

    python test/python/jax/compare.py    writes refused.txt anew: each program that is refused, and why
"""
import pathlib

import ml_dtypes
import numpy as np

REFUSED = pathlib.Path(__file__).with_name("refused.txt")


HEADER = """# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs of cases.py and functions.py that ttc does not compile yet, with what the compiler says about each. One that is
# compiled fails its test until its line is removed: the list only shrinks. compare.py writes it.
"""


def refused(kind: str) -> dict[str, str]:
    """What the compiler says about each program of refused.txt, by name."""
    rows = [line.split(" ", 2) for line in REFUSED.read_text().splitlines() if line and not line.startswith("#")]
    return {name: said for found, name, said in rows if found == kind}


def difference(found, expected, of_largest):
    """The largest difference of two arrays, relative to each element or to the largest; infinite if one is not a number
    and the other is."""
    assert found.shape == expected.shape and found.dtype == expected.dtype, (found.shape, found.dtype, expected.shape, expected.dtype)
    if expected.size == 0:
        return 0.0
    if expected.dtype.kind in "biu" and expected.dtype != ml_dtypes.bfloat16:
        return float(np.max(found != expected))
    tiny = float(ml_dtypes.finfo(expected.dtype).tiny)  # XLA counts what is smaller as zero
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    if np.any(~same & ~(np.isfinite(found) & np.isfinite(expected))):
        return float("inf")
    with np.errstate(all="ignore"):
        apart = np.where(same, 0.0, np.maximum(np.abs(found - expected) - tiny, 0))
        size = np.abs(np.where(np.isfinite(expected), expected, 0))
        return float(np.max(apart / np.maximum(size.max() if of_largest else size, tiny)))


def same_bits(found, expected):
    """All bits equal, but for those of NaN, and signs of zeros."""
    return bool(np.all((found == expected) | ((found != found) & (expected != expected))))


def write_refused() -> None:
    import warnings

    import needs  # noqa: F401: finds the packages
    import jax
    import ttc
    from cases import CASES
    from reported import FUNCTIONS

    programs = [("case", case, case.args, (), True) for case in CASES.values()]
    programs += [("function", one, one.args(), one.constants, one.x64) for one in FUNCTIONS.values()]
    lines = []
    for kind, one, args, constants, x64 in programs:
        try:
            with jax.enable_x64(x64), warnings.catch_warnings():
                warnings.simplefilter("ignore", ttc.CompileWarning)
                ttc.compile(one.function, args, cores=1, constants=constants)
        except ttc.CompileError as error:
            # The last part of the first line: locations differ.
            lines.append(f"{kind} {one.name} {str(error).splitlines()[0].rpartition('error: ')[2].rpartition(': docs/')[0] or str(error).splitlines()[0].rpartition('error: ')[2]}")
    REFUSED.write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    write_refused()
