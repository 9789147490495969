"""Writes: refused ones, which change nothing, and gradients through a write."""

import numpy as np
import pytest

import tensh as torch
from tensh.autograd import gradcheck, gradgradcheck


# ── gradients ────────────────────────────────────────────────────────────────
def through_select(x, y):
    z = x * 1
    z[0] = y[0] * x[1]
    return z


def through_chain(x, y):
    z = x * x
    z.t()[1:, 0].mul_(y[0, 1:])
    return z.exp()


def through_index(x, y):
    z = x * 1
    z[torch.tensor([0, 1]), torch.tensor([2, 0])] = y[0, :2] * x[1, :2]
    z[x > 0.3] *= 2
    return z * z


def through_fills(x, y):
    z = x * y
    z[0].fill_(y[1, 1])
    z[:, 1].zero_()
    z.diagonal().add_(x[1, :2])
    return z * x


def into_a_constant(x, y):
    z = torch.zeros(2, 3, dtype=torch.float64)
    rows = z.view(3, 2)
    rows[1].copy_(x[0, :2] * y[1, 1:])
    rows.mul_(y.t())
    return z


def scattered(x, y):
    z = x.clone()
    z.scatter_(1, torch.tensor([[2], [0]]), y[:, :1] * 2).index_add_(0, torch.tensor([1, 1]), x * y, alpha=3)
    z.masked_scatter_(torch.tensor([True, False, True]), y)
    return z.index_put_((torch.tensor([1, 1]),), x, accumulate=True) * x


@pytest.mark.parametrize(
    "function", [through_select, through_chain, through_index, through_fills, into_a_constant, scattered]
)
def test_gradients_go_through_writes(function):
    """First and second derivatives are the slopes of the values."""
    rng = np.random.default_rng(0)
    x, y = (torch.tensor(rng.uniform(0.1, 0.6, (2, 3)), requires_grad=True) for _ in range(2))
    assert gradcheck(function, (x, y))
    assert gradgradcheck(function, (x, y))


def test_gradients_of_saved_values_are_those_before_the_write():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y.mul_(torch.tensor([2.0, 3.0, 4.0]))
    z = y.exp_().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    w = (x * 1).mul_(x)
    w.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_an_argument_that_the_write_changes():
    """``y.mul_(y)`` has no derivative any more: PyTorch's error, not a wrong number."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.mul_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_an_index_that_changes_after_it_was_used():
    x, index = torch.ones(3, requires_grad=True), torch.tensor([0, 1])
    y = x[index]
    index.add_(1)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation: \[torch.LongTensor \[2\]\]"):
        y.sum().backward()


# ── versions and failures ────────────────────────────────────────────────────
def test_every_write_counts_once():
    x = torch.zeros(2, 2)
    writes = [
        lambda: x.add_(1), lambda: x[0].fill_(1), lambda: x.__setitem__(0, 2), lambda: x.zero_(), lambda: x.copy_(x + 1),
        lambda: x.t_(), lambda: x.detach().mul_(2), lambda: x.scatter_(0, torch.tensor([[0]]), 1.0), lambda: x.tril_(),
        lambda: x.__setitem__(x > 0, 1.0), lambda: torch.add(x, 1, out=x), lambda: x.unsqueeze_(0),
    ]  # fmt: skip
    for number, write in enumerate(writes, 1):
        write()
        assert x._version == number


REFUSED = {
    "shape": lambda x: x.add_(torch.ones(3)), "larger": lambda x: x.add_(torch.ones(2, 2, 2)), "dtype": lambda x: x.long().add_(1.5),
    "index": lambda x: x.index_add_(0, torch.tensor([0, 7]), torch.ones(2, 2)), "scatter": lambda x: x.scatter_(0, torch.tensor([[0, 9]]), 1.0),
    "expanded": lambda x: x[:1].expand(2, 2).add_(1), "assignment": lambda x: x.__setitem__(0, torch.ones(3)),
    "mask": lambda x: x.masked_scatter_(x >= 0, torch.ones(1)), "number": lambda x: x.__setitem__(0, 1j),
    "overlap": lambda x: x[1:].copy_(x.view(-1)[1:3].view(1, 2)), "place": lambda x: x.put_(torch.tensor([0, 9]), torch.ones(2)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_fails_changes_nothing(name):
    x = torch.zeros(2, 2)
    with pytest.raises((RuntimeError, IndexError)):
        REFUSED[name](x)
    assert x.tolist() == [[0.0, 0.0], [0.0, 0.0]] and x._version == 0


def test_out_of_another_shape_is_resized_with_a_warning():
    out = torch.zeros(2)
    with pytest.warns(UserWarning, match=r"since it had shape \[2\]"):
        assert torch.stack([torch.ones(2)] * 2, out=out) is out
    assert out.shape == (2, 2) and out.sum() == 4


def test_resizing_keeps_the_memory_where_it_suffices():
    x = torch.arange(6.0)
    x.resize_(2, 2)
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    x.resize_(8)
    assert x[:6].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


VIEWS = {  # name -> a view of ``x`` [4, 4], and a tensor that may share its memory
    "a row, a part of it": lambda x: (x[1], x[1, :1]),
    "columns, the rows": lambda x: (x.T, x),
    "the base in a column": lambda x: (x[:, :1], x[:1, :1]),
    "itself": lambda x: (x[1:], x[1:]),
    "itself, seen anew": lambda x: (x[1:], x[1:4]),
    "shifted": lambda x: (x[1:], x[:-1]),
    "expanded": lambda x: (x[:1].expand(4, 4), x),
    "another dtype": lambda x: (x[1], x[1].double()),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("write", ["add_", "mul_", "copy_", "sub_"])
def test_views_are_written_where_they_may_be(oracle, name, write):
    def outcome(m):
        x = m.arange(16.0).reshape(4, 4).clone()
        view, other = VIEWS[name](x)
        try:
            getattr(view, write)(other)
        except RuntimeError as error:
            return str(error).split("\n")[0], x.tolist()
        return x._version, view._version, x.tolist()

    assert outcome(torch) == outcome(oracle)


def test_a_write_through_a_view_is_noticed():
    x, w = torch.ones(3, 3), torch.ones(3, 3, requires_grad=True)
    product = x * w
    x[1] += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
    view = x[2]
    x *= w
    view.add_(1)  # the base requires grad now, so that the write is recorded
    view.sum().backward()
    assert w.grad[2].tolist() == [1.0, 1.0, 1.0] and x.requires_grad


def test_steps_through_data_do_not_chain_owners():
    p = torch.zeros(4, requires_grad=True)
    owned = p.array
    for _ in range(3):
        p.data -= torch.ones(4)
        p.data = p.data.detach()
    array, owners = p.array, 0
    while type(array.base) is memoryview:
        array, owners = array.base.obj, owners + 1
    assert (array is owned, owners) == (True, 0) and p.tolist() == [-3.0] * 4


class Doubling(torch.autograd.Function):
    """Writes ``2 a + b`` into ``a``, its second argument."""

    @staticmethod
    def forward(ctx, b, a):
        ctx.mark_dirty(a)
        return a.mul_(2).add_(b)

    @staticmethod
    def backward(ctx, g):
        return g, g * 2


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_function_of_the_user_that_writes_into_a_view(create_graph):
    """The region is not the first input of the write: PyTorch gives it the gradient of that input, too."""
    x, w = torch.ones(4, requires_grad=True), torch.ones(2, requires_grad=True)
    base = x * 1
    Doubling.apply(w, base[1:3])
    total = (base * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum()
    into_base, into_other = torch.autograd.grad(total, (x, w), create_graph=create_graph)
    assert into_base.tolist() == [1, 4, 6, 4] and into_other.tolist() == [2, 3]


class Cubing(torch.autograd.Function):
    """Writes its first operand times the cube of the second into the first, and saves the second."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(y)
        ctx.save_for_backward(x)
        return y.mul_(x**3)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g, g * x**3


def test_a_function_of_the_user_that_writes_into_a_view_is_passed_twice():
    """A pass that keeps the graph keeps the values that the nodes of the write have saved."""
    x, w = torch.ones(4, requires_grad=True), torch.tensor([2.0, 3.0], requires_grad=True)
    base = x * 1
    Cubing.apply(w, base[1:3])
    passes = [torch.autograd.grad(base.sum(), (x, w), retain_graph=keep) for keep in (True, False)]
    assert [[t.tolist() for t in each] for each in passes] == [[[1, 8, 27, 1], [12, 27]]] * 2
    with pytest.raises(RuntimeError, match="a second time"):
        torch.autograd.grad(base.sum(), (x, w))


def test_expanded_tensors_without_elements_can_be_written():
    x = torch.empty(1, 0).expand(3, 0)
    assert x.add_(1) is x and x.copy_(torch.ones(3, 0)) is x and x.tolist() == [[], [], []]
