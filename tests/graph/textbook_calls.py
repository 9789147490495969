"""Calls for formulas that no recorded sample of an operator evaluates: factors, cells, random draws, operators of graphs.

(name of the entry, function, call): the arguments are written as in tests/recorded/operators.
"""

import tensh as torch
from tensh.engine.codegen.vocabulary import OPS
from tensh.nn import functional as F
from tests.recorded.operators import Argument, b, call, i, x


def constant(*shape):
    """A tensor that is not a leaf: positive numbers."""
    return Argument(shape, 0.5, 2.0, "float64")


def leaf(tensor):
    return tensor.clone().requires_grad_()


def eq(x, z):
    return x.clone().eq_(z)


def fill_diagonal(x):
    return x.clone().fill_diagonal_(5.0)


def copy(x, src):
    return x.clone().copy_(src)


CELL = [x(2, 3), x(2, 4)]
S, M = x(3, 3), x(4, 3)
RIGHT = torch.arange(12.0).reshape(2, 3, 2).double()
POSITIVE = [
    ("cholesky", torch.linalg.cholesky, lambda matrix: (leaf(matrix),), {}),
    ("cholesky", torch.linalg.cholesky, lambda matrix: (leaf(matrix),), {"upper": True}),
    ("eigh", torch.linalg.eigh, lambda matrix: (leaf(matrix),), {}),
    ("cholesky_solve", torch.cholesky_solve, lambda matrix: (leaf(RIGHT), leaf(matrix.tril())), {}),
    ("cholesky_solve", torch.cholesky_solve, lambda matrix: (leaf(RIGHT), leaf(matrix.triu())), {"upper": True}),
]  # fmt: skip
"""Functions of positive definite matrices and of triangular ones: name, function, its arguments, its settings."""
CALLS = [
    ("eq", eq, call(S, S)),
    ("only", OPS["only"].fn, call(S, b(3, 3))),
    ("none_where", OPS["none_where"].fn, call(S, b(3, 3))),
    ("multiply_slopes", OPS["multiply_slopes"].fn, call(S, constant(3, 3))),
    ("sums", OPS["sums"].fn, call(S, 0, 1)),
    ("scatter_sum", OPS["scatter_sum"].fn, call(S, 0, i(2, 3, low=0, high=2), x(2, 3), True)),
    ("mse_loss", F.mse_loss, call(x(2, 1), x(3))),  # of elements that are broadcast
    ("l1_loss", F.l1_loss, call(x(2, 1), x(3))),
    ("smooth_l1_loss", F.smooth_l1_loss, call(x(2, 1), x(3))),
    ("huber_loss", F.huber_loss, call(x(2, 1), x(3))),
    ("rrelu", F.rrelu, call(M)),
    ("rrelu", F.rrelu, call(M, training=True)),
    ("gumbel_softmax", F.gumbel_softmax, call(M, tau=0.7)),
    ("dropped_with_mask", OPS["dropped_with_mask"].fn, call(M, 2.0, 0.5, True)),
    ("dropout", F.dropout, call(M, 0.4)),
    ("dropout", F.dropout, call(M, 0.4, False)),
    ("dropout2d", F.dropout2d, call(x(2, 3, 2, 2), 0.4)),
    ("igamma", torch.igamma, call(constant(3), x(3, low=0.5))),
    ("igammac", torch.igammac, call(constant(3), x(3, low=0.5))),
    ("diff", torch.diff, call(x(4), append=x(2))),
    ("fill_diagonal", fill_diagonal, call(S)),
    ("copy", copy, call(S, x(3))),
    ("linear", F.linear, call(x(3), x(2, 3), x(2))),
    ("norm_except_dim", torch.norm_except_dim, call(M, 2, 0)),
    ("norm", torch.norm, call(S, 3)),
    ("cholesky_inverse", torch.cholesky_inverse, call(S)),
    ("cholesky_inverse", torch.cholesky_inverse, call(S, upper=True)),
    ("qr", torch.linalg.qr, call(M)),
    ("svd", torch.linalg.svd, call(M, full_matrices=False)),
    ("svd", torch.linalg.svd, call(x(2, 3, 4), full_matrices=False)),
    ("batch_norm", F.batch_norm, call(x(2, 3, 2), constant(3), constant(3), x(3), x(3))),
    ("batch_norm", F.batch_norm, call(x(2, 3, 2), constant(3), constant(3), x(3), x(3), True)),
    ("rnn_tanh_cell", torch.rnn_tanh_cell, call(*CELL, x(4, 3), x(4, 4), x(4), x(4))),
    ("rnn_relu_cell", torch.rnn_relu_cell, call(*CELL, x(4, 3), x(4, 4), x(4), x(4))),
    ("lstm_cell", torch.lstm_cell, call(x(2, 3), (x(2, 4), x(2, 4)), x(16, 3), x(16, 4), x(16), x(16))),
    ("gru_cell", torch.gru_cell, call(*CELL, x(12, 3), x(12, 4), x(12), x(12))),
]  # fmt: skip
