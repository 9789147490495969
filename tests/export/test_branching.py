"""Branches and loops that depend on elements are part of exported programs, of traces and of ONNX models."""

import io
import re

import pytest

import tensh as torch
from tensh._higher_order_ops.scan import scan
from tensh.fx.experimental.proxy_tensor import make_fx
from tests.export.branching import make_programs

NAMES = list(make_programs(torch))


def make(name, library=torch):
    library.manual_seed(0)
    model, args, others = make_programs(library)[name]
    return model, args, [args, *others]


def leaves(value):
    return [each for part in value for each in leaves(part)] if isinstance(value, (tuple, list)) else [value]


def assert_same(ours, theirs):
    for a, b in zip(leaves(ours), leaves(theirs), strict=True):
        torch.testing.assert_close(torch.as_tensor(a), torch.tensor(b.tolist(), dtype=torch.as_tensor(a).dtype))


@pytest.mark.parametrize("name", NAMES)
def test_a_program_takes_the_branch_of_its_arguments(name):
    model, args, cases = make(name)
    program = torch.export.export(model, args)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    for each in (program, torch.export.load(file)):
        for case in cases:
            assert_same(each.module()(*case), model(*case))


@pytest.mark.parametrize("name", NAMES)
def test_programs_are_written_as_pytorch_writes_them(name, oracle):
    def tell(library, trace):
        model, args, cases = make(name, library)
        if library is oracle:
            library._dynamo.reset()  # it takes sizes that differ from those of earlier programs as operands
        program = library.export.export(model, args)
        found = [str(program.graph), str(program.graph_signature), program.module().code]
        found += [each.code for each in program.graph_module.modules() if hasattr(each, "code")]
        if name == "constant":  # traced by PyTorch after Dynamo, which detaches constants
            return found
        with library.no_grad():
            traced = trace(lambda *args: model(*args))(*args)
        return found + [each.code for each in traced.modules() if hasattr(each, "code")]

    from torch.fx.experimental.proxy_tensor import make_fx as theirs

    assert tell(torch, make_fx) == tell(oracle, theirs)


@pytest.mark.parametrize("name", ["plain", "members", "nested", "twice"])
def test_gradients_go_through_the_branch_that_is_taken(name):
    model, args, cases = make(name)
    module = torch.export.export(model, args).module()
    for case in cases:
        case = [each.clone().requires_grad_(each.is_floating_point()) for each in case]
        inputs = [each for each in case if each.requires_grad]
        wanted, found = (
            torch.autograd.grad(sum(each.sum() for each in leaves(run(*case))), inputs, materialize_grads=True)
            for run in (model, module)
        )
        assert_same(found, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_onnx_models_have_branches_and_loops(name):
    pytest.importorskip("onnx")
    model, args, cases = make(name)
    exported = torch.onnx.export(model, args)
    for case in cases:
        assert_same(exported(*case), model(*case))


def test_dynamic_sizes_reach_the_branches():
    model, (x, y), _ = make("twice")
    n = torch.export.Dim("n")
    program = torch.export.export(model, (x.repeat(2, 1), y.repeat(2, 1)), dynamic_shapes=(({0: n}, {0: n}),))
    assert '"f32[s' in program.graph_module.true_graph_0.print_readable(print_output=False)
    for size in (2, 3, 7):
        case = torch.randn(size, 3), torch.randn(size, 3)
        assert_same(program.module()(*case), model(*case))


def test_a_branch_that_writes_to_its_operand_is_refused():
    class Writes(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x.add_(1), lambda x: x + 2, (x,))

    with pytest.raises(RuntimeError, match="Higher order ops do not support input mutation"):
        torch.export.export(Writes(), (torch.ones(3),))


MISFITS = {
    "'shape: torch.Size([6]) vs torch.Size([3])'": lambda n, x: (n + 1, torch.cat([x, x])),
    "'dtype: torch.float64 vs torch.float32'": lambda n, x: (n + 1, x.double()),
    "same number of outputs": lambda n, x: (n + 1, x * 2, x + 1),
}


@pytest.mark.parametrize("text", MISFITS)
def test_a_loop_that_gives_something_else_than_it_carries_is_refused(text):
    class Loop(torch.nn.Module):
        def forward(self, x):
            return torch.while_loop(lambda n, x: n < 3, MISFITS[text], (torch.tensor(0), x))

    with pytest.raises(RuntimeError, match=re.escape(text)):
        torch.export.export(Loop(), (torch.ones(3),))


def test_a_scan_may_read_what_it_starts_from():  # where PyTorch's program takes the start for what is carried
    class Scan(torch.nn.Module):
        def forward(self, x, start):
            return scan(lambda carried, row: (carried + row * start, carried * 2), start, x)

    args = torch.randn(4, 3), torch.randn(3)
    assert_same(torch.export.export(Scan(), args).module()(*args), Scan()(*args))


def test_a_branch_that_returns_its_operand_follows_its_size():
    class Choice(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda: x, lambda: x * 2)

    n = torch.export.Dim("n")
    module = torch.export.export(Choice(), (torch.ones(3),), dynamic_shapes=({0: n},)).module()
    for case in (torch.ones(5), -torch.ones(4)):
        assert_same(module(case), Choice()(case))


SIZES = {
    "another": (lambda x: x * 2, lambda x: x[:2] * 1),
    "masks": (lambda x: x[x > 0], lambda x: x[x <= 0]),
    "nested": (lambda x: torch.cond(x.max() > 3, lambda x: x * 2, lambda x: x[:2] * 2, (x,)), lambda x: x * 3),
}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("dynamic", [None, ({0: torch.export.Dim("n", min=3)},)])
def test_the_size_of_a_result_is_that_of_the_branch_taken(name, dynamic):
    class Choice(torch.nn.Module):
        def forward(self, x):
            y = torch.cond(x.sum() > 0, *SIZES[name], (x,))
            return y * torch.ones(y.shape[0]), y.sum() * y.size(0)

    model = Choice()
    program = torch.export.export(model, (torch.tensor([1.0, 2.0, -1.0, -2.0]),), dynamic_shapes=dynamic)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    for each in (program, torch.export.load(file), program.run_decompositions()):
        for factor in (4.0, 0.5, -1.0):
            x = factor * torch.tensor([1.0, 2.0, 1.0, -0.5, 1.0][: 5 if dynamic else 4])
            assert_same(each.module()(x), model(x))


UNLIKE = {
    "dim": (lambda x: x.sum(), lambda x: x * 2, "expected same dim but got 0 and 1"),
    "dtype": (lambda x: x.long(), lambda x: x * 2, "expected same dtype but got torch.int64 and torch.float32"),
    "number": (lambda x: (x * 1, 3), lambda x: (x * 2, 4), "expected same number or None but got 3 and 4"),
    "sizes": (lambda x: torch.ones(2, 3), lambda x: torch.ones(3, 2), r"got \[2, 3\] and \[3, 2\]"),
    "structure": (lambda x: x * 1, lambda x: (x * 1, x), "Unmatched output spec"),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_results_of_branches_are_alike(name):
    class Choice(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, *UNLIKE[name][:2], (x,))

    with pytest.raises(RuntimeError, match=UNLIKE[name][2]):
        torch.export.export(Choice(), (torch.ones(3),))
