"""Views, joins and the memory they share; random programs beside PyTorch itself."""

import numpy as np
import pytest

import tensh as torch
from tensh.engine.arrays import memory
from tests.support import view_programs as programs

# ── memory ───────────────────────────────────────────────────────────────────
VIEWS = {
    "view": lambda t: t.view(-1), "reshape": lambda t: t.reshape(4, 3), "t": lambda t: t.t(), "T": lambda t: t.T,
    "permute": lambda t: t.permute(1, 0), "unsqueeze": lambda t: t.unsqueeze(1), "expand": lambda t: t.expand(2, 3, 4),
    "select": lambda t: t.select(1, 2), "slice": lambda t: t[1:, ::2], "index": lambda t: t[..., None, 1], "diagonal": lambda t: t.diagonal(1),
    "unfold": lambda t: t.unfold(1, 2, 1), "narrow": lambda t: t.narrow(1, 1, 2), "as_strided": lambda t: t.as_strided((2, 2), (1, 5), 2),
    "split": lambda t: t.split(2, 1)[1], "unbind": lambda t: t.unbind(1)[3], "detach": lambda t: t.detach(),
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("strided", [False, True])
def test_views_share_memory(name, strided):
    t = torch.arange(24.0).view(6, 4)[::2] if strided else torch.arange(12.0).view(3, 4)
    if strided and name in ("view", "reshape"):
        return
    view = VIEWS[name](t)
    assert np.shares_memory(t.numpy(), view.numpy())
    assert view.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    if name != "expand":
        view.fill_(100.0)
        assert t.max() == 100.0
        assert t._version == view._version == (2 if strided and name == "detach" else 1) or strided


def test_a_view_of_memory_from_elsewhere():
    """Memory whose owner is no NumPy array can be seen in other strides, too."""
    array = np.lib.stride_tricks.as_strided(np.arange(6.0), (3, 2), (8, 16))
    t = torch.from_numpy(array)
    assert t.as_strided((2,), (2,)).tolist() == [0.0, 2.0]
    assert t.t().unsqueeze(0).stride() == (4, 2, 1)


def test_a_chain_of_views_stays_small():
    """However long it is, a view knows its base and its place; writes through it are still seen by the base."""
    base = torch.zeros(4, 4, requires_grad=True) * 1.0
    view = base
    for _ in range(5000):
        view = view.t()[:, :]
    view[0] = torch.ones(4, requires_grad=True)
    assert base._version == 1
    assert view._base is base
    assert [n.name() for n, _ in base.grad_fn.next_functions if n is not None][0] == "MulBackward0"


# ── history ──────────────────────────────────────────────────────────────────
def test_a_view_of_a_written_base_asks_it_again():
    leaf = torch.ones(3, requires_grad=True)
    base = leaf * 2
    view = base[1:]
    base.mul_(torch.tensor([1.0, 10.0, 100.0]))
    assert view.grad_fn.name() == "AsStridedBackward0"
    assert view.grad_fn.next_functions[0][0] is base.grad_fn
    assert torch.autograd.grad(view.sum(), leaf)[0].tolist() == [0.0, 20.0, 200.0]


def test_a_view_made_without_recording():
    """It requires grad with its base, ends the graph, and must not be written, or used after its base was."""
    base = torch.ones(3, requires_grad=True) * 2
    with torch.no_grad():
        view = base[1:]
    assert view.requires_grad and view.is_leaf and view.grad_fn is None
    assert (view * 2).grad_fn.next_functions[0] == (None, 0)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        view.mul_(2)
    base.mul_(2)
    with pytest.raises(RuntimeError, match="and its base or another view of its base has been modified inplace"):
        view + 1
    with torch.no_grad():
        assert (view + 1).tolist() == [5.0, 5.0]
    assert repr(view) == "tensor([4., 4.], grad_fn=<Invalid>)"


def test_views_made_together_are_locked():
    base = torch.ones(4, requires_grad=True) * 2
    one, other = base.split(2)
    with pytest.raises(RuntimeError, match="Output 1 of Split is a view and is being modified inplace"):
        other.zero_()
    assert one.grad_fn is other.grad_fn
    base.add_(1)
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view and its base or another view"):
        one * 2


# ── random programs ──────────────────────────────────────────────────────────
def close(one, two):
    """Are two nested results equal, numbers up to rounding?"""
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(close(a, b) for a, b in zip(one, two, strict=True))
    if isinstance(one, float) and isinstance(two, float):
        return one == two or abs(one - two) <= 1e-9 * max(1.0, abs(one))
    return one == two


EMPTY = "setStorage"  # PyTorch looks at the memory of a diagonal without elements, too


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_programs_of_views_and_writes(oracle, first):
    """Views, writes and arithmetic in any order: shapes, strides, values, versions, graphs, gradients of two orders."""
    for seed in range(first, first + 50):
        steps = programs.program(seed)
        for number, (expected, actual) in enumerate(
            zip(programs.run(oracle, steps), programs.run(torch, steps), strict=True)
        ):
            if expected[0] is not None and ("memory location" in expected[0][1] or EMPTY in expected[0][1]):
                break
            assert close(expected, actual), f"program {seed}, step {number}: {[*steps, 'gradients'][number]}"


def test_numpy_makes_the_views_of_a_reshape(monkeypatch):
    x = torch.arange(24).reshape(4, 6)
    expected = {(-1, 1): (6, 6), (2, 2): (12, 6), (4,): (6,)}
    monkeypatch.setattr(memory, "view_strided", None)  # fifteen times as slow
    for size, stride in expected.items():
        column = x[:, 1].reshape(size)
        assert column.stride() == stride and column._base is x._base and column.flatten().tolist() == [1, 7, 13, 19]
