"""Functions that write to arguments that record gradients compute the same under ``fullgraph``."""

import pytest

import tensh as torch


def update(x, y):
    x.add_(1)
    y.mul_(x)
    return x * y


def zero_part(x, y):
    x[1:].zero_()
    return x.cos() * y


def write_out(x, y):
    torch.add(x.detach(), 1, out=y)
    return x * 2


def write_leaf(x, y):
    with torch.no_grad():
        y.add_(1)
    return x * y


def write_nested(x, y):
    values = {"a": [x]}
    values["a"][0].mul_(y)
    return values["a"][0].exp()


def overwrite(x, y):
    z = x * y
    x.sub_(z)
    return x + z


CASES = {
    # function -> makes (x, y) of a leaf
    update: lambda leaf: (torch.ones(3), leaf * 2),
    zero_part: lambda leaf: (leaf * 2, torch.full((3,), 3.0)),
    write_out: lambda leaf: (leaf * 1, torch.zeros(3)),
    write_leaf: lambda leaf: (torch.arange(3.0), leaf),
    write_nested: lambda leaf: (leaf * 3, torch.full((3,), 0.5)),
    overwrite: lambda leaf: (leaf * 3, torch.arange(3.0)),
}


def run(function, make):
    leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x, y = make(leaf)
    result = function(x, y)
    result.sum().backward()
    return [each.tolist() for each in (result, x, y, leaf.grad)]


@pytest.mark.filterwarnings("ignore:torch.compile runs")
@pytest.mark.parametrize("function", CASES, ids=lambda each: each.__name__)
def test_written_arguments_and_gradients_are_those_of_the_function(function):
    compiled, make = torch.compile(function, fullgraph=True), CASES[function]
    expected = run(function, make)
    for _ in range(3):
        assert run(compiled, make) == expected


def test_what_python_does_is_still_refused():
    def reading(x):
        x.mul_(2)
        return x if x.sum().item() > 0 else -x

    with pytest.raises(RuntimeError, match="cannot be captured as one graph"):
        torch.compile(reading, fullgraph=True)(torch.ones(2, requires_grad=True) * 1)


def find_middle(x):
    return x[len(x) // 2]


def tell_of_names(torch):
    """What functions of ``torch.compiler`` return, and what they refuse."""
    compiler, found = torch.compiler, []

    class Guard:
        is_global, guard_type, value = True, "TENSOR_MATCH", torch.nn.Parameter(torch.ones(1))

    for name in ("skip_guard_on_globals_unsafe", "skip_all_guards_unsafe", "keep_tensor_guards_unsafe"):
        found.append(getattr(compiler, name)([Guard()]))
    found.append(compiler.keep_tensor_guards_unsafe([Guard()], keep_parameters=True))
    for name in ("skip_guard_on_inbuilt_nn_modules_unsafe", "skip_guard_on_all_nn_modules_unsafe"):
        found.append(getattr(compiler, name)([]))
    found += [torch._inductor.list_options(), torch._inductor.list_mode_options()]
    found.append(compiler.wrap_numpy(lambda a, b: {"sum": a.sum(axis=0) + b})(torch.ones(2, 3), 1)["sum"].tolist())
    found.append([each is find_middle for each in compiler.allow_in_graph([find_middle])])  # for as long as Python runs
    for call in (
        lambda: torch._inductor.list_mode_options("nonsense"),
        lambda: compiler.allow_in_graph(3),
        lambda: compiler.substitute_in_graph(3)(len),
        lambda: compiler.substitute_in_graph(len)(3),
        lambda: compiler.set_stance("force_eager", force_backend="eager"),
    ):
        with pytest.raises((AssertionError, RuntimeError, TypeError)) as raised:
            call()
        found.append(f"{type(raised.value).__name__}: {raised.value}")
    return found


def test_functions_of_the_compiler_answer_as_in_pytorch(oracle):
    assert tell_of_names(torch) == tell_of_names(oracle)


def test_programs_know_that_they_are_exported():
    class Asking(torch.nn.Module):
        def forward(self, x):
            return x + torch.compiler.is_exporting() + 2 * torch.compiler.is_compiling()

    assert Asking()(torch.zeros(1)).item() == 0
    assert torch.export.export(Asking(), (torch.zeros(1),)).module()(torch.zeros(1)).item() == 3
    with pytest.raises(ValueError, match="nn.Module"):
        torch.export.export(len, ())
    assert not torch.compiler.is_exporting()
