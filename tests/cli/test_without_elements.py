"""Sparse, nested, masked and meta tensors in every command that shows tensors: none of them fails."""

from contextlib import closing

import pytest

import tensh as torch
from tensh.cli.session.files.saving import load, save
from tensh.cli.session.session import Session
from tensh.cli.session.undo import Snapshot
from tensh.graph.kept import KeepSaved
from tests.support.sessions import run

SETUP = """
import tensh, tensh as torch
m = torch.ones(3, 4, device="meta", requires_grad=True)
s = torch.eye(2).to_sparse().requires_grad_()
c = torch.eye(2).to_sparse_csr()
b = torch.sparse_coo_tensor(torch.tensor([[9]]), torch.ones(1), (10**8,))
w = torch.ones(2, 2, requires_grad=True)
n = torch.nested.nested_tensor([torch.ones(1), torch.ones(2)], requires_grad=True)
j = torch.nested.nested_tensor([torch.ones(1), torch.ones(2)], layout=torch.jagged, requires_grad=True)
k = torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False]))
"""
PASSES = """
(m * 2).sum().backward()
z = torch.sparse.mm(s, w).sum()
z.backward()
e = torch.nn.Embedding(5, 2, sparse=True)
l = e(torch.tensor([1, 1, 3])).sum()
l.backward()
"""
LINES = [
    "m", "s", "c", "b", "m * 2", "%who", "%grads", "%graph z", "%graph l", "%graph (m * 2).sum()", "%why s.grad",
    "%why w.grad", "%why e.weight.grad", "%step l", "%trace s @ w", "%trace m + 1", "m?", "s?", "c?", "e?", "%heat s",
    "%hist c", "%cmp s c", "%plot s", "%full s", "%full m", "[m, s]", "{'s': s, 'm': m}", "z", "e",
    "n", "j", "k", "n + 1", "j * 2", "k + 1", "n?", "j?", "k?", "[n, j, k]", "{'n': n, 'j': j, 'k': k}", "%full n", "%full j", "%hist n",
    "%hist j", "%hist k", "%plot j", "%heat j", "%predict n", "%predict j", "%why n", "%graph j.sum()", "%trace j * 2",
    "tensh.show.contents([n, j, k] * 9)", "[n, j, k] * 9",
]  # fmt: skip
REFUSED = {
    "%heat m": "no elements",
    "%hist b": "too large to show",
    "%cmp m m": "no elements",
    "float(m.sum())": "meta tensors",
}


pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's, of masked tensors and of float()


@pytest.fixture
def session():
    with KeepSaved(), closing(Session()) as found:  # as at the prompt
        run(SETUP + PASSES, found)
        yield found


def show(line, session):
    """Run a line and draw its values as at the prompt; return its failure, or None."""
    events = run(line, session)
    from tensh.cli.render import values
    from tensh.show.drawing.page import Page

    for event in events:
        if hasattr(event, "value"):
            [*values.render_value(event.value, Page(), line, False)]
    return next((event.failure for event in events if hasattr(event, "failure")), None)


@pytest.mark.parametrize("line", LINES)
def test_they_are_shown(session, line):
    failure = show(line, session)
    assert failure is None, failure.message


@pytest.mark.parametrize(("line", "why"), REFUSED.items())
def test_commands_that_need_elements_say_so(session, line, why):
    failure = show(line, session)
    assert why in failure.message and "Sparsity" not in failure.kind and "Absence" not in failure.kind


def test_they_are_undone(session):
    """Writes to values of a sparse tensor are taken back; the other lines change nothing."""
    before = Snapshot(session, None)
    run("with torch.no_grad(): s.mul_(3)\nm2 = m + 1", session)
    assert before.compare() and set(before.changes()) == {"m2", "s"}
    before.restore()
    assert session.namespace["s"].detach().to_dense().tolist() == [[1, 0], [0, 1]]
    nothing = Snapshot(session, None)
    run("s\nm\nb\nc", session)
    assert not nothing.compare()


def test_they_are_saved(session, tmp_path):
    path = tmp_path / "a.safetensors"
    run(
        "v = torch.eye(4).to_sparse_bsr((2, 2)); u = torch.tensor([[0, 0]]); t = torch.sparse_coo_tensor(u, torch.ones(2), (3,))",
        session,
    )
    run("steps = torch.empty(2, 3, device='meta').t()", session)
    _, left, _ = save(session, path, "")
    assert not {"m", "s", "c", "b", "v", "t", "steps"} & set(left)
    fresh = Session()
    load(fresh, path)
    for name in ("s", "c", "v", "t"):
        one, other = fresh.namespace[name], session.namespace[name]
        assert one.layout is other.layout and one.requires_grad == other.requires_grad
        assert torch.equal(one.detach().to_dense(), other.detach().to_dense())
    assert not fresh.namespace["t"].is_coalesced() and fresh.namespace["b"].shape == (10**8,)
    assert torch.equal(fresh.namespace["s"].grad.to_dense(), session.namespace["s"].grad.to_dense())
    assert fresh.namespace["m"].is_meta and fresh.namespace["m"].requires_grad
    assert fresh.namespace["steps"].stride() == (1, 3)
