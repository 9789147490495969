"""Numbers that a program reads from tensors: nodes of exported programs, on which Python cannot decide."""

import io

import pytest

import tensh as torch

INPUTS = "tensor(3), arange(6.)", "tensor(1.5), arange(3.)", "tensor([3, 1]), arange(6.)", "tensor(True), arange(6.)"
WHOLE, FRACTION, SEVERAL, TRUTH = INPUTS
PROGRAMS = {
    "factor": (WHOLE, "y * x.item() + 1", "tensor(5), arange(6.)"),
    "index": (WHOLE, "y[x.item()]", "tensor(1), arange(6.)"),
    "negative": (WHOLE, "y + -x.item()", "tensor(1), arange(6.)"),
    "size": (WHOLE, "torch.zeros(x.item()) + 1", "tensor(0), arange(6.)"),
    "slice": (WHOLE, "y[: x.item()] * 2", "tensor(4), arange(6.)"),
    "arithmetic": (WHOLE, "y + (x.item() * 2 + 1)", "tensor(2), arange(6.)"),
    "result": (WHOLE, "(x.item() * 2 + 1, y)", "tensor(7), arange(6.)"),
    "fraction": (FRACTION, "y * (f := x.item()) + 2 * f", "tensor(0.25), arange(3.)"),
    "list": (SEVERAL, "y * x.tolist()[0] + x.tolist()[1]", "tensor([5, 2]), arange(6.)"),
    "checked": (WHOLE, "(n := x.item(), torch._check(n >= 2), torch._check(n < 5), y[:n])[3]", "tensor(4), arange(6.)"),
    "size_of_result": (WHOLE, "(z := y[: x.item()]) * z.shape[0]", "tensor(4), arange(6.)"),
    "branch": (WHOLE, "torch.cond(x.sum() > 2, lambda x, y: y * x.item(), lambda x, y: y - 1, (x, y))", "tensor(2), arange(6.)"),
}  # fmt: skip
REFUSED = {
    "truth": (TRUTH, "y if x.item() else y + 1", "guard on data-dependent expression Eq(u0, 1)"),
    "comparison": (WHOLE, "y if x.item() > 2 else y + 1", "guard on data-dependent expression u0 > 2"),
    "of_arithmetic": (WHOLE, "y if x.item() * 2 + 1 >= 6 else y", "guard on data-dependent expression 2*u0 + 1 >= 6"),
    "of_fraction": (FRACTION, "y if x.item() > 0.5 else -y", "guard on data-dependent expression zuf0 > 0.5"),
    "tensor": (WHOLE, "y if x > 2 else y + 1", "guard on data-dependent expression Eq(u0, 1)"),
    "steps": (
        WHOLE,
        "sum([y] * len(range(x.item())))",
        "extract specialized integer from data-dependent expression u0",
    ),
    "int": (WHOLE, "y * int(x)", "extract specialized integer from data-dependent expression u0"),
}


def make(library, text):
    class Program(library.nn.Module):
        def forward(self, x, y):
            return eval(text, {"torch": library, "x": x, "y": y})

    return Program()


def values(library, text):
    return eval(text, {"tensor": library.tensor, "arange": library.arange})


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_read_the_numbers_of_their_arguments(name):
    args, text, others = PROGRAMS[name]
    model, args, others = make(torch, text), values(torch, args), values(torch, others)
    program = torch.export.export(model, args)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    for each in (program, torch.export.load(file)):
        for case in (args, others):
            torch.testing.assert_close(each.module()(*case), model(*case))


@pytest.mark.parametrize("name", ["factor", "index", "negative", "arithmetic", "result", "fraction"])
def test_graphs_and_shapes_are_pytorchs(name, oracle):
    def tell(library):
        args, text, _ = PROGRAMS[name]
        program = library.export.export(make(library, text), values(library, args))
        code = program.graph_module.print_readable(print_output=False).splitlines()
        return [line for line in code if line.strip() and "# " not in line], str(program.graph_signature)

    assert tell(torch) == tell(oracle)


CHECKED = [
    "(n := x.item(), torch._check(n >= 2), torch.zeros(n))[2]",
    "(n := x.item(), torch._check_is_size(n), torch.zeros(n))[2]",
    "(n := x.item(), torch._check_is_size(n, max=8), torch.zeros(n, 2))[2]",
    "(n := x.item(), torch._check(n > 1), torch._check(n < 9), torch.zeros(n + 1))[3]",
    "(n := x.item(), torch._check(n >= 0), torch._check(n <= 6), y[:n])[3]",
    "(n := x.item(), torch._check(n >= 2, lambda: 'small'), torch._check(n >= 1), torch.zeros(n))[3]",
    "(n := x.item(), m := x.mul(2).item(), torch._check(n >= 2), torch._check(m >= 3), torch._check(n <= m), torch.ones(n, m))[5]",
    "torch.zeros(x.item())",
]
"""Programs that check the numbers that they read."""


@pytest.mark.parametrize("text", CHECKED)
def test_checks_are_those_of_pytorch(text, oracle):
    def tell(library):
        program = library.export.export(make(library, text), values(library, WHOLE))
        code = program.graph_module.print_readable(print_output=False).splitlines()
        return [line for line in code if line.strip() and "# " not in line], str(program.range_constraints)

    assert tell(torch) == tell(oracle)


@pytest.mark.parametrize("text", CHECKED)
def test_checks_hold_in_calls(text):
    program, y = torch.export.export(make(torch, text), values(torch, WHOLE)), torch.arange(6.0)
    assert torch.equal(program.module()(torch.tensor(3), y), make(torch, text)(torch.tensor(3), y))
    with pytest.raises(RuntimeError, match="Runtime assertion failed for expression u0 >= "):
        program.module()(torch.tensor(-1), y)


@pytest.mark.parametrize("name", REFUSED)
def test_decisions_of_python_are_refused(name):
    args, text, refusal = REFUSED[name]
    with pytest.raises(RuntimeError) as caught:
        torch.export.export(make(torch, text), values(torch, args))
    assert type(caught.value).__name__ == "GuardOnDataDependentSymNode"
    assert str(caught.value).startswith(f"Could not {refusal} (unhinted: {refusal.rpartition('expression ')[2]}).")


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_pytorchs(name, oracle):
    args, text, refusal = REFUSED[name]
    with pytest.raises(RuntimeError) as caught:
        oracle.export.export(make(oracle, text), values(oracle, args))
    assert str(caught.value).startswith(f"Could not {refusal} (unhinted: {refusal.rpartition('expression ')[2]}).")


def test_what_was_checked_is_a_range_and_holds():
    args, text, _ = PROGRAMS["checked"]
    program = torch.export.export(make(torch, text), values(torch, args))
    assert str(program.range_constraints) == "{u0: VR[2, 4]}"
    with pytest.raises(RuntimeError, match="Runtime assertion failed for expression u0 >= 2"):
        program.module()(torch.tensor(1), torch.arange(6.0))


LIMITED = {
    "above": ("(n := x.item(), torch._check(n >= 2), torch._check(n <= len(y)), y[:n])[3]", 7),
    "below": ("(n := x.item(), torch._check(n < 9), torch._check(n >= y.shape[0] - 4), torch.ones(n))[3]", 1),
    "reversed": ("(n := x.item(), torch._check(y.shape[0] > n), torch._check(n >= 0), y[n])[3]", 6),
}


@pytest.mark.parametrize("name", LIMITED)
def test_checks_against_fixed_sizes_hold(name):
    text, outside = LIMITED[name]
    model, y = make(torch, text), torch.arange(6.0)
    program = torch.export.export(model, (torch.tensor(3), y))
    assert torch.equal(program.module()(torch.tensor(3), y), model(torch.tensor(3), y))
    with pytest.raises(RuntimeError, match="Runtime assertion failed"):
        program.module()(torch.tensor(outside), y)


BY_CHANCE = {
    "sum": lambda x: x * (x.argmin().item() + 3),
    "remainder": lambda x: x * (x.argmax().item() % 3),
    "quotient": lambda x: x * (x.argmin().item() // 100),
    "size": lambda x: x.new_ones(3 + x.argmin().item() // 100),
}
"""Programs whose numbers are equal for all examples that count upwards."""


@pytest.mark.parametrize("name", BY_CHANCE)
@pytest.mark.parametrize("dynamic", [None, ({0: torch.export.Dim("n")},)])
def test_numbers_that_are_equal_by_chance_are_no_constants(name, dynamic):
    class Reads(torch.nn.Module):
        def forward(self, x):
            return BY_CHANCE[name](x)

    examples = [torch.arange(600.0).reshape(200, 3), torch.zeros(200, 3)]
    examples[1][150, 1], examples[1][70, 1] = -1, 1
    module = torch.export.export(Reads(), (examples[0],), dynamic_shapes=dynamic).module()
    for x in examples:
        assert torch.equal(module(x), BY_CHANCE[name](x))
