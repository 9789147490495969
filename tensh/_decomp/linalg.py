"""Decompositions of matrix products."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.steps import products
from tensh._aten.steps.shapes import product, reshape
from tensh._decomp.rules import count, rule
from tensh.engine.operators.linalg.composites.distances import is_by_product

ops = torch.ops.aten
rule("linear")(products.linear)
rule("matmul")(products.matmul)


@rule("mv")
def mv(self, vec):
    return ops.sum.dim_IntList(aten("mul", self, vec), [1])


@rule("dot", "vdot", "inner")
def dot(self, tensor):
    if self.dim() != 1 or tensor.dim() != 1:
        return NotImplemented
    return ops.sum.dim_IntList(aten("mul", self, tensor), [])


def combine(self, product, beta, alpha):
    """Return ``beta * self + alpha * product``."""
    product = product if alpha == 1 else ops.mul.Tensor(product, alpha)
    return aten("add", self if beta == 1 else ops.mul.Tensor(self, beta), product)


@rule("baddbmm")
def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
    return combine(self, aten("bmm", batch1, batch2), beta, alpha)


@rule("addmv")
def addmv(self, mat, vec, *, beta=1, alpha=1):
    return combine(self, mv(mat, vec), beta, alpha)


@rule("addr")
def addr(self, vec1, vec2, *, beta=1, alpha=1):
    return combine(self, outer(vec1, vec2), beta, alpha)


@rule("outer", "ger")
def outer(self, vec2):
    return aten("mul", aten("view", self, [self.shape[0], 1]), vec2)


@rule("kron")
def kron(self, other):
    if self.dim() != other.dim():
        return NotImplemented
    one = [size for each in self.shape for size in (each, 1)]
    two = [size for each in other.shape for size in (1, each)]
    product = aten("mul", aten("view", self, one), aten("view", other, two))
    return aten("view", product, [a * b for a, b in zip(self.shape, other.shape)])


@rule("linalg_cross", "cross")
def cross(self, other, dim=-1):
    if dim is None or self.shape != other.shape:
        return NotImplemented
    dim %= self.dim()
    place = count(3)

    def turned(tensor, by):
        return aten("index_select", tensor, dim, ops.remainder.Scalar(ops.add.Tensor(place, by), 3))

    one = aten("mul", turned(self, 1), turned(other, 2))
    two = aten("mul", turned(self, 2), turned(other, 1))
    return aten("sub", one, two)


@rule("bilinear")
def bilinear(input1, input2, weight, bias=None):
    one, two = (aten("view", each, [-1, each.shape[-1]]) for each in (input1, input2))
    out = aten("_trilinear", one, weight, two, [1, 3], [0], [1, 2], [2, 3])
    out = aten("view", out, [*input1.shape[:-1], weight.shape[0]])
    return out if bias is None else aten("add", out, bias)


@rule("cosine_similarity")
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    if x1.array.shape != x2.array.shape:
        x2, x1 = (aten("expand", each, products.broadcast(x1.shape, x2.shape)) for each in (x2, x1))
    norms = [aten("clone", aten("linalg_vector_norm", each, 2, [dim], True)) for each in (x1, x2)]
    least = ops.scalar_tensor.default(eps, dtype=x1.dtype, device=torch.device("cpu"))
    first, second = (ops.clamp.Tensor(each, least) for each in norms)
    second = aten("div", x2, second)
    return ops.sum.dim_IntList(aten("mul", aten("div", x1, first), second), [dim])


@rule("pairwise_distance")
def pairwise_distance(x1, x2, p=2, eps=1e-6, keepdim=False):
    apart = ops.add.Scalar(aten("sub", x1, x2), eps)
    return aten("linalg_vector_norm", apart, float(p), [apart.dim() - 1], *((True,) if keepdim else ()))


@rule("cdist")
def cdist(x1, x2, p=2.0, compute_mode=None):
    if not is_by_product(*(tuple(map(int, x.shape)) for x in (x1, x2)), p, compute_mode):
        return aten("_cdist_forward", x1, x2, p, compute_mode)
    batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    stacks = [reshape(aten("expand", x, [*batch, *x.shape[-2:]]), [product(batch), *x.shape[-2:]]) for x in (x1, x2)]
    distances = ops._euclidean_dist.default(*(stacks if batch else (x1, x2)))
    return aten("view", distances, [*batch, x1.shape[-2], x2.shape[-2]])


@rule("_euclidean_dist")
def euclidean_dist(x1, x2):
    """The squared lengths are two more columns of the factors of one product."""
    first, second = (
        (squares, ops.full_like.default(squares, 1, pin_memory=False, memory_format=torch.contiguous_format))
        for squares in (ops.sum.dim_IntList(ops.pow.Tensor_Scalar(x, 2), [-1], True) for x in (x1, x2))
    )
    left = aten("cat", [ops.mul.Tensor(x1, -2), *first], -1)
    right = aten("cat", [x2, *reversed(second)], -1)
    turned = aten("transpose", right, -2, -1)
    squares = aten("mm", left, turned) if x1.dim() == 2 else products.matmul(left, turned)
    return aten("sqrt", ops.clamp.default(squares, 0))


@rule("det", "linalg_det")
def det(self):
    return aten("_linalg_det", self)[0]


@rule("tensordot")
def tensordot(self, other, dims_self, dims_other):
    sides = []
    for tensor, dims, first in ((self, dims_self, False), (other, dims_other, True)):
        summed = [dim % tensor.dim() for dim in dims]
        kept = [dim for dim in range(tensor.dim()) if dim not in summed]
        sizes = [tensor.shape[dim] for dim in kept]
        rows, columns = product(sizes), product([tensor.shape[dim] for dim in summed])
        moved = aten("permute", tensor, [*summed, *kept] if first else [*kept, *summed])
        sides.append((sizes, reshape(moved, [columns, rows] if first else [rows, columns])))
    (left, one), (right, two) = sides
    return aten("view", aten("mm", one, two), [*left, *right])
