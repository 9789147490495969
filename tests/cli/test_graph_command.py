"""What `tensh graph` and `%graph` say of functions and expressions."""

import io

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment

CODE = "x = torch.tensor([1., 2.], requires_grad=True)\ndef f(x): return x * 2 + 1\n"


def run(*words):
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    return main([*words], env), env.stdout.getvalue(), env.stderr.getvalue()


@pytest.mark.parametrize("words", [["f"], ["f", "--static"], ["f", "--compiled"]])
def test_a_function_is_to_be_called(words):
    code, _, errors = run("graph", "-c", CODE, *words)
    assert code == 2 and errors.startswith(
        "tensh graph: f is not a tensor but function: write a call of it, such as 'f(x)'"
    )


def test_expressions_are_captured():
    for words in ["f(x)", "--static"], ["x * 2 + 1", "--static"]:
        code, shown, errors = run("graph", "-c", CODE, *words)
        assert (code, errors) == (0, "") and "add(%1, 1.0)" in shown
    assert run("graph", "-c", CODE, "f(x)")[1].startswith("x * 2 + 1  AddBackward0")


def test_errors_of_the_users_function_are_shown_in_it():
    _, _, errors = run("-c", CODE + '%graph f "a" --static')
    assert "->  2 | def f(x): return x * 2 + 1" in errors and "can only concatenate str" in errors
    _, _, errors = run("-c", CODE + "%graph f 3 --static")
    assert "%graph: f computed nothing from tensors: pass tensors to it" in errors


MODEL = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
x = torch.randn(3, 4)
y = model(x)
w = (torch.ones(3) * 2).requires_grad_()
torch.optim.SGD(model.parameters(), lr=0.1)
traced = torch.export.export(model, (x,))
"""


def test_static_graphs_begin_at_leaves():
    """What filled a parameter with its first numbers is no part of them, and what runs later does not matter."""
    code, shown, errors = run("graph", "-c", MODEL, "y", "--static")
    assert (code, errors) == (0, "")
    assert "addmm(_0_bias, x, %1)" in shown and "uniform" not in shown
    assert "captured, backward" in shown
    code, _, errors = run("graph", "-c", MODEL, "w", "--static")
    assert code == 2 and errors == "tensh graph: w: it was not computed from other tensors\n"


def test_static_graphs_begin_at_stepped_parameters():
    training = "w = torch.ones(3, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n(w * 2).sum().backward()\nopt.step()\nz = (w * 3).sum()"
    _, shown, _ = run("graph", "-c", training, "z", "--static", "--view", "tree")
    assert shown.splitlines()[-1] == "3 nodes, 2 edges"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["y", "--tree"], "No such option: --tree; did you mean --view tree?"),
        (["y", "--svg"], "No such option: --svg; did you mean --format svg?"),
        (["y", "--forward"], "No such option: --forward; did you mean --mode forward?"),
        (["y", "--static", "--focus", "x"], "--static and --compiled show a program; --focus shows its autograd graph"),
        (["y", "--compiled", "--values"], "--static and --compiled show a program; --values shows its autograd graph"),
        (["--static"], "no tensor here was computed from one that requires grad: name the tensor"),
    ],
)
def test_wrong_options_say_what_to_write(words, expected):
    code, shown, errors = run("graph", "-c", "x = torch.ones(2)\ny = x * 2 + 1", *words)
    assert (code, shown) == (2, "") and expected in errors


def test_a_static_tree_has_a_depth():
    _, shown, _ = run("graph", "-c", CODE + "y = f(x)", "y", "--static", "--view", "tree", "--depth", "1")
    assert shown.splitlines()[2] == "    └── ..."


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%graph y --tree", "%graph: there is no option --tree; it has --view, --focus, "),
        ("%graph y --vlues", "%graph: there is no option --vlues; did you mean --values?"),
        ("%graph y --depth 0", "%graph: depth must be a whole number of at least 1, not 0"),
        ("%graph y --depth x", "%graph: depth must be a whole number of at least 1, not 'x'"),
        ("%graph f x --static --values", "%graph: a static graph has no values; an autograd graph has"),
        ("%step y --all", "%step: there is no option --all; it has none"),
        ("%hist x --bns 3", "%hist: there is no option --bns; did you mean --bins?"),
        ("%summary nn.Linear(1, 1) --deep", "%summary: there is no option --deep; "),
        ("%timeit -n 0 x + 1", "%timeit: -n and -r expect a number of at least 1"),
        ("%timeit -n many x + 1", "%timeit: -n and -r expect a number of at least 1"),
        ("%export nn.Linear(2, 1) x nowhere/a.onnx", "%export nowhere/a.onnx: No such file or directory"),
    ],
)
def test_wrong_options_of_commands_say_what_to_write(line, expected):
    _, _, errors = run("-c", CODE + "y = f(x)\n" + line)
    assert expected in errors and "keyword" not in errors


def test_the_source_of_a_compiled_function_is_the_users():
    for name in "torch.compile", "torch.no_grad()":
        code, shown, _ = run("-c", f"@{name}\ndef g(x):\n    return x\ng??")
        assert code == 0 and "written in <-c>:1" in shown and "return x" in shown


def test_the_result_of_a_call_is_no_function():
    _, _, errors = run("-c", CODE + "%graph f(x) --static")
    assert "%graph: expected a function or a module and its inputs, not Tensor" in errors


@pytest.mark.parametrize("line", ["%export f f.onnx x", "%export f f.pt2 x", "%export f x f.pt2"])
def test_a_model_is_exported_with_its_inputs_first(line):
    _, _, errors = run("-c", CODE + line)
    assert "%export: expected a model and its inputs, such as %export net x net.onnx" in errors


def test_an_exported_program_has_a_summary():
    code = "p = torch.export.export(torch.nn.Sequential(torch.nn.Linear(4, 8)), (torch.ones(1, 4),))\n%summary p"
    status, shown, _ = run("-c", code)
    assert status == 0 and "# 40 parameters, 160 B" in shown
