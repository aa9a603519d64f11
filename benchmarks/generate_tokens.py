# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The prompts of generate.py and of its peer."""


def tokens_of(count):
    """Some tokens, the same for every engine."""
    return [1000 + i * 7919 % 30000 for i in range(count)]
