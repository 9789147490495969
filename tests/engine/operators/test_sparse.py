"""Sparse tensors, beside what tests/recorded/sessions/sparse.md records: gradients, refusals, copies."""

import copy
import io
import pickle

import pytest

import tensh as torch

INDEX = torch.tensor([[0, 1, 1], [2, 0, 2]])
VALUES = torch.tensor([3.0, 4.0, 5.0], dtype=torch.float64)


def coo(values=VALUES):
    return torch.sparse_coo_tensor(INDEX, values, (2, 3))


DENSE = torch.arange(6.0, dtype=torch.float64).reshape(3, 2)
PROGRAMS = {
    "to_dense": lambda s: s.to_dense().pow(2),
    "product": lambda s: (s @ DENSE).pow(2),
    "product from the left": lambda s: (DENSE @ s).pow(2),
    "torch.sparse.mm": lambda s: torch.sparse.mm(s, s.t()).to_dense().pow(2),
    "addmm": lambda s: torch.sparse.addmm(torch.ones(2, 2, dtype=torch.float64), s, DENSE, beta=2, alpha=3).pow(2),
    "vector": lambda s: (s @ DENSE[:, 0]).pow(2),
    "sum of two": lambda s: (s + s * 2 - coo()).to_dense().pow(2),
    "dense plus sparse": lambda s: (DENSE.t() + s).pow(2),
    "product of elements": lambda s: (s * s).to_dense() + (s * DENSE.t()).to_dense(),
    "sums": lambda s: torch.sparse.sum(s, 0).to_dense().pow(2),
    "softmax": lambda s: torch.sparse.softmax(s, 1).to_dense().pow(2),
    "log_softmax": lambda s: torch.sparse.log_softmax(s, 1).to_dense(),
    "values": lambda s: s.coalesce().values().pow(2),
    "shapes": lambda s: torch.stack([s.t().unsqueeze(0), s.transpose(0, 1)[None]]).to_dense().pow(2),
    "index_select": lambda s: s.index_select(1, torch.tensor([2, 0, 2])).to_dense().pow(2),
    "compressed": lambda s: s.to_sparse_csr().to_dense().pow(2) + s.to_sparse_csc().to_dense(),
    "functions of zero": lambda s: s.sin().to_dense() + s.sqrt().to_dense(),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_first_and_second_derivatives_by_the_values(program):
    """Compare with difference quotients."""
    values = VALUES.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda v: program(coo(v)), values)
    assert torch.autograd.gradgradcheck(lambda v: program(coo(v)), values)


def test_the_gradient_of_a_sparse_leaf_has_its_places():
    leaf = coo().requires_grad_()
    torch.sparse.mm(leaf, DENSE).sum().backward()
    assert leaf.grad.is_sparse
    assert leaf.grad._indices().equal(INDEX)
    assert leaf.grad._values().tolist() == [9, 1, 9]
    torch.sparse.sum(leaf).backward()
    assert leaf.grad.to_dense().tolist() == [[0, 0, 10], [2, 0, 10]]


def test_gradients_of_embeddings_are_sparse_where_that_is_asked_for():
    layer = torch.nn.Embedding(4, 2, sparse=True, padding_idx=2)
    layer(torch.tensor([1, 1, 2, 3])).sum().backward()
    assert layer.weight.grad.is_sparse
    assert layer.weight.grad._nnz() == 3
    assert layer.weight.grad.to_dense().tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]
    layer(torch.tensor([0])).sum().backward()
    assert layer.weight.grad.to_dense().tolist() == [[1, 1], [2, 2], [0, 0], [1, 1]]
    (layer.weight * 2).sum().backward()
    assert not layer.weight.grad.is_sparse
    assert layer.weight.grad.tolist() == [[3, 3], [4, 4], [2, 2], [3, 3]]


def test_bags_have_sparse_gradients():
    layer = torch.nn.EmbeddingBag(4, 2, sparse=True, mode="sum")
    (layer(torch.tensor([[1, 2], [1, 0]])) * torch.tensor([[1.0], [10.0]])).sum().backward()
    assert layer.weight.grad.is_sparse
    assert layer.weight.grad.to_dense().tolist() == [[10, 10], [11, 11], [1, 1], [0, 0]]


REFUSED = {
    "exp": lambda s: s.exp(), "eq.Tensor": lambda s: s == s, "view": lambda s: s.view(6), "mean.dim": lambda s: s.mean(),
    "as_strided": lambda s: s[1:], "index.Tensor": lambda s: s[torch.tensor([0])], "clamp": lambda s: s.clamp(0),
    "fill_.Scalar": lambda s: s.fill_(1), "max.dim": lambda s: s.max(0), "reciprocal": lambda s: 2 / s,
    "_softmax": lambda s: torch.softmax(s, 1), "equal": lambda s: torch.equal(s, s), "max": lambda s: s.max(),
}  # fmt: skip


@pytest.mark.parametrize("name, call", REFUSED.items(), ids=REFUSED)
def test_an_operator_without_a_rule_is_refused_by_pytorchs_name(name, call):
    with pytest.raises(
        NotImplementedError, match=f"^Could not run 'aten::{name}' with arguments from the 'SparseCPU' backend"
    ):
        call(coo())


WITHOUT_ELEMENTS = {
    "coo": lambda whole, part: torch.sparse_coo_tensor(whole(2, 3), part(3), (2, 2)),
    "csr": lambda whole, part: torch.sparse_csr_tensor(whole(3), whole(2), part(2), (2, 2)),
    "some of them": lambda whole, part: torch.sparse_coo_tensor([[0, 1]], part(2), (2,)),
    "in files": lambda whole, part: torch.load(saved(coo()), map_location="meta"),
}


def saved(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file


@pytest.mark.parametrize("name", WITHOUT_ELEMENTS)
def test_none_is_without_elements(name):
    def whole(*size):
        return torch.empty(size, dtype=torch.long, device="meta")

    with pytest.raises(RuntimeError, match="sparse tensors? on the device 'meta'"):
        WITHOUT_ELEMENTS[name](whole, lambda *size: torch.empty(size, device="meta"))


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda t: pickle.loads(pickle.dumps(t)), "clone": lambda t: t.clone()}


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_copies_have_memory_of_their_own(duplicate, layout):
    t = coo(VALUES.clone()).coalesce().to_sparse(layout=layout)
    twin = duplicate(t)
    assert twin.layout is layout
    assert twin.dtype is t.dtype
    t.values().mul_(2)
    assert twin.to_dense().tolist() == [[0, 0, 3], [4, 0, 5]]
    assert t.to_dense().tolist() == [[0, 0, 6], [8, 0, 10]]


def test_writes_in_place():
    t = coo()
    assert t.mul_(2) is t
    assert t.add_(coo()).to_dense().tolist() == [[0, 0, 9], [12, 0, 15]]
    dense = torch.ones(2, 3, dtype=torch.float64)
    dense.add_(t, alpha=-1)
    assert dense.tolist() == [[1, 1, -8], [-11, 1, -14]]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        coo().requires_grad_().mul_(2)


def test_a_place_outside_is_found_when_it_is_used():
    with pytest.raises(IndexError, match="index 2 is out of bounds for dimension 1 with size 2"):
        torch.sparse_coo_tensor(INDEX, VALUES, (2, 2)).to_dense()


def test_invariants_can_be_checked():
    check = torch.sparse.check_sparse_tensor_invariants
    with check():
        assert check.is_enabled()
        with pytest.raises(
            RuntimeError, match="size is inconsistent with indices: for dim 1, size is 2 but found index 2"
        ):
            torch.sparse_coo_tensor(INDEX, VALUES, (2, 2))
    assert not check.is_enabled()


def test_files_hold_sparse_tensors():
    file = io.BytesIO()
    torch.save({"a": coo()}, file)
    file.seek(0)
    torch.testing.assert_close(torch.load(file)["a"], coo())


@pytest.mark.parametrize("place", [("cpu",), (torch.device("cpu"),), ("cpu", torch.float64)], ids=str)
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_they_are_where_they_are_moved_to(layout, place):
    t = coo().to_sparse(layout=layout)
    assert t.to(*place) is t
