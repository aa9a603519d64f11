# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Channel shuffles that are absorbed by weights or read by convolutions: small graphs whose numbers are
compared with ONNX Runtime's, and whose bundles say which transposes are left."""
import json

import pytest

from bundles import np, run_bundle, run_onnxruntime
from gate import nightly
from test_elided_copies import Graph


def shuffle(graph, x, channels, groups, size=8):
    split = graph.op("Reshape", x, graph.ints(1, groups, channels // groups, size, size))
    return graph.op("Reshape", graph.op("Transpose", split, perm=[0, 2, 1, 3, 4]),
                    graph.ints(1, channels, size, size))


def unit(channels, groups, shuffled=None):
    """ShuffleNet's: group convolution, shuffle, depthwise and group convolution, sum."""
    def build(graph):
        x = graph.conv("x", 4, channels)
        y = graph.op("Relu", graph.conv(x, channels, channels, kernel=1, group=groups))
        y = shuffle(graph, y, channels, shuffled or groups)
        y = graph.conv(y, channels, channels, group=channels)
        y = graph.conv(y, channels, channels, kernel=1, group=groups)
        return graph.op("Relu", graph.op("Add", x, y))
    return build


def window(graph):
    """Padding is read through the shuffle, too; a group begins in the middle of a shuffled one."""
    x = shuffle(graph, graph.op("Relu", graph.conv("x", 4, 30)), 30, 5)
    return graph.conv(x, 30, 21, group=3)


def strided(graph):
    x = shuffle(graph, graph.op("Relu", graph.conv("x", 4, 12)), 12, 4)
    return graph.op("Conv", x, graph.weight(10, 6, 1, 1), strides=[2, 2], group=2)


def dense(graph):
    """Winograd's algorithm or not: the weights have the shuffle."""
    x = graph.op("Relu", graph.conv("x", 4, 32))
    x = graph.conv(shuffle(graph, x, 32, 4), 32, 32)
    return graph.conv(shuffle(graph, x, 32, 2), 32, 8, kernel=1)


def few_rows(graph):
    """Tiles of four rows sum two k apart, and a pixel is less than all taps."""
    x = graph.op("MaxPool", graph.conv("x", 4, 60), kernel_shape=[6, 6], strides=[2, 2])
    return graph.conv(shuffle(graph, x, 60, 3, size=2), 60, 40, kernel=3, group=4)


def twice(graph):
    """Two shuffles, one after the other: only the second one is in front of a convolution."""
    x = shuffle(graph, shuffle(graph, graph.conv("x", 4, 24), 24, 4), 24, 3)
    return graph.conv(graph.conv(x, 24, 24, group=24), 24, 24, kernel=1, group=2)


def used_twice(graph):
    x = shuffle(graph, graph.op("Relu", graph.conv("x", 4, 24)), 24, 4)
    y = graph.conv(graph.conv(x, 24, 24, group=24), 24, 24, kernel=1, group=4)
    return graph.op("Sub", x, y)


def whole_batch(graph):
    """A result: nothing follows the shuffle. Its transposes and that of the output are one."""
    return shuffle(graph, graph.conv("x", 4, 24), 24, 4)


def multiplied(graph):
    """A depthwise convolution that makes two channels of each."""
    x = shuffle(graph, graph.op("Relu", graph.conv("x", 4, 24)), 24, 4)
    return graph.op("Conv", x, graph.weight(48, 1, 3, 3), pads=[1] * 4, group=24)


# How many transposes are left. One is that of the model's output; its input has few channels, which the
# first convolution reads in planes.
GRAPHS = {
    "even": (unit(32, 4), 1), "uneven": (unit(24, 4), 1), "pairs": (unit(16, 2), 1),
    "other_groups": (unit(24, 3, shuffled=4), 1), "window": (window, 1), "strided": (strided, 1),
    "dense": (dense, 1), "few_rows": (few_rows, 1), "twice": (twice, 3), "used_twice": (used_twice, 2),
    "whole_batch": (whole_batch, 1), "multiplied": (multiplied, 1),
}

REPEATED = ["even", "other_groups", "used_twice"]


@pytest.mark.parametrize("name", [*(name for name in GRAPHS if name not in REPEATED), *nightly(REPEATED)])
def test_shuffled(name, tools, tmp_path):
    build, transposes = GRAPHS[name]
    graph = Graph()
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(path, [1, 4, 8, 8], build(graph))
    inputs = {"x": np.random.default_rng(1).standard_normal((1, 4, 8, 8)).astype(np.float32)}
    expected = run_onnxruntime(path, inputs)
    tools.compile(path, bundle)
    run_bundle(tools, bundle, inputs, expected, rtol=1e-4, atol=1e-4)
    programs = [program["symbol"] if "symbol" in program else program["name"]
                for program in json.loads(tools.ttrun("read", bundle, "--json").stdout)["programs"]]
    assert len([program for program in programs if "transpose" in program]) == transposes, programs
