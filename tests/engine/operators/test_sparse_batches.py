"""Batches of matrices in compressed layouts, with blocks and dense dimensions: values, refusals and gradients."""

import pytest

import tensh
import tensh as torch

ROWS = [[[1.0, 0, 2], [0, 3, 0]], [[0, 4, 0], [5, 0, 6]]]
NAMES = """
A = torch.tensor(ROWS)
U = torch.tensor([[[1.0, 0, 2], [0, 3, 0]], [[0, 4, 0], [0, 0, 6]]])
E = torch.zeros(2, 4, 4); E[:, :2, :2] = torch.arange(8.0).view(2, 2, 2); E[:, 2:, 2:] = 2; E[:, :2, 2:] = 3
H = torch.zeros(2, 2, 3, 2); H[:, 0, 1] = 1.0; H[:, 1, 2] = 2.0
csr = A.to_sparse_csr(); bsr = E.to_sparse_bsr((2, 2)); csc = A.to_sparse_csc(); bsc = E.to_sparse_bsc((2, 2))
starts, others, v = [[0, 1, 2], [0, 1, 2]], [[0, 1], [1, 0]], [[1.0, 2], [3, 4]]
make = torch.sparse_csr_tensor
"""
CASES = """
csr; csc; bsr; bsc; A[None].to_sparse_csr(); U.to_sparse_csr(); U.to_sparse_csc(); torch.zeros(0, 3, 4).to_sparse_csr()
csr.to_dense(); csc.to_dense(); bsr.to_dense(); bsc.to_dense(); E.to_sparse_bsr((4, 2)).to_dense(); E.to_sparse_bsr((3, 2))
H.to_sparse_csr(dense_dim=1); H.to_sparse_csc(dense_dim=1).to_dense(); H.to_sparse_bsr((2, 1), dense_dim=1)
H.to_sparse_bsr((1, 3), dense_dim=1).to_dense(); H[0].to_sparse_bsc((2, 3), dense_dim=1).to_dense()
csr.to_sparse(); csc.to_sparse(); bsc[0].to_sparse(); E.to_sparse(layout=torch.sparse_bsr); csr.to_sparse_csc(); csc.to_sparse_csr(); bsr.to_sparse(); bsr.to_sparse_bsc((2, 2)); bsr.to_sparse_csr()
bsr.to_sparse_bsr((1, 1)); csr.to_sparse_bsr((1, 1)); A.to_sparse().to_sparse_csr(); A.to_sparse().to_sparse_bsr((1, 1))
csr.sparse_dim(), csr.dense_dim(), csr._nnz(); H.to_sparse_csr(dense_dim=1).dense_dim(); csr.values(); csc.row_indices()
make(starts, others, v); make(starts, others, v, (2, 2, 3)).to_dense(); torch.sparse_bsr_tensor([[0, 1]] * 2, [[0], [1]], torch.ones(2, 1, 2, 2))
make(starts, others, v, (2, 2), check_invariants=True); make(starts, others[:1], v, (2, 2, 2), check_invariants=True)
make(starts, others, v, (3, 2, 2), check_invariants=True); make([[0, 1, 2], [0, 1, 3]], others, v, check_invariants=True)
make(starts, [[0, 1], [1, 5]], v, (2, 2, 2), check_invariants=True); make([[0, 1, 2], [1, 1, 2]], others, v, check_invariants=True)
make([[0, 2, 2]] * 2, others, v, check_invariants=True); make(starts, [0, 1], [1.0, 2], (2, 2, 2), check_invariants=True)
torch.sparse_bsr_tensor([[0, 1]] * 2, [[0], [1]], torch.ones(2, 1, 2), (2, 2, 4), check_invariants=True)
torch.sparse_bsr_tensor([[0, 1]] * 2, [[0], [1]], torch.ones(2, 1, 2, 2), (2, 2, 5), check_invariants=True)
csr[1]; csr[1, 0]; csr[1, 1, 2]; csc[0]; bsr[0]; csr.select(1, 0); bsr[0][0]; list(csr); csr.unbind()
csr.mT; csr.transpose(0, 1); A[None].to_sparse_csr().transpose(0, 1); bsr.transpose(1, 2); csr.t(); csr.permute(0, 2, 1)
csr.bmm(torch.ones(2, 3, 2)); bsr[0] @ torch.ones(4, 2); bsc[0] @ torch.ones(4, 2); torch.sparse.mm(csr, A)
torch.sparse.sampled_addmm(csr, torch.ones(2, 2, 2), torch.ones(2, 2, 3)); csr * 2; A + csr; csr + A; csr.abs(); bsr * 2; -csr
csr.sum(); csr.sum(1); csr.double(); csr.clone(); torch.zeros_like(csr); torch.ones_like(csr); torch.zeros(2, 2, 3, layout=torch.sparse_csr)
torch.zeros(2, 2, 4, layout=torch.sparse_bsr); (A * 2).sparse_mask(csr); csr.clone().mul_(2); csr.clone().fill_(2); csr.clone().zero_()
csr.sqrt().values(); torch.cat([csr] * 2); torch.stack([csr[0]] * 2); csr.index_select(0, torch.tensor([1])); csr.expand(2, 2, 2, 3)
torch.testing.assert_close(csr, csr.clone()); torch.testing.assert_close(csr, csr * 2); torch.testing.assert_close(csr, csc)
torch.testing.assert_close(csr, A, check_layout=False); torch.testing.assert_close(A.to_sparse(), A.to_sparse() * 2)
torch.testing.assert_close(A.to_sparse(), U.to_sparse()); torch.testing.assert_close(A.to_sparse(), A.mT.to_sparse().mT.coalesce())
"""


def answers(torch):
    """What each case gives: the text of its value, or the type and the beginning of its error."""
    space = {"torch": torch, "ROWS": ROWS}
    exec(NAMES, space)
    for case in CASES.replace("\n", ";").split(";"):
        try:
            yield case, repr(eval(case.strip() or "None", space))
        except Exception as error:
            yield case, f"{type(error).__name__}: {str(error)[:70]}"


@pytest.mark.filterwarnings("ignore:Sparse")
def test_they_are_pytorchs(oracle):
    expected, found = dict(answers(oracle)), dict(answers(tensh))
    assert {case: text for case, text in found.items() if text != expected[case]} == {}


PROGRAMS = {
    "csr": lambda x: x.to_sparse_csr().to_dense(),
    "csc and back": lambda x: x.to_sparse_csc().to_sparse_csr().to_dense(),
    "blocks": lambda x: x.to_sparse_bsr((1, 3)).to_sparse_bsc((1, 3)).to_dense().sin(),
    "coo": lambda x: x.to_sparse_csr().to_sparse_coo().to_dense(),
    "transposed": lambda x: x.to_sparse_bsr((2, 1)).mT.to_dense(),
    "one of the batch": lambda x: x.to_sparse_csr()[1].to_dense(),
    "values": lambda x: x.to_sparse_csr().values().pow(2),
    "dense plus sparse": lambda x: x.sin() + x.to_sparse_bsr((2, 1)),
    "sum and mask": lambda x: (
        x.to_sparse_csr().sum() + x.exp().sparse_mask(x.detach().to_sparse_bsr((1, 1))).to_dense()
    ),
    "product of blocks": lambda x: x[0].to_sparse_bsr((1, 3)) @ torch.arange(6.0, dtype=torch.float64).view(3, 2),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_gradients_reach_what_they_were_made_of(program):
    """Where there is a value.

    Elsewhere, finite differences change which values there are, and have another gradient.
    """
    x = torch.tensor(ROWS, dtype=torch.float64, requires_grad=True)
    there, held = x.detach() != 0, x.detach()[x.detach() != 0].requires_grad_()
    fill = lambda values: torch.zeros_like(x).masked_scatter(there, values)  # noqa: E731
    assert torch.autograd.gradcheck(lambda values: program(fill(values)), held)
