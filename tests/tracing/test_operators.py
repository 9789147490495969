"""Graphs of single calls give the calls' results: each recorded call of each public function, traced, saved, compiled."""

import io
import linecache

import pytest

import tensh as torch
from tensh.tracing.program import trace_program
from tests.recorded.operators import families, tensor

SAMPLES = {name: calls for family in families() for name, calls in family.SAMPLES.items()}
ONE_OPERATOR_OF_SEVERAL = """
    nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool2d nn.functional.unfold linalg.vander linalg.norm norm var
    std mean broadcast_tensors real imag block_diag cartesian_prod
""".split()
"""Functions whose operator has other arguments, other results or another name."""
WITHOUT_FILE = """
    nn.functional.mse_loss nn.functional.affine_grid add sub mul norm unique nonzero unravel_index
""".split()
"""Functions of which a recorded call has no form in TorchScript: no operator, or a complex constant."""


def tensors_of(value):
    """The tensors in a result."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [each for part in value for each in tensors_of(part)]
    return [value] if isinstance(value, torch.Tensor) else []


class Case:
    """A recorded call as a function of its tensors, with readable source, and its result."""

    def __init__(self, name, call):
        self.made = [tensor(torch, values, dtype) for _, dtype, values in call.arrays("float32", name)]
        names = [f"t{place}" for place in range(len(self.made))]
        args, kwargs = call.filled([Name(each) for each in names])
        given = ", ".join([*map(write, args), *(f"{key}={write(value)}" for key, value in kwargs.items())])
        source = f"def run({', '.join(names)}):\n    return torch.{name}({given})\n"
        file, scope = f"<call of {name}>", {"torch": torch, "inf": float("inf"), "nan": float("nan")}
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        exec(compile(source, file, "exec"), scope)
        self.function, self.source = scope["run"], source

    def answer(self, function):
        """The tensors that a function gives for the arguments, with the same random numbers."""
        torch.manual_seed(0)
        return tensors_of(function(*[each.clone() for each in self.made]))

    def gradients(self, function):
        """The gradients of the sum of a function's results, or the text of its error."""
        leaves = [each.clone().requires_grad_(each.is_floating_point()) for each in self.made]
        torch.manual_seed(0)
        try:
            results = [each for each in tensors_of(function(*leaves)) if each.requires_grad]
            total = [(each.abs() if each.is_complex() else each).sum() for each in results]
            wanted = [each for each in leaves if each.requires_grad]
            found = torch.autograd.grad(total, wanted, allow_unused=True) if total else []
        except RuntimeError as error:
            return str(error)
        return [each if each is None else each.detach() for each in found]


class Name(str):
    """A name among the arguments of a call."""


def write(value):
    """A value as Python writes it, with the names of tensors."""
    if isinstance(value, (list, tuple)):
        parts = ", ".join(map(write, value))
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * bool(value)})"
    return str(value) if isinstance(value, Name) else repr(value)


def list_cases(name, most=None):
    """The cases of a name, on float32, that give tensors, with what each gives."""
    cases = [Case(name, call) for call in SAMPLES[name][:most]]
    return [(case, expected) for case in cases if (expected := case.answer(case.function))]


def hold(case, actual, expected):
    """Hold results against those of the call."""
    assert [(each.shape, each.dtype) for each in actual] == [(each.shape, each.dtype) for each in expected], case.source
    for mine, other in zip(actual, expected):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-6, equal_nan=True, msg=case.source)


def hold_trace(name, most=1):
    for case, expected in list_cases(name, most):
        traced = trace_program(case.function, [each.clone() for each in case.made]).graph_module()
        hold(case, case.answer(traced), expected)


def hold_file(name):
    for case, expected in list_cases(name):
        file = io.BytesIO()
        try:
            torch.jit.save(
                torch.jit.trace(case.function, tuple(each.clone() for each in case.made), check_trace=False), file
            )
        except RuntimeError as error:
            assert name in WITHOUT_FILE and str(error).startswith("TorchScript has no"), case.source
            continue
        file.seek(0)
        hold(case, case.answer(torch.jit.load(file)), expected)


def hold_compiled(name):
    for case, expected in list_cases(name, 1):
        compiled, gradients = torch.compile(case.function), case.gradients(case.function)
        for _ in range(2):
            hold(case, case.answer(compiled), expected)
            found = case.gradients(compiled)
            assert (
                found == gradients
                if isinstance(gradients, str)
                else [e is None for e in found] == [e is None for e in gradients]
            ), case.source
            if not isinstance(gradients, str):
                pairs = [pair for pair in zip(found, gradients) if pair[0] is not None]
                hold(case, *([each.nan_to_num() for each in side] for side in zip(*pairs)) if pairs else ([], []))
        compiled.compiled.forget()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ONE_OPERATOR_OF_SEVERAL)
def test_functions_with_an_operator_of_another_form(name):
    hold_trace(name, None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.thorough
@pytest.mark.parametrize("kind", [hold_trace, hold_file, hold_compiled])
@pytest.mark.parametrize("first", range(8))
def test_every_function(first, kind):
    for name in list(SAMPLES)[first::8]:
        kind(name)
