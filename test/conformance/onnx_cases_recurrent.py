# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RNN, GRU and LSTM: directions, activations, lengths, states, biases, peepholes."""
import random

import numpy as np

from onnx_cases import Constant, OnnxCase

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
# Activations of one direction.
FUNCTIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}
PARAMETERS = {"Affine": (0.7, 0.1), "LeakyRelu": (0.2,), "ThresholdedRelu": (0.3,), "ScaledTanh": (1.3, 0.6),
              "HardSigmoid": (0.3, 0.4), "Elu": (0.9,), "Relu": (), "Tanh": (), "Sigmoid": (), "Softsign": (),
              "Softplus": ()}


def activations(choice, op, directions):
    """Functions with their parameters, some of them left to their defaults."""
    names = [choice.choice(list(PARAMETERS)) for _ in range(FUNCTIONS[op] * directions)]
    alphas = [PARAMETERS[name][0] for name in names if PARAMETERS[name]]
    betas = [PARAMETERS[name][1] for name in names if len(PARAMETERS[name]) > 1]
    return {"activations": names, "activation_alpha": alphas, "activation_beta": betas}


def random_case(seed, op, steps=None, **more):
    """With a number of steps, or one of a few. `more`: attributes."""
    choice, values = random.Random(seed), np.random.default_rng(seed)

    def tensor(*shape):
        return values.uniform(-0.6, 0.6, shape).astype(np.float32)

    few, batch = choice.choice([1, 2, 5, 9]), choice.choice([1, 2, 5])
    steps = steps or few
    size, hidden = choice.choice([1, 3, 16]), choice.choice([1, 5, 16, 33])
    direction = choice.choice(["forward", "reverse", "bidirectional"])
    directions = 2 if direction == "bidirectional" else 1
    gates = GATES[op]
    weigh = choice.choice([Constant, lambda value: value])
    # Activations without bounds must not make the state grow from step to step.
    inputs = [tensor(steps, batch, size), weigh(tensor(directions, gates * hidden, size) / np.float32(size)),
              weigh(tensor(directions, gates * hidden, hidden) / np.float32(hidden))] + [None] * (5 if op == "LSTM" else 3)
    if choice.random() < 0.7:
        inputs[3] = weigh(tensor(directions, 2 * gates * hidden))
    if choice.random() < 0.5:
        # The longest sequence is as long as the tensor: ONNX Runtime requires none to be empty.
        lengths = values.integers(1, steps + 1, batch).astype(np.int32)
        inputs[4] = choice.choice([Constant, lambda value: value])(lengths)
    if choice.random() < 0.5:
        inputs[5] = tensor(directions, batch, hidden)
    if op == "LSTM":
        if choice.random() < 0.5:
            inputs[6] = tensor(directions, batch, hidden)
        if choice.random() < 0.5:
            inputs[7] = weigh(tensor(directions, 3 * hidden) / np.float32(8))
    attributes = {"hidden_size": hidden, "direction": direction} | more
    if choice.random() < 0.5:
        attributes |= {name: value for name, value in activations(choice, op, directions).items() if value}
    if op == "GRU":
        attributes["linear_before_reset"] = choice.randint(0, 1)
    if op == "LSTM" and choice.random() < 0.2:
        attributes["input_forget"] = 1
    outputs = [choice.random() < 0.8 for _ in range(3 if op == "LSTM" else 2)]
    if not any(outputs):
        outputs[0] = True
    return OnnxCase(f"{op.lower()}_{seed}", op, inputs, attributes, tuple(outputs), opset=22)


def cases():
    for op in GATES:
        yield from (random_case(seed, op) for seed in range(20))
    # A long sequence, and sizes of real models.
    values = np.random.default_rng(0)
    for op, gates in GATES.items():
        def tensor(*shape):
            return values.uniform(-0.1, 0.1, shape).astype(np.float32)

        yield OnnxCase(f"{op.lower()}_long", op, [tensor(60, 1, 40), Constant(tensor(2, gates * 64, 40)),
                                                  Constant(tensor(2, gates * 64, 64)),
                                                  Constant(tensor(2, 2 * gates * 64))],
                       {"hidden_size": 64, "direction": "bidirectional"}, (True, True), opset=22)
