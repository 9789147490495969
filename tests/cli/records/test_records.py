"""`--json`: every line of stdout is a record, and says what would have been shown."""

import json
import math
import os
import subprocess
import sys

import pytest

from tests.support.command_line import Done, notebook
from tests.support.project import plain_environment

TENSOR = {"type": "tensor", "requires_grad": False, "is_leaf": True, "grad_fn": None}
INTS = TENSOR | {"dtype": "int64"}
FLOATS = TENSOR | {"dtype": "float32"}

VALUES = {
    "torch.tensor(5.)": FLOATS | {"shape": [], "data": 5.0},
    "torch.tensor([])": FLOATS | {"shape": [0], "data": []},
    "torch.zeros(2, 0)": FLOATS | {"shape": [2, 0], "data": [[], []]},
    "torch.tensor([[1, 2**62 + 1]])": INTS | {"shape": [1, 2], "data": [[1, 2**62 + 1]]},
    "torch.tensor([1., math.nan, math.inf, -math.inf])": FLOATS | {"shape": [4], "data": [1.0, "nan", "inf", "-inf"]},
    "torch.tensor(math.nan)": FLOATS | {"shape": [], "data": "nan"},
    "torch.tensor([1 + 2j, complex(0, math.inf)])": TENSOR
    | {"dtype": "complex64", "shape": [2], "data": [[1.0, 2.0], [0.0, "inf"]]},
    "torch.tensor([True, False])": TENSOR | {"dtype": "bool", "shape": [2], "data": [True, False]},
    "torch.tensor([1.5, -2]).bfloat16()": TENSOR | {"dtype": "bfloat16", "shape": [2], "data": [1.5, -2.0]},
    "torch.tensor(0.1).half()": TENSOR | {"dtype": "float16", "shape": [], "data": 0.0999755859375},
    "torch.tensor(2**64 - 1, dtype=torch.uint64)": TENSOR | {"dtype": "uint64", "shape": [], "data": 2**64 - 1},
    "torch.ones(1, requires_grad=True)": FLOATS | {"shape": [1], "requires_grad": True, "data": [1.0]},
    "torch.ones(1, requires_grad=True) ** 2": FLOATS
    | {"shape": [1], "requires_grad": True, "is_leaf": False, "grad_fn": "PowBackward0", "data": [1.0]},
    "nn.Parameter(torch.ones(1))": FLOATS | {"shape": [1], "requires_grad": True, "data": [1.0]},
    "torch.ones(1000).bool().any()": TENSOR | {"dtype": "bool", "shape": [], "data": True},
    "np.arange(2)": {"type": "array", "shape": [2], "dtype": "int64", "data": [0, 1]},
    "np.float32(3)": {"type": "array", "shape": [], "dtype": "float32", "data": 3.0},
    "np.array(['a', None], object)": {"type": "array", "shape": [2], "dtype": "object", "data": ["a", None]},
    "True": {"type": "bool", "data": True},
    "10**30": {"type": "int", "data": 10**30},
    "0.1": {"type": "float", "data": 0.1},
    "-math.inf": {"type": "float", "data": "-inf"},
    "1 + 2j": {"type": "complex", "data": [1.0, 2.0]},
    "'损失 \\ud800'": {"type": "str", "data": "损失 \ud800"},
    "[1, 'nan', None, [True, [2.5]]]": {"type": "list", "data": [1, "nan", None, [True, [2.5]]]},
    "[math.nan, 1j]": {
        "type": "list", "data": [{"type": "float", "data": "nan"}, {"type": "complex", "data": [0.0, 1.0]}],
    },
    "(1, (2,))": {"type": "tuple", "data": [1, {"type": "tuple", "data": [2]}]},
    "torch.ones(2, 3).shape": {"type": "tuple", "class": "Size", "data": [2, 3]},
    "{'a': 1, 'b': torch.tensor(2)}": {
        "type": "dict", "data": {"a": 1, "b": INTS | {"shape": [], "data": 2}},
    },
    "{1: 2, '1': 3}": {"type": "dict", "data": [[1, 2], ["1", 3]]},
    "{7}": {"type": "set", "data": [7]},
    "torch.max(torch.tensor([[1, 5]]), 1)": {
        "type": "tuple", "class": "max", "fields": ["values", "indices"],
        "data": [INTS | {"shape": [1], "data": [5]}, INTS | {"shape": [1], "data": [1]}],
    },
    "nn.Linear(2, 3)": {"type": "Linear", "repr": "Linear(in_features=2, out_features=3, bias=True)"},
    "torch.float32": {"type": "dtype", "repr": "torch.float32"},
    "(x := []).append(x) or x": {"type": "list", "data": [{"type": "list", "repr": "..."}]},
}  # fmt: skip


def records(done):
    """The records on stdout, each checked against the format."""
    lines = done.output.split("\n")
    assert lines.pop() == ""
    found = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert all(list(each)[:2] == ["v", "kind"] and each["v"] == 1 for each in found)
    assert [each["kind"] for each in found].index("end") == len(found) - 1
    assert found[-1]["exit"] == done.status
    return found


def only(found, kind):
    (one,) = (each for each in found if each["kind"] == kind)
    return one


@pytest.mark.parametrize("text, fields", VALUES.items(), ids=VALUES)
def test_a_value(text, fields):
    done = Done("-c", text, "--json")
    value, end = records(done)
    assert done.errors == ""
    assert value == {"v": 1, "kind": "value", "file": "-c", "line": 1, "expr": text} | fields
    assert (end["status"], end["exit"], end["values"]) == ("ok", 0, 1) and end["seconds"] > 0


OTHER_LAYOUTS = {
    "torch.eye(2).to_sparse()": {"shape": [2, 2], "layout": "sparse_coo", "data": [[1.0, 0.0], [0.0, 1.0]]},
    "torch.eye(2).to_sparse_csr()": {"shape": [2, 2], "layout": "sparse_csr", "data": [[1.0, 0.0], [0.0, 1.0]]},
    "torch.ones(2, device='meta')": {"shape": [2], "device": "meta", "data": None},
    "torch.sparse_coo_tensor([[1], [2]], [1.0], (10**5, 10**5))": {"shape": [10**5, 10**5], "data": None, "truncated": True},
    "torch.nested.nested_tensor([torch.ones(1, 3), torch.ones(0, 3)], layout=torch.jagged)":
        {"shape": [2, None, 3], "layout": "jagged", "data": [[[1.0, 1.0, 1.0]], []]},
    "torch.nested.nested_tensor([torch.ones(2), torch.zeros(1)])": {"shape": [2, None], "data": [[1.0, 1.0], [0.0]]},
    "torch.nested.nested_tensor([torch.ones(2000)])": {"shape": [1, 2000], "data": None, "truncated": True},
    "torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False]))": {"shape": [2], "data": None},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:The PyTorch API of:UserWarning")
@pytest.mark.parametrize("text, fields", OTHER_LAYOUTS.items(), ids=OTHER_LAYOUTS)
@pytest.mark.parametrize("option", ["--json", "--json=full"])
def test_a_tensor_of_another_layout(option, text, fields):
    (value,) = (each for each in records(Done(option, "-c", text)) if each["kind"] == "value")
    if option == "--json=full" and "2000" in text:
        fields = {"shape": [1, 2000], "data": [[1.0] * 2000]}
    assert value["type"] == "tensor" and fields.items() <= value.items()


def test_many_values_are_told_by_what_they_are_like():
    text = "x = torch.arange(1001.); x[3] = math.nan; x[4] = math.inf\nx\n[*range(1001)]\nx.int() > 5"
    value, items, truth, _ = records(Done("-c", text, "--json"))
    assert (value["data"], value["truncated"], value["shape"]) == (None, True, [1001])
    stats = value["stats"]
    assert {name: stats[name] for name in ("min", "max", "zeros", "nan", "inf")} == {
        "min": 0.0, "max": 1000.0, "zeros": 1, "nan": 1, "inf": 1,
    }  # fmt: skip
    assert stats["mean"] == pytest.approx((500500 - 7) / 999) and stats["std"] > 0
    assert items["data"] is None and items["truncated"] and items["length"] == 1001
    assert truth["truncated"] and truth["stats"]["max"] == 1
    value, items, truth, _ = records(Done("--json=full", "-c", text))
    assert value["data"][:6] == [0.0, 1.0, 2.0, "nan", "inf", 5.0] and len(value["data"]) == 1001
    assert items["data"] == [*range(1001)] and len(truth["data"]) == 1001 and "truncated" not in value


def test_what_is_printed_becomes_text():
    text = "import sys\nprint('a', 2)\nprint('b', end='', flush=True)\n1\nprint('c', end='')\nsys.stdout.buffer.write(b'\\xff\\n');"
    found = records(Done("-c", text, "--json"))
    assert [each["kind"] for each in found] == ["text", "text", "value", "text", "end"]
    assert [each["text"] for each in found if each["kind"] == "text"] == ["a 2\n", "b", "c\\xff\n"]


def test_a_printed_value_is_told_once():
    assert [each["kind"] for each in records(Done("-c", "print(torch.ones(1))", "--json"))] == ["text", "end"]


def test_a_failure_has_the_facts_of_its_explanation(script):
    name = script(
        "W = torch.ones(3, 2)\ndef layer(a):\n    b = torch.tensor(1); return b + a @ W\n\nlayer(torch.ones(2, 2))\n7"
    )
    done = Done("run", name, "--json")
    error, end = records(done)
    assert (done.status, done.errors, end["status"]) == (1, "", "failed")
    assert error["locals"] == [{"name": "b", "shape": [], "dtype": "int64"}]
    assert (error["file"], error["line"], error["col"], error["end_line"], error["end_col"]) == (name, 3, 36, 3, 41)
    assert error["type"] == "RuntimeError"
    assert error["message"] == "mat1 and mat2 shapes cannot be multiplied (2x2 and 3x2)"
    assert error["op"] == "@" and error["rule"] == "columns of a (2) must equal rows of W (3)"
    assert error["operands"] == [
        {"name": "a", "shape": [2, 2], "dtype": "float32"}, {"name": "W", "shape": [3, 2], "dtype": "float32"},
    ]  # fmt: skip
    assert {"code": "a @ W.T", "result": "[2, 2] @ [2, 3] -> [2, 3]"} in error["fits"]
    inner, outer = error["frames"]
    assert (inner["function"], inner["code"], inner["line"]) == (
        "layer",
        "    b = torch.tensor(1); return b + a @ W",
        3,
    )
    assert (outer["function"], outer["code"], outer["line"], outer["col"]) == (None, "layer(torch.ones(2, 2))", 5, 0)
    assert not error["expected"] and error["cause"] is None


def test_a_failure_that_needs_no_explanation():
    text = "a = np.ones((2, 3))\ntry:\n    nowhere\nexcept NameError as e:\n    e.add_note('n')\n    a.reshape(4)"
    error, _ = records(Done("-c", text, "--json", "--traceback", "full"))
    assert error["op"] is error["rule"] is error["advice"] is None and error["fits"] == []
    assert error["operands"] == [{"name": "a", "shape": [2, 3], "dtype": "float64"}]
    assert error["cause"]["type"] == "NameError" and error["cause"]["notes"] == ["n"]
    assert error["reason"] == "while handling" and error["traceback"].startswith("Traceback")


FAILING = {
    "x = (": ("SyntaxError", 1),
    "%tme 3": ("MagicError", 1),
    "class A:\n    def __repr__(self): return 1 / 0\nA()": ("ZeroDivisionError", 1),
    "raise KeyboardInterrupt": ("KeyboardInterrupt", 130),
    "torch.quantize_per_tensor": ("NotImplementedError", 4),
}


@pytest.mark.parametrize("text, expected", FAILING.items(), ids=FAILING)
def test_every_failure_is_a_record(text, expected):
    done = Done("-c", text, "--json")
    error, end = records(done)
    assert (error["type"], done.status, done.errors) == (*expected, "")
    assert end["status"] == ("interrupted" if done.status == 130 else "failed")


def test_the_last_record_says_how_it_ended():
    error, end = records(Done("-c", "while True: pass", "--json", "--timeout", "0.1"))
    assert (error["type"], error["message"], end["status"], end["exit"]) == (
        "TimeLimit", "stopped after 0.1 s", "timeout", 124,
    )  # fmt: skip
    assert [each["kind"] for each in records(Done("-c", "import sys; sys.exit(5)", "--json"))] == ["end"]
    found = records(Done("-c", "1 / 0\n2", "--json", "--keep-going"))
    assert [each["kind"] for each in found] == ["error", "value", "end"]


@pytest.mark.parametrize(
    ("code", "status"), [("300", 44), ("-5", 251), ("256", 0), ("10**5000", 255), ("-(2**70)", 255)]
)
def test_a_status_is_the_one_that_the_system_gets(code, status):
    """As of Python itself: the last byte of what fits into 64 bits, else 255."""
    done = Done("-c", f"import sys; sys.exit({code})", "--json")
    assert (done.status, records(done)[-1]["exit"]) == (status, status)


def test_warnings_commands_and_times_are_records():
    text = "import warnings\nwarnings.warn('careful')\n%time 3\n%who\n%help"
    found = records(Done("-c", text, "--json", "--time", "--echo", "all", terminal=True, TERM="dumb"))
    warning = only(found, "warning")
    assert (warning["file"], warning["line"], warning["category"], warning["message"]) == (
        "-c", 2, "UserWarning", "careful",
    )  # fmt: skip
    assert [each["code"] for each in found if each["kind"] == "code"] == text.split("\n")
    assert [each["line"] for each in found if each["kind"] == "time"] == [1, 2, 3, 4, 5]
    assert only(found, "notice")["text"].endswith("s")


def test_a_notebook_says_which_cell(script):
    text = notebook("1\n2", "display(3)", "!ls\n1 / 0", metadata=[{}, {}, {"tags": ["raises-exception"]}])
    name = script(text, "n.ipynb")
    done = Done("run", "--json", name)
    value, shown, notice, error, end = records(done)
    assert (value["file"], value["cell"], value["line"], value["data"]) == (name, 1, 2, 2)
    assert (shown["expr"], shown["data"]) == (None, 3)
    assert notice["text"].endswith("skipped: !ls") and done.errors == ""
    assert (error["cell"], error["line"], error["expected"]) == (3, 2, True) and end["exit"] == 0
    assert all(each["kind"] != "notice" for each in records(Done("run", "--json", name, "--quiet")))


def test_where_json_does_not_belong(script):
    name = script("1")
    assert Done("run", "-i", name, "--json", terminal=True).status == Done("graph", "--json", "-c", "1").status == 2
    assert Done("--json", "graph", "-c", "1").status == Done("--json", terminal=True).status == 2
    assert Done("run", "s.tsh", "--", "--json=full").output == "1\n"
    assert json.loads(Done("--json", "doc", "torch.exp").output.split("\n")[0])


def test_nobody_else_writes_to_stdout():
    code = "import os, subprocess, sys\nos.system('echo 1')\nsubprocess.run(['echo', '2'], stdout=sys.stdout);\nos.write(1, b'3');\n4"
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "-c", code, "--json"], env=plain_environment(), capture_output=True,
        encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert [json.loads(line)["kind"] for line in done.stdout.splitlines()] == ["value", "value", "end"]
    assert done.stderr == "1\n2\n3" and done.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="pipes are POSIX's")
def test_a_reader_may_go_away():
    process = subprocess.Popen(
        [sys.executable, "-m", "tensh", "-c", "for i in range(100000): print(i)", "--json"], env=plain_environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert json.loads(process.stdout.readline())["text"] == "0\n"
    process.stdout.close()
    assert process.stderr.read() == "" and process.wait(60) == 141


def test_a_stream_of_ascii_has_ascii(tensh_command):
    done = tensh_command("-c", "'损失'", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.splitlines()[0])["data"] == "损失" and done.stdout.isascii()


def test_numbers_come_back_exactly():
    value, _ = records(Done("-c", "torch.tensor([0.1, 1e-40, 3.4e38])", "--json"))
    assert all(math.isfinite(each) for each in value["data"])
    again, _ = records(Done("-c", f"torch.tensor({value['data']})", "--json"))
    assert again["data"] == value["data"]
