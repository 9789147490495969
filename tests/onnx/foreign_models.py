"""Models of ONNX as other exporters write them: lines of ``foreign_models.txt``, and those with nested graphs."""

from pathlib import Path

import numpy as np
from onnx import TensorProto as T
from onnx import helper
from onnx import numpy_helper as nh

N = helper.make_node


def make_random(seed):
    """Return a function that makes arrays of float32 of given sizes."""
    rng = np.random.default_rng(seed)
    return lambda *sizes: rng.standard_normal(sizes).astype("float32")


def describe(nodes, inputs, outs, opset=17, inits=None, ir=9):
    """Return (nodes, inputs, names of the outputs, opset, weights, version of the format)."""
    return nodes, inputs, outs, opset, inits or {}, ir


def read_cases():
    """Return name -> model of the lines of the table."""
    names = {"N": N, "MS": "com.microsoft", "np": np, "nh": nh, "T": T, "helper": helper, "describe": describe}
    lines = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    parts = [line.split(": ", 1) for line in lines]
    return {
        name: eval(
            f"describe({text})", names | {"f": make_random(len(name)), "integers": np.random.default_rng(0).integers}
        )
        for name, text in parts
    }


def graph(nodes, inputs, outs, weights=None):
    """Return a nested graph; a name with a number of dimensions is ``(name, type, shape)``."""
    ports = [
        [helper.make_tensor_value_info(*(each if isinstance(each, tuple) else (each, T.FLOAT, None))) for each in names]
        for names in (inputs, outs)
    ]
    return helper.make_graph(
        nodes, "nested", *ports, [nh.from_array(value, key) for key, value in (weights or {}).items()]
    )


STEP, GOES, GOES_ON = ("step", T.INT64, []), ("goes", T.BOOL, []), ("goes_on", T.BOOL, [])
THEN = graph([N("Add", ["x", "one"], ["t"])], [], ["t"], {"one": np.float32(1)})
ELSE = graph([N("Mul", ["x", "w"], ["e"])], [], ["e"])
COUNTED = graph(
    [N("Add", ["v", "x"], ["v2"]), N("Identity", ["goes"], ["goes_on"]), N("Identity", ["v2"], ["row"])],
    [STEP, GOES, "v"],
    [GOES_ON, "v2", "row"],
)
WHILE = graph(
    [N("Mul", ["v", "two"], ["v2"]), N("ReduceSum", ["v2"], ["s"], keepdims=0), N("Less", ["s", "most"], ["goes_on"])],
    [STEP, GOES, "v"],
    [GOES_ON, "v2"],
    {"two": np.float32(2), "most": np.float32(100)},
)
SUMS = graph(
    [N("Add", ["a", "b"], ["a2"]), N("Identity", ["a2"], ["row"])],
    [("a", T.FLOAT, [2]), ("b", T.FLOAT, [2])],
    [("a2", T.FLOAT, [2]), ("row", T.FLOAT, [2])],
)
ODD = graph([N("Add", ["v", "w"], ["q"])], [], ["q"])
EVEN = graph([N("Sub", ["v", "w"], ["r"])], [], ["r"])
ALTERNATING = graph(
    [
        N("Mod", ["step", "two"], ["rest"]),
        N("Cast", ["rest"], ["odd"], to=T.BOOL),
        N("If", ["odd"], ["v2"], then_branch=ODD, else_branch=EVEN),
        N("Identity", ["goes"], ["goes_on"]),
    ],
    [STEP, GOES, "v"],
    [GOES_ON, "v2"],
    {"two": np.int64(2)},
)
BACKWARDS = {name: [1] for name in ("input_directions", "output_directions", "input_axes", "output_axes")}
f = make_random(0)
NESTED = {
    **{
        f"if_{value}": describe(
            [N("If", ["c"], ["y"], then_branch=THEN, else_branch=ELSE)],
            {"x": f(3), "c": np.array(value)},
            ["y"],
            inits={"w": np.float32(3)},
        )
        for value in (True, False)
    },
    "loop": describe(
        [N("Loop", ["M", "", "v0"], ["y", "rows"], body=COUNTED)],
        {"x": f(3)},
        ["y", "rows"],
        inits={"M": np.array(4, "int64"), "v0": np.zeros(3, "f")},
    ),
    "while": describe(
        [N("Loop", ["", "c", "x"], ["y"], body=WHILE)], {"x": np.ones(3, "f")}, ["y"], inits={"c": np.array(True)}
    ),
    "scan": describe(
        [N("Scan", ["a0", "x"], ["y", "rows"], body=SUMS, num_scan_inputs=1)], {"a0": f(2), "x": f(4, 2)}, ["y", "rows"]
    ),
    "scan_backwards": describe(
        [
            N(
                "Scan", ["a0", "x"], ["y", "rows"], body=SUMS, num_scan_inputs=1,
                **{f"scan_{name}": value for name, value in BACKWARDS.items()},
            )
        ],
        {"a0": f(2), "x": f(2, 4)},
        ["y", "rows"],
    ),
    "branch_in_loop": describe(
        [N("Loop", ["M", "", "x"], ["y"], body=ALTERNATING)],
        {"x": f(3)},
        ["y"],
        inits={"M": np.array(3, "int64"), "w": f(3)},
    ),
}  # fmt: skip
CASES = read_cases() | NESTED
"""Name -> what ``describe`` returns."""
