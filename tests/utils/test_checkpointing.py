"""torch.utils.checkpoint: the gradients of the function itself, from a second run of it."""

import functools
import gc
import weakref

import numpy as np
import pytest

import tensh


def block(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.GELU(), torch.nn.Dropout(0.5), torch.nn.Linear(4, 2), torch.nn.Tanh()
    )


def point(torch):
    return (torch.arange(6.0).view(2, 3) / 5 - 0.5).requires_grad_(True)


def gradients(torch, run):
    """The result, the gradients of input and weights, and the random number that comes next."""
    model, x = block(torch), point(torch)
    y = run(model, x)
    (y**2).sum().backward()
    return [each.detach().numpy() for each in (y, x.grad, *(p.grad for p in model.parameters()), torch.rand(2))]


def sequential(torch, segments, **options):
    return lambda model, x: torch.utils.checkpoint.checkpoint_sequential(model, segments, x, **options)


def whole(torch, **options):
    return lambda model, x: torch.utils.checkpoint.checkpoint(model, x, **options)


WAYS = {
    "reentrant": (whole, {"use_reentrant": True}), "its own graph": (whole, {"use_reentrant": False}),
    "two segments": (sequential, {"segments": 2, "use_reentrant": False}),
    "three segments, reentrant": (sequential, {"segments": 3, "use_reentrant": True}),
    "as many segments as layers": (sequential, {"segments": 5, "use_reentrant": False}),
}  # fmt: skip


@pytest.mark.parametrize("way, options", WAYS.values(), ids=WAYS)
def test_gradients_and_random_numbers_are_those_without(way, options):
    plain = gradients(tensh, lambda model, x: model(x))
    for found, expected in zip(gradients(tensh, way(tensh, **options)), plain, strict=True):
        assert np.array_equal(found, expected)


@pytest.mark.oracle
@pytest.mark.parametrize("way, options", WAYS.values(), ids=WAYS)
def test_checkpoints_are_pytorchs(way, options):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch.utils.checkpoint")
    for found, expected in zip(
        gradients(tensh, way(tensh, **options)), gradients(torch, way(torch, **options)), strict=True
    ):
        assert np.allclose(found, expected, atol=1e-6)


def counted(function):
    def call(*args, **kwargs):
        call.count += 1
        return function(*args, **kwargs)

    call.count = 0
    return call


def test_the_graph_is_that_of_the_function():
    x = point(tensh)
    function = counted(lambda x, scale=1: (x.exp() * x * scale).sin())
    y = tensh.utils.checkpoint.checkpoint(function, x, use_reentrant=False, scale=2)
    assert type(y.grad_fn).__name__ == "SinBackward0"
    assert [type(node).__name__ for node, _ in y.grad_fn.next_functions] == ["MulBackward0"]
    (dx,) = tensh.autograd.grad(y.sum(), x, create_graph=True)
    (ddx,) = tensh.autograd.grad(dx.sum(), x)
    (expected,) = tensh.autograd.grad((x.exp() * x * 2).sin().sum(), x, create_graph=True)
    (second,) = tensh.autograd.grad(expected.sum(), x)
    assert tensh.allclose(dx, expected) and tensh.allclose(ddx, second)
    assert function.count == 3  # once forward, once for each pass
    reentrant = tensh.utils.checkpoint.checkpoint(function, x, use_reentrant=True)
    assert type(reentrant.grad_fn).__name__ == "CheckpointFunctionBackward"


def test_memory_is_given_back():
    kept = []

    def function(x):
        inner = x.exp()
        kept.append(weakref.ref(inner.array))
        return inner.sin()

    x = point(tensh)
    y = tensh.utils.checkpoint.checkpoint(function, x, use_reentrant=False)
    gc.collect()
    assert kept[0]() is None
    y.sum().backward()
    gc.collect()
    assert [each() for each in kept] == [None, None]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()
    z = tensh.utils.checkpoint.checkpoint(function, x, use_reentrant=False)
    z.sum().backward(retain_graph=True)
    z.sum().backward()
    assert len(kept) == 5  # nothing is kept from pass to pass


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
def test_checkpoints_within_checkpoints_give_the_same_gradients():
    check = tensh.utils.checkpoint.checkpoint
    for inner in True, False:
        for outer in True, False:
            x = point(tensh)
            within = functools.partial(check, lambda x: x.exp().sin(), use_reentrant=inner)
            y = check(lambda x, within=within: within(x * 2) ** 2, x, use_reentrant=outer)
            y.sum().backward()
            again = point(tensh)
            ((again * 2).exp().sin() ** 2).sum().backward()
            assert tensh.allclose(x.grad, again.grad)


def test_several_results_and_writes():
    x = point(tensh)

    def function(x, y):
        z = x * y
        z.mul_(y).add_(1)
        return {"a": z.exp(), "b": [z.sin(), 3]}

    found = tensh.utils.checkpoint.checkpoint(function, x, x + 1, use_reentrant=False)
    (found["a"].sum() * found["b"][0].sum()).backward()
    again = point(tensh)
    expected = function(again, again + 1)
    (expected["a"].sum() * expected["b"][0].sum()).backward()
    assert tensh.allclose(x.grad, again.grad)


class Other(list):
    """A function that does something else each time."""

    def __call__(self, x):
        self.append(1)
        return x.exp().sin() if len(self) == 1 else x.exp()


class OtherShape(Other):
    def __call__(self, x):
        self.append(1)
        return x[: len(self)].exp().sum()


def test_what_goes_wrong():
    checkpoint = tensh.utils.checkpoint.checkpoint
    x = point(tensh)
    reentrant = checkpoint(tensh.exp, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match="incompatible with .grad\\(\\)"):
        tensh.autograd.grad(reentrant.sum(), x)
    with pytest.raises(tensh.utils.checkpoint.CheckpointError, match="A different number of tensors was saved"):
        checkpoint(Other(), x, use_reentrant=False).sum().backward()
    with pytest.raises(tensh.utils.checkpoint.CheckpointError, match="have different metadata than during the forward"):
        checkpoint(OtherShape(), x, use_reentrant=False).backward()
    y = checkpoint(tensh.exp, x * 1, use_reentrant=False)
    y.sum().backward()
    argument = x * 1
    y = checkpoint(tensh.sin, argument, use_reentrant=False)
    argument.detach().zero_()
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
        checkpoint(tensh.exp, x)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(tensh.exp, x.detach(), use_reentrant=True)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: scale"):
        checkpoint(tensh.exp, x, use_reentrant=True, scale=2)
    with pytest.raises(ValueError, match="only supported when use_reentrant=False"):
        checkpoint(tensh.exp, x, use_reentrant=True, debug=True)
    with tensh.no_grad():
        assert not checkpoint(tensh.exp, x, use_reentrant=False).requires_grad


def test_contexts_of_the_two_runs():
    seen = []

    class Context:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            seen.append(self.name)

        def __exit__(self, *error):
            seen.append(f"end of {self.name}")

    x = point(tensh)
    y = tensh.utils.checkpoint.checkpoint(
        tensh.exp, x, use_reentrant=False, context_fn=lambda: (Context("one"), Context("two"))
    )
    assert seen == ["one", "end of one"]
    y.sum().backward()
    assert seen[2:] == ["two", "end of two"]


def test_without_the_random_numbers():
    x = tensh.ones(1000, requires_grad=True)
    y = tensh.utils.checkpoint.checkpoint(tensh.nn.Dropout(0.5), x, use_reentrant=False, preserve_rng_state=False)
    y.sum().backward()
    assert not tensh.equal(x.grad != 0, y.detach() != 0)


def test_debugging_lists_the_operators_of_both_runs():
    with pytest.raises(tensh.utils.checkpoint.CheckpointError) as failure:
        tensh.utils.checkpoint.checkpoint(Other(), point(tensh), use_reentrant=False, debug=True).sum().backward()
    first, second = (
        str(failure.value).partition("Operations executed during the original forward:")[2].split("recomputation:")
    )
    assert "= torch._ops.aten.sin.default($1)" in first and "sin" not in second.partition("ERROR")[0]
    assert f"{__file__}:" in str(failure.value)
    with (
        tensh.utils.checkpoint.set_checkpoint_debug_enabled(False),
        pytest.raises(RuntimeError, match="Tip: To see a more detailed"),
    ):
        tensh.utils.checkpoint.checkpoint(Other(), point(tensh), use_reentrant=False, debug=True).sum().backward()
