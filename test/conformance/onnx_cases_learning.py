# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ai.onnx.ml on numbers, against ONNX Runtime, and optimizers, against onnx's reference."""
import random

import numpy as np

from onnx_cases import OnnxCase

ML = "ai.onnx.ml"


def scikit_cases():
    """What scikit-learn's models become."""
    values = np.random.default_rng(3)
    x = values.uniform(-2, 2, (5, 4)).astype(np.float32)
    zeros = x.copy()
    zeros[1] = 0

    def floats(*shape):
        return [float(v) for v in values.uniform(-1, 1, shape).astype(np.float32).ravel()]

    yield OnnxCase("scaler", "Scaler", [x], {"offset": floats(4), "scale": floats(4)}, domain=ML)
    # Of a double, the offset is subtracted as it is: seconds since 1970.
    seconds = 1.7e9 + values.uniform(0, 100, (5, 4))
    centre, spread = [float(np.float32(1.7e9))] * 4, [float(np.float32(v)) for v in (0.01, 0.02, 0.05, 0.1)]
    yield OnnxCase("scaler_f64", "Scaler", [seconds], {"offset": centre, "scale": spread}, domain=ML,
                   expected=[((seconds - centre) * spread).astype(np.float32)], rtol=1e-6, atol=0)
    yield OnnxCase("scaler_one", "Scaler", [x.astype(np.int64)], {"offset": [0.5], "scale": [2.0]}, domain=ML)
    for norm in ("MAX", "L1", "L2"):
        yield OnnxCase(f"normalizer_{norm}", "Normalizer", [np.abs(zeros)], {"norm": norm}, domain=ML)
    yield OnnxCase("normalizer_signs", "Normalizer", [x], {"norm": "L2"}, domain=ML)
    yield OnnxCase("binarizer", "Binarizer", [x], {"threshold": 0.25}, domain=ML)
    missing = x.copy()
    missing[0, 1] = missing[3, 2] = np.nan
    yield OnnxCase("imputer", "Imputer", [missing], {"imputed_value_floats": floats(4),
                                                     "replaced_value_float": float("nan")}, domain=ML)
    yield OnnxCase("imputer_int", "Imputer", [values.integers(0, 3, (4, 3))],
                   {"imputed_value_int64s": [7], "replaced_value_int64": 1}, domain=ML)
    yield OnnxCase("extractor", "ArrayFeatureExtractor", [x, np.array([3, 0, 3])], domain=ML)
    yield OnnxCase("vectorizer", "FeatureVectorizer", [x, x[:, :2]], {"inputdimensions": [4, 2]}, domain=ML)
    keys = values.integers(0, 6, (3, 4))
    yield OnnxCase("encoder_ints", "LabelEncoder", [keys], {"keys_int64s": [4, 1, 5], "values_floats": [0.5, -1.0, 2.0],
                                                            "default_float": 9.0}, domain=ML)
    yield OnnxCase("encoder_floats", "LabelEncoder", [keys.astype(np.float32)],
                   {"keys_floats": [4.0, 1.0], "values_int64s": [10, 11], "default_int64": -5}, domain=ML)
    for transform in ("NONE", "SOFTMAX", "LOGISTIC"):
        for targets in (1, 3):
            yield OnnxCase(f"linear_regressor_{transform}_{targets}", "LinearRegressor", [x],
                           {"coefficients": floats(4 * targets), "intercepts": floats(targets), "targets": targets,
                            "post_transform": transform if targets > 1 else "NONE"}, domain=ML)
        yield OnnxCase(f"linear_classifier_{transform}", "LinearClassifier", [x],
                       {"coefficients": floats(12), "intercepts": floats(3), "classlabels_ints": [5, 7, 9],
                        "post_transform": transform}, (True, True), domain=ML)
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        for one_class in (0, 1):
            yield OnnxCase(f"svm_regressor_{kernel}_{one_class}", "SVMRegressor", [x],
                           {"n_supports": 3, "support_vectors": floats(3, 4), "coefficients": floats(3), "rho": floats(1),
                            "kernel_type": kernel, "kernel_params": [0.5, 0.25, 3.0], "one_class": one_class}, domain=ML)
    # Without support vectors, the kernel is linear, whatever is said.
    yield OnnxCase("svm_regressor_of_features", "SVMRegressor", [x], {"coefficients": floats(4), "rho": floats(1), "kernel_type": "RBF",
                                                                      "kernel_params": [0.5, 0.0, 3.0]}, domain=ML)
    for transform in ("NONE", "LOGISTIC"):
        yield OnnxCase(f"linear_classifier_binary_{transform}", "LinearClassifier", [x],
                       {"coefficients": floats(4), "intercepts": floats(1), "classlabels_ints": [2, 4],
                        "post_transform": transform}, (True, True), domain=ML)


def grow(choice, depth, features, nodes, tree):
    """Appends a random tree in the order of its numbers; returns the number of its root."""
    number = sum(node["tree"] == tree for node in nodes)
    node = {"tree": tree, "number": number, "mode": "LEAF", "feature": 0, "value": 0.0, "yes": 0, "no": 0, "nan": 0}
    nodes.append(node)
    if depth and choice.random() < 0.85:
        node |= {"mode": choice.choice(["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"]),
                 "feature": choice.randrange(features), "value": round(choice.uniform(-1, 1), 3),
                 "nan": choice.randint(0, 1)}
        node["yes"] = grow(choice, depth - 1, features, nodes, tree)
        node["no"] = grow(choice, depth - 1, features, nodes, tree)
    return number


def tree_case(seed):
    choice, values = random.Random(seed), np.random.default_rng(seed)
    features, targets = choice.choice([1, 3, 6]), choice.choice([1, 2, 3])
    classify = choice.random() < 0.5
    nodes = []
    for tree in range(choice.choice([1, 2, 7])):
        grow(choice, choice.choice([0, 1, 5]), features, nodes, tree)
    same_mode = choice.random() < 0.6
    for node in nodes:
        if same_mode and node["mode"] != "LEAF":
            node["mode"] = "BRANCH_LEQ"
    attributes = {f"nodes_{name}": [node[key] for node in nodes]
                  for name, key in (("treeids", "tree"), ("nodeids", "number"), ("modes", "mode"),
                                    ("featureids", "feature"), ("values", "value"), ("truenodeids", "yes"),
                                    ("falsenodeids", "no"), ("missing_value_tracks_true", "nan"))}
    leaves = [node for node in nodes if node["mode"] == "LEAF"]
    prefix = "class" if classify else "target"
    # A classifier of two classes is told of one of them.
    voted = [choice.randint(0, 1)] if classify and targets == 2 else range(max(targets, 3) if classify else targets)
    votes = [(leaf, target, round(choice.uniform(-1 if seed % 2 else 0, 1), 3)) for leaf in leaves for target in voted]
    attributes |= {f"{prefix}_treeids": [leaf["tree"] for leaf, _, _ in votes],
                   f"{prefix}_nodeids": [leaf["number"] for leaf, _, _ in votes],
                   f"{prefix}_ids": [target for _, target, _ in votes],
                   f"{prefix}_weights": [weight for _, _, weight in votes],
                   "post_transform": choice.choice(["NONE", "LOGISTIC"] + ["SOFTMAX"] * (len(voted) > 1))}
    x = values.uniform(-1.5, 1.5, (choice.choice([1, 9]), features)).astype(np.float32)
    x[values.random(x.shape) < 0.1] = np.nan
    if classify:
        attributes["classlabels_int64s"] = [10, 20] if len(voted) == 1 else [3, 1, 2][:len(voted)]
        return OnnxCase(f"tree_classifier_{seed}", "TreeEnsembleClassifier", [x], attributes, (True, True), domain=ML)
    attributes |= {"n_targets": targets, "aggregate_function": choice.choice(["SUM", "AVERAGE", "MIN", "MAX"]),
                   "base_values": [0.25] * targets}
    if targets == 1:
        attributes["post_transform"] = "NONE"
    return OnnxCase(f"tree_regressor_{seed}", "TreeEnsembleRegressor", [x], attributes, domain=ML)


def training_cases():
    values = np.random.default_rng(4)
    for op, states in (("Adagrad", 1), ("Adam", 2), ("Momentum", 1)):
        for iteration in (0, 3):
            for seed, shapes in enumerate([((3, 2),), ((1,), (2, 5))]):
                tensors = [values.uniform(0.1, 1, shape).astype(np.float32) for _ in range(2 + states) for shape in shapes]
                inputs = [np.array(0.1, np.float32), np.array(iteration, np.int64), *tensors]
                attributes = {"norm_coefficient": 0.05}
                if op == "Momentum":
                    attributes |= {"alpha": 0.9, "beta": 0.7, "mode": ("standard", "nesterov")[seed]}
                if op == "Adagrad":
                    attributes |= {"decay_factor": 0.1, "epsilon": 1e-5}
                if op == "Adam":
                    attributes |= {"norm_coefficient_post": 0.01}
                yield OnnxCase(f"{op.lower()}_{iteration}_{seed}", op, inputs, attributes, (True,) * (len(shapes) * (1 + states)),
                               domain="ai.onnx.preview.training", by="onnx")


def cases():
    yield from scikit_cases()
    yield from (tree_case(seed) for seed in range(30))
    yield from training_cases()
