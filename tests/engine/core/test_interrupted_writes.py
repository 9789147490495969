"""^C at any moment of a write in place: it has happened with its history, or not at all, or saved values are stale."""

import pytest

import tensh as torch
from tests.support.interrupts import interrupt_at

ROWS = torch.tensor([0, 1])
MASK = torch.tensor([[True, False, True], [False, True, False]])
TWO, FULL = torch.ones(2), torch.full((2, 3), 2.5)

WRITES = {
    "add_": lambda t: t.add_(3),
    "add_ of a tensor": lambda t: t.add_(FULL, alpha=2),
    "mul_": lambda t: t.mul_(FULL),
    "exp_": lambda t: t.exp_(),
    "pow_": lambda t: t.pow_(2.5),
    "eq_": lambda t: t.eq_(1),
    "clamp_": lambda t: t.clamp_(2, 3),
    "lerp_": lambda t: t.lerp_(FULL, 0.5),
    "addmm_": lambda t: t.addmm_(torch.ones(2, 2), FULL),
    "cumsum_": lambda t: t.cumsum_(1),
    "tril_": lambda t: t.tril_(),
    "copy_": lambda t: t.copy_(FULL),
    "copy_ of a row": lambda t: t.copy_(torch.tensor([5, 6, 7])),
    "fill_": lambda t: t.fill_(9),
    "fill_ of a tensor": lambda t: t.fill_(torch.tensor(9.0)),
    "zero_": lambda t: t.zero_(),
    "fill_diagonal_": lambda t: t.fill_diagonal_(5),
    "masked_fill_": lambda t: t.masked_fill_(MASK, 8),
    "masked_scatter_": lambda t: t.masked_scatter_(MASK, FULL),
    "index_add_": lambda t: t.index_add_(0, ROWS, FULL),
    "index_put_": lambda t: t.index_put_((ROWS,), FULL),
    "put_": lambda t: t.put_(ROWS, TWO),
    "scatter_": lambda t: t.scatter_(0, ROWS.view(1, 2), 5.0),
    "a row": lambda t: t.__setitem__(0, 5),
    "a column": lambda t: t.__setitem__((slice(None), 1), TWO),
    "a mask": lambda t: t.__setitem__(MASK, 3.0),
    "elements": lambda t: t.__setitem__((ROWS, ROWS), TWO),
    "uniform_": lambda t: t.uniform_(),
    "normal_": lambda t: t.normal_(),
    "bernoulli_": lambda t: t.bernoulli_(FULL / 5),
    "apply_": lambda t: t.apply_(lambda number: number + 1),
    "t_": lambda t: t.t_(),
    "unsqueeze_": lambda t: t.unsqueeze_(0),
    "out": lambda t: torch.add(FULL, 9, out=t),
    "a sum as out": lambda t: torch.sum(FULL.expand(2, 2, 3), 0, out=t),
    "normal numbers as out": lambda t: torch.normal(FULL, 1.0, out=t),
}


def start():
    return torch.arange(6.0).view(2, 3)


def make_plain():
    t = start()
    return t, t, None


def make_computed():
    leaf = start().requires_grad_()
    t = leaf.clone()
    return t, t, leaf


def make_view():
    leaf = start().requires_grad_()
    base = torch.cat([leaf, leaf], 1)
    return base[:, ::2], base, leaf


def make_base():
    leaf = start().requires_grad_()
    t = leaf.clone()
    return t, t.view(-1), leaf


MADE = {"plain": make_plain, "computed": make_computed, "view": make_view, "base": make_base}


def describe(t, leaf):
    """Return the elements of ``t``, and the gradient of a leaf that belongs to them; ``stale`` if that is refused."""
    weights = torch.arange(1.0, t.numel() + 1).view(t.shape)
    if leaf is None:
        return t.tolist(), None
    try:
        return t.tolist(), torch.autograd.grad((t * weights).sum(), leaf)[0].tolist()
    except RuntimeError:
        return t.tolist(), "stale"


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_is_interrupted_anywhere(name, made):
    def prepare():
        torch.manual_seed(0)
        return MADE[made]()

    _, seen, leaf = prepare()
    whole = [describe(seen, leaf)]
    try:
        t, seen, leaf = prepare()
        WRITES[name](t)
    except RuntimeError:
        assert leaf is not None  # ``out`` with a gradient, for example, is refused
        return
    whole.append(describe(seen, leaf))
    moment, more = 1, True
    while more:
        t, seen, leaf = prepare()
        version = seen._version
        more = interrupt_at(moment, lambda t=t: WRITES[name](t))
        found = describe(seen, leaf)
        assert found in whole or found[1] == "stale" or leaf is None, moment
        assert found[0] == whole[0][0] or seen._version > version, moment
        moment += 1 + moment // 40
    assert moment > 5


def test_values_that_were_saved_before_an_interrupted_write_are_reported():
    moment, more = 1, True
    while more:
        x, w = torch.ones(2), torch.ones(2, requires_grad=True)
        y = (w * x).sum()
        more = interrupt_at(moment, lambda x=x: x.add_(1))
        x.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
        moment += 1
    assert moment > 5
