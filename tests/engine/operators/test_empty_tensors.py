"""Operators on tensors without elements, beside PyTorch: a kernel that reads what lies behind an empty array finds nan."""

import itertools

import pytest

import tensh

REDUCTIONS = "sum prod nansum mean std var norm any all count_nonzero".split()
ALONG = "cumsum cumprod logcumsumexp softmax log_softmax logsumexp sort argsort".split()
CALLS = {  # expression -> the shapes of a and b
    **{f"torch.{name}(a)": [(3, 0)] for name in REDUCTIONS},
    **{f"torch.{name}(a, dim={dim})": [(3, 0, 4)] for name in REDUCTIONS for dim in range(3)},
    **{
        f"torch.{name}(a, dim={dim}, keepdim=True)": [(0, 3, 2)] for name in ("sum", "prod", "mean") for dim in range(3)
    },
    **{f"torch.{name}(a, {dim})": [(3, 0, 4)] for name in ALONG for dim in range(3)},
    # products
    "torch.addmm(torch.ones(3, 4), a, b)": [(3, 0), (0, 4)],
    "torch.addmm(torch.ones(3, 4), a, b, beta=0)": [(3, 0), (0, 4)],
    "torch.addmv(torch.ones(3), a, b)": [(3, 0), (0,)],
    "torch.baddbmm(torch.ones(2, 3, 4), a, b)": [(2, 3, 0), (2, 0, 4)],
    "torch.addbmm(torch.ones(3, 4), a, b)": [(2, 3, 0), (2, 0, 4)],
    "torch.addbmm(torch.ones(3, 2), a, b)": [(0, 3, 2), (0, 2, 2)],
    "torch.tensordot(a, b, 2)": [(3, 0, 2), (0, 2, 4)],
    "torch.einsum('i,i->', a, b)": [(0,), (0,)],
    "torch.einsum('ij->i', a)": [(3, 0)],
    "torch.einsum('ij,ij->i', a, b)": [(3, 0), (3, 0)],
    "torch.einsum('bij,bjk->ik', a, b)": [(0, 3, 2), (0, 2, 4)],
    "torch.inner(a, b)": [(0,), (0,)],
    "torch.vdot(a, b)": [(0,), (0,)],
    "torch.kron(a, b)": [(0, 2), (3, 4)],
    "torch.linalg.multi_dot([a, b, torch.ones(4, 2)])": [(3, 0), (0, 4)],
    "torch.linalg.vecdot(a, b)": [(2, 0), (2, 0)],
    # linear algebra
    "torch.cdist(a, b)": [(3, 0), (4, 0)],
    "torch.cov(a)": [(2, 0)],
    "torch.trace(a)": [(0, 3)],
    "torch.linalg.det(a)": [(2, 0, 0)],
    "torch.linalg.matrix_power(a, 0)": [(0, 0)],
    "torch.linalg.matrix_norm(a)": [(0, 3)],
    "torch.linalg.matrix_rank(a)": [(3, 0)],
    "torch.linalg.pinv(a)": [(0, 3)],
    "torch.linalg.lstsq(a, b).solution": [(0, 3), (0, 2)],
    "torch.linalg.qr(a, mode='complete').Q": [(3, 0)],
    "torch.linalg.svd(a).U": [(3, 0)],
    # indices
    "torch.zeros(3, 4).index_add(0, none, a)": [(0, 4)],
    "torch.zeros(3, 4).index_reduce(0, none, a, 'mean')": [(0, 4)],
    "torch.zeros(3, 4).scatter_add(0, none.expand(4, 0).t(), a)": [(0, 4)],
    "torch.zeros(3, 4).scatter_reduce(0, none.expand(4, 0).t(), a, 'amax')": [(0, 4)],
    "torch.zeros(3).index_put((none,), a, accumulate=True)": [(0,)],
    "torch.bincount(none, minlength=3)": [],
    "torch.bincount(none, a, minlength=3)": [(0,)],
    "torch.histc(a, 3, 0, 1)": [(0,)],
    "torch.searchsorted(a, torch.ones(3))": [(0,)],
    "torch.cat([a, torch.ones(2, 3)])": [(0, 3)],
    # layers
    "F.cosine_similarity(a, b)": [(3, 0), (3, 0)],
    "F.pairwise_distance(a, b)": [(3, 0), (3, 0)],
    "F.mse_loss(a, b)": [(0,), (0,)],
    "F.l1_loss(a, b, reduction='sum')": [(0, 3), (0, 3)],
    "F.cross_entropy(a, none, reduction='sum')": [(0, 3)],
    "F.cross_entropy(a, none)": [(0, 3)],
    "F.embedding_bag(none, torch.ones(4, 3), torch.tensor([0, 0]))": [],
    "F.pad(a, (1, 1))": [(3, 0)],
    "F.pad(a, (0, 0, 1, 1))": [(0, 3)],
    "F.scaled_dot_product_attention(a, b, torch.ones(2, 5, 4))": [(2, 3, 0), (2, 5, 0)],
}
SLOPES = {  # expression -> the shape of w, whose gradient is compared, and those of a and b
    "F.linear(a, w)": [(4, 3), (2, 0, 3)],
    "F.conv2d(a, w)": [(4, 2, 3, 3), (0, 2, 5, 5)],
    "F.conv_transpose1d(a, w)": [(2, 4, 3), (0, 2, 5)],
    "F.embedding(none, w)": [(4, 3)],
    "a @ w": [(3, 4), (0, 3)],
    "torch.bmm(a, w.expand(2, 3, 4))": [(3, 4), (2, 0, 3)],
    "torch.addmm(w, a, b)": [(3,), (0, 4), (4, 3)],
    "torch.einsum('bi,ij->bj', a, w)": [(3, 4), (0, 3)],
    "torch.outer(a, w)": [(4,), (0,)],
    "torch.kron(a, w)": [(2, 2), (0, 3)],
    "torch.cdist(a, w)": [(4, 3), (0, 3)],
    "torch.where(a > 0, a, w)": [(3,), (0, 3)],
    "torch.lerp(a, a, w)": [(3,), (0, 3)],
    "a * w": [(3,), (0, 3)],
    "a.pow(w)": [(3,), (0, 3)],
    "w.expand(0, 3) * 1": [(3,)],
    "w[none]": [(3, 4)],
    "w.gather(0, none.expand(4, 0).t())": [(3, 4)],
    "F.bilinear(a, b, w)": [(5, 3, 2), (0, 3), (0, 2)],
    "F.layer_norm(a, (3,), w)": [(3,), (0, 3)],
    "F.group_norm(a, 2, w)": [(4,), (0, 4, 3)],
    "F.rms_norm(a, (3,), w)": [(3,), (0, 3)],
    "F.prelu(a, w)": [(3,), (0, 3)],
    "torch.lstm_cell(a, (b, b), w, w)[0]": [(16, 4), (0, 4), (0, 4)],
}


def views_of_nothing(torch, shape):
    """Yield empty tensors of a shape whose strides differ, with nan in the memory behind them."""
    part = tuple(slice(size) for size in shape)
    yield torch.empty(shape)
    yield torch.full([size + 4 for size in shape], torch.nan)[part]
    yield torch.full([size + 4 for size in reversed(shape)], torch.nan).permute(*reversed(range(len(shape))))[part]
    yield torch.full((), torch.nan).expand(shape)


def evaluate(torch, expression, shapes, w=None):
    """Return what the expression gives for all views, or the gradients of ``w`` if it is a shape; -0 counts as 0."""
    found = []
    for operands in itertools.product(*[views_of_nothing(torch, shape) for shape in shapes]):
        named = dict(zip("ab", operands)) | {"none": torch.empty(0, dtype=torch.long)}
        if w is not None:
            named["w"] = torch.ones(w).requires_grad_()
        result = eval(expression, {"torch": torch, "F": torch.nn.functional, **named})
        if w is not None:
            result.sum().backward()
            result = named["w"].grad
        results = result if isinstance(result, tuple) else [result]
        found.append(
            [(tuple(each.shape), str(each.dtype).split(".")[-1], repr((each + 0).tolist())) for each in results]
        )
    return found


@pytest.mark.oracle
@pytest.mark.parametrize("expression", CALLS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_results_are_pytorchs(expression, oracle):
    shapes = CALLS[expression]
    assert evaluate(tensh, expression, shapes) == evaluate(oracle, expression, shapes)


@pytest.mark.oracle
@pytest.mark.parametrize("expression", SLOPES)
def test_gradients_are_pytorchs(expression, oracle):
    w, *shapes = SLOPES[expression]
    assert evaluate(tensh, expression, shapes, w) == evaluate(oracle, expression, shapes, w)
