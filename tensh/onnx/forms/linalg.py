"""Forms of matrix products and operators that use them."""

import math

import tensh as torch
from tensh.onnx.builder import is_float
from tensh.onnx.forms.table import compose, form


@form("matmul mm bmm mv dot vdot")
def matmul(o, node, self, other=None, mat2=None, vec=None, tensor=None):
    other = next(each for each in (other, mat2, vec, tensor) if each is not None)
    return o.MatMul(self, other)


@form("linear")
def linear(o, node, input, weight, bias=None):
    if input.rank == 2 and bias is not None:
        return o.Gemm(input, weight, bias, transB=1)
    out = o.MatMul(input, weight) if weight.rank == 1 else o.MatMul(input, o.Transpose(weight, perm=[1, 0]))
    return out if bias is None else o.Add(out, bias)


def add_scaled(o, product, self, beta, alpha):
    if alpha != 1:
        product = o.Mul(product, o.number(alpha, product.dtype))
    if beta == 0:
        return product
    return o.Add(o.Mul(self, o.number(beta, self.dtype)) if beta != 1 else self, product)


@form("addmm")
def addmm(o, node, self, mat1, mat2, beta=1, alpha=1):
    if is_float(mat1.dtype):
        return o.Gemm(mat1, mat2, self, alpha=alpha * 1.0, beta=beta * 1.0)
    return add_scaled(o, o.MatMul(mat1, mat2), self, beta, alpha)


@form("addmv")
def addmv(o, node, self, mat, vec, beta=1, alpha=1):
    return add_scaled(o, o.MatMul(mat, vec), self, beta, alpha)


@form("baddbmm")
def baddbmm(o, node, self, batch1, batch2, beta=1, alpha=1):
    return add_scaled(o, o.MatMul(batch1, batch2), self, beta, alpha)


@form("addbmm")
def addbmm(o, node, self, batch1, batch2, beta=1, alpha=1):
    return add_scaled(o, o.ReduceSum(o.MatMul(batch1, batch2), [0], keepdims=0), self, beta, alpha)


@form("outer ger")
def outer(o, node, self, vec2=None, other=None):
    return o.Mul(o.Unsqueeze(self, [1]), o.Unsqueeze(vec2 if vec2 is not None else other, [0]))


@form("addr")
def addr(o, node, self, vec1, vec2, beta=1, alpha=1):
    return add_scaled(o, o.Mul(o.Unsqueeze(vec1, [1]), o.Unsqueeze(vec2, [0])), self, beta, alpha)


@form("einsum")
def einsum(o, node, equation, tensors, path=None):
    return o.Einsum(*tensors, equation=equation.replace(" ", ""))


@form("linalg_det det logdet")
def determinant(o, node, self=None, A=None):
    found = o.Det(A if A is not None else self)
    return o.Log(found) if node.target._opname == "logdet" else found


@compose("bilinear")
def bilinear(input1, input2, weight, bias=None):
    out = torch.einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else out + bias


@compose("inner")
def inner(self, other):
    if not self.dim() or not other.dim():
        return self * other
    return torch.tensordot(self, other, ([-1], [-1]))


@compose("tensordot")
def tensordot(self, other, dims_self=2, dims_other=None, dims=None):
    given = dims if dims is not None else dims_self if dims_other is None else (dims_self, dims_other)
    if isinstance(given, int):
        given = list(range(self.dim() - given, self.dim())), list(range(given))
    left, right = (
        [dim % t.dim() for dim in ([each] if isinstance(each, int) else each)] for each, t in zip(given, (self, other))
    )
    a, b = ([d for d in range(t.dim()) if d not in used] for t, used in ((self, left), (other, right)))
    size = math.prod(self.shape[d] for d in left)
    first = self.permute(*a, *left).reshape(math.prod(self.shape[d] for d in a), size)
    second = other.permute(*right, *b).reshape(size, math.prod(other.shape[d] for d in b))
    return torch.mm(first, second).reshape([*(self.shape[d] for d in a), *(other.shape[d] for d in b)])


@compose("kron")
def kron(self, other):
    rank = max(self.dim(), other.dim())
    a = self.reshape([1] * (rank - self.dim()) + list(self.shape))
    b = other.reshape([1] * (rank - other.dim()) + list(other.shape))
    wide = a.reshape([n for size in a.shape for n in (size, 1)]) * b.reshape([n for size in b.shape for n in (1, size)])
    return wide.reshape([m * n for m, n in zip(a.shape, b.shape)])


@compose("chain_matmul linalg_multi_dot")
def multi_dot(tensors):
    out = tensors[0]
    for each in tensors[1:]:
        out = torch.matmul(out, each)
    return out


@compose("linalg_vecdot")
def vecdot(x, y, dim=-1):
    return (x * y).sum(dim)


@compose("cross linalg_cross")
def cross(self, other, dim=None):
    dim = -1 if dim is None else dim
    self, other = torch.broadcast_tensors(self, other)
    a, b = self.unbind(dim), other.unbind(dim)
    return torch.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dim)


@compose("linalg_matrix_power matrix_power")
def matrix_power(self, n):
    if n < 1:
        return NotImplemented
    out = self
    for _ in range(n - 1):
        out = torch.matmul(out, self)
    return out


@compose("cosine_similarity")
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    x1, x2 = torch.broadcast_tensors(x1, x2)
    lengths = [torch.linalg.vector_norm(each, 2, dim, keepdim=True).clamp_min(eps) for each in (x1, x2)]
    return (x1 / lengths[0] * (x2 / lengths[1])).sum(dim)


@compose("pairwise_distance")
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return torch.linalg.vector_norm(x1 - x2 + eps, p, -1, keepdim)


@compose("cdist")
def cdist(x1, x2, p=2.0, compute_mode=None):
    return torch.linalg.vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


@compose("pdist")
def pdist(self, p=2.0):
    rows, columns = torch.triu_indices(self.shape[0], self.shape[0], 1).unbind(0)
    return torch.linalg.vector_norm(self.index_select(0, rows) - self.index_select(0, columns), p, -1)


@compose("cov")
def cov(self, correction=1, fweights=None, aweights=None):
    if fweights is not None or aweights is not None:
        return NotImplemented
    rows = self.reshape(1, -1) if self.dim() < 2 else self
    centred = rows - rows.mean(1, keepdim=True)
    found = centred @ centred.mT / torch.tensor(rows.shape[1] - correction, dtype=self.dtype).clamp(min=0)
    return found.squeeze() if found.shape == (1, 1) else found


@compose("corrcoef")
def corrcoef(self):
    found = cov(self)
    if self.dim() < 2:
        return found / found
    deviations = torch.sqrt(torch.diagonal(found))
    return (found / deviations.unsqueeze(1) / deviations).clamp(-1, 1)


@compose("linalg_vander")
def vander(x, N=None):
    x = x if x.dim() else x.unsqueeze(0)
    return x.unsqueeze(-1) ** torch.arange(x.shape[-1] if N is None else N)


@compose("vander")
def vander_falling(x, N=None, increasing=False):
    found = vander(x, N)
    return found if increasing else found.flip(-1)


@compose("renorm")
def renorm(self, p, dim, maxnorm):
    dims = [each for each in range(self.dim()) if each != dim % self.dim()]
    norms = torch.linalg.vector_norm(self, p, dims, keepdim=True)
    return self * torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), torch.ones_like(norms))
