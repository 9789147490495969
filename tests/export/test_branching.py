"""Branches and loops that depend on elements are part of exported programs, of traces and of ONNX models."""

import io

import pytest

import tensh as torch
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
