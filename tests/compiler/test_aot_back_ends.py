"""Back ends of torch.compile that get the graphs of both passes, as PyTorch's documents write them."""

import importlib

import tensh as torch
from tensh.alias import torch_is_tensh
from tensh.functorch.compile import aot_autograd, nop
from tensh.fx.experimental.proxy_tensor import make_fx


def tell(torch, find):
    """Return the graphs that compilers get, and the results of the compiled functions; ``find`` imports a module."""
    compile_module, nn, found = find("_functorch.aot_autograd"), torch.nn, []
    aot_autograd = find("_dynamo.backends.common").aot_autograd
    partition = find("_functorch.partitioners").default_partition

    def show(name):
        def compile(module, examples):
            found.append((name, module.code, [tuple(each.shape) for each in examples]))
            return compile_module.make_boxed_func(module.forward)

        return compile

    def simple(module, examples):
        return compile_module.aot_module_simplified(module, examples, fw_compiler=show("simple"))

    torch.manual_seed(0)
    linear = nn.Linear(3, 2)
    for backend in (
        aot_autograd(fw_compiler=show("forward"), bw_compiler=show("backward")),
        aot_autograd(fw_compiler=show("forward"), partition_fn=partition),
        simple,
    ):
        torch.compiler.reset()
        linear.zero_grad()
        torch.compile(lambda x: linear(x).tanh().sum(), backend=backend)(torch.ones(3)).backward()
        found.append(round(linear.weight.grad[0, 0].item(), 4))
    torch.compiler.reset()
    x = torch.compile(lambda x: (x.cos() * 2).relu(), backend=aot_autograd(fw_compiler=show("inference")))(
        torch.zeros(2)
    )
    return [*found, x.tolist()]


def find_ours(name):
    """Return the module of a name of PyTorch's: all of them are in one."""
    from tensh.functorch import compile

    with torch_is_tensh():
        assert importlib.import_module(f"torch.{name}").__name__ == f"torch.{name}"
    return compile


def test_graphs_of_both_passes_are_pytorchs(oracle):
    theirs = tell(oracle, lambda name: importlib.import_module(f"torch.{name}"))
    for one, two in zip(tell(torch, find_ours), theirs, strict=True):
        assert one == two


def test_compilers_get_the_graphs_of_both_passes():
    found = tell(torch, find_ours)
    assert [each[0] for each in found if isinstance(each, tuple)][:2] == ["forward", "backward"]
    assert found[2] == found[5] == found[8] and found[-1] == [2, 2]


def test_graphs_of_operators_follow_sizes_that_vary():
    def scale(x, k):
        return (x * k).view(x.shape[0] * x.shape[1]).sum() * x.shape[0]

    traced = torch.compile(scale, backend=lambda module, inputs: make_fx(module)(*inputs) and module, dynamic=True)
    both = torch.compile(scale, backend=aot_autograd(fw_compiler=nop), dynamic=True)
    for shape in ((2, 3), (4, 5), (6, 7)):
        x = torch.ones(shape, requires_grad=True)
        both(x, shape[0]).backward()
        assert x.grad.eq(shape[0] ** 2).all() and both(x, 3).equal(scale(x, 3)) and traced(x, 5).equal(scale(x, 5))
