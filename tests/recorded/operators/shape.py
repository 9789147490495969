"""Views, joins, repetitions; index tensors and masks read and written."""

from tests.recorded.operators import Argument, b, c, call, i, replace, rough, x

COVERS = (
    "operators/shapes/views.py", "operators/shapes/layout.py", "operators/shapes/rearrangement.py", "operators/basic.py", "operators/indexing/index.py", "operators/indexing/gather.py", "operators/indexing/scatter.py", "operators/indexing/fold.py",
    "operators/shapes/embedding.py", "operators/indexing/mask.py", "operators/shapes/split.py", "operators/shapes/diagonal.py", "operators/shapes/composites/copies.py",
)  # fmt: skip

OF_MEMORY = (
    "Tensor.view",
    "Tensor.view_as",
    "as_strided",
    "as_strided_scatter",
    "as_strided_copy",
    "view_as_complex",
    "view_as_complex_copy",
)
RESHAPED = ("squeeze", "unsqueeze", "transpose", "t", "swapaxes", "swapdims", "as_strided")

M, V, P = x(3, 4), x(4), x(2, 3, 2)
ROWS, COLUMNS = i(2, low=0, high=2), i(3, low=0, high=3)  # indices of the rows and of the columns of M
ALONG_0, ALONG_1 = i(2, 4, low=0, high=2), i(3, 2, low=0, high=3)  # an index for every element of a part of M
ONE_ROW = [call(M, 0, 1), call(M, -1, 2)]
FOLDS = [call(M, 0, ALONG_0, x(2, 4), kind) for kind in ("sum", "prod", "mean", "amax", "amin")]
FOLDS += [call(M, 1, ALONG_1, x(3, 2), kind, include_self=False) for kind in ("sum", "prod", "mean", "amax", "amin")]

SAMPLES = {
    # other sizes
    "Tensor.view": [call(M, 2, 6), call(M, -1), call(M, (4, 3)), call(x(), 1), call(c(2, 2), 4)],
    "reshape": [call(M, (2, 6)), call(M, (-1,)), call(x(), (1, 1)), call(x(0, 3), (3, 0))],
    "Tensor.view_as": [call(M, x(12))], "Tensor.reshape_as": [call(M, x(6, 2))],
    "flatten": [call(P), call(P, 1), call(P, 0, 1), call(x())], "ravel": [call(P), call(x())],
    "unflatten": [call(M, 1, (2, 2)), call(M, -1, (2, -1))],
    "squeeze": [call(x(1, 3, 1)), call(x(1, 3, 1), 0), call(x(1, 3, 1), (0, 2)), call(M, 0)],
    "unsqueeze": [call(M, 0), call(M, -1), call(x(), 0)],
    "Tensor.expand": [call(x(3, 1), 3, 4), call(x(3, 1), -1, 2), call(V, 2, 3, 4), call(x(), (2,))],
    "Tensor.expand_as": [call(x(3, 1), x(3, 4))], "broadcast_to": [call(x(3, 1), (2, 3, 4))],
    "broadcast_tensors": [call(x(3, 1), x(4), x())], "broadcast_shapes": [call((3, 1), (4,), 1)],
    "atleast_1d": [call(x()), call(V)], "atleast_2d": [call(x()), call(V), call(M)],
    "atleast_3d": [call(x()), call(V), call(M), call(P)],
    # other orders
    "permute": [call(P, (2, 0, 1)), call(x(), ())], "transpose": [call(P, 0, 2), call(M, -1, 0), call(c(2, 3), 0, 1)],
    "t": [call(M), call(V), call(x())], "swapaxes": [call(P, 0, 1)], "swapdims": [call(P, 2, 0)],
    "movedim": [call(P, 0, 2), call(P, (0, 1), (1, 2))], "moveaxis": [call(P, -1, 0)],
    "adjoint": [call(M), call(c(2, 3))],
    # parts
    "select": ONE_ROW, "narrow": [call(M, 1, 1, 2), call(M, 0, -2, 1)], "narrow_copy": [call(M, 1, 1, 2)],
    "diagonal": [call(M), call(M, 1), call(P, 0, 0, 2), call(M, -1)],
    "diag": [call(M), call(M, 1), call(V), call(V, -1)], "diag_embed": [call(V), call(M, 1), call(M, 0, 0, 2)],
    "diagflat": [call(M), call(V, 2)],
    "Tensor.unfold": [call(V, 0, 2, 1), call(M, 1, 2, 2), call(M, 0, 3, 1), call(x(), 0, 1, 1)],
    "split": [call(M, 2), call(M, 2, 1), call(M, [1, 3], 1)], "chunk": [call(M, 2), call(M, 3, 1)],
    "split_with_sizes": [call(M, (1, 2))], "tensor_split": [call(M, 2), call(M, (1, 2), 1), call(V, 3)],
    "unbind": [call(M), call(M, 1)], "hsplit": [call(M, 2), call(V, (1,))], "vsplit": [call(M, 3)],
    "dsplit": [call(P, 2)], "unsafe_split": [call(M, 2)], "unsafe_split_with_sizes": [call(M, (1, 2))],
    "unsafe_chunk": [call(M, 2)],
    "as_strided": [call(M, (2, 2), (4, 1)), call(M, (3, 2), (1, 1), 2), call(V, (2, 3), (0, 1))],
    "view_as_real": [call(c(2, 3))], "view_as_complex": [call(x(3, 2))],
    "real": [call(c(2, 3)), call(V)], "imag": [call(c(2, 3))],
    "clone": [call(M), call(x())], "Tensor.contiguous": [call(M)],
    # copies of views
    "alias_copy": [call(M)], "diagonal_copy": [call(M, 1), call(P, 0, 0, 2)], "select_copy": [call(M, 1, -1)],
    "detach_copy": [rough(M)], "view_as_complex_copy": [call(Argument((3, 2), -2.0, 2.0, "float64"))],  # no derivative
    "t_copy": [call(M), call(V)], "transpose_copy": [call(M, 0, 1)], "unsqueeze_copy": [call(M, -1)],
    "unfold_copy": [call(M, 1, 2, 1)], "unbind_copy": [call(M, 1)], "view_as_real_copy": [call(c(2, 3))],
    "as_strided_copy": [call(M, (2, 2), (1, 2), 1)], "expand_copy": [call(x(3, 1), (2, 3, 4))],
    "permute_copy": [call(P, (2, 0, 1))], "slice_copy": [call(M, 1, 0, 3, 2), call(V)],
    "split_copy": [call(M, 2)], "split_with_sizes_copy": [call(M, (1, 3), 1)],
    "squeeze_copy": [call(x(1, 3, 1)), call(x(1, 3, 1), 0), call(x(1, 3, 1), (0, 2))],
    "view_copy": [call(M, (2, 6))],
    # joins
    "cat": [call([M, x(2, 4)]), call([M, M], 1), call((V, i(2))), call([x(0), M])],
    "concat": [call([V, V])], "concatenate": [call([M, M], -1)],
    "stack": [call([V, x(4)]), call([M, x(3, 4)], 1), call([x(), x()], -1)],
    "hstack": [call([V, x(2)]), call([M, M])], "vstack": [call([V, M])], "row_stack": [call([V, V])],
    "dstack": [call([V, x(4)]), call([M, M])], "column_stack": [call([V, x(4, 2)]), call([x(), x()])],
    "block_diag": [call(M, V, x()), call(x(1, 2), i(2, 1))],
    # repetitions and moves
    "Tensor.repeat": [call(V, 2), call(M, 2, 1), call(M, (2, 1, 2)), call(x(), 3)],
    "tile": [call(V, (2,)), call(M, (2,)), call(M, (1, 2, 2))],
    "repeat_interleave": [call(V, 2), call(M, 2, 1), call(M, i(3, low=0, high=2), 0)],
    "roll": [call(V, 1), call(M, 5), call(M, (1, -1), (0, 1)), call(x(), 1)],
    "flip": [call(M, (0,)), call(M, (0, 1)), call(x(), ())], "fliplr": [call(M)], "flipud": [call(V)],
    "rot90": [call(M), call(M, 2), call(P, -1, (0, 2)), call(M, 0)],
    "tril": [call(M), call(P, 1), call(M, -1)], "triu": [call(M), call(P, -1), call(M, 2)],
    "meshgrid": [call(V, x(2), indexing="ij"), call(V, x(2), x(), indexing="xy")],
    "cartesian_prod": [call(V, x(2)), call(V)], "combinations": [call(V), call(V, 3), call(V, 2, True)],
    # index tensors
    "index_select": [call(M, 0, ROWS), call(M, 1, COLUMNS), call(x(), 0, i(1, low=0, high=0))],
    "gather": [call(M, 0, ALONG_0), call(M, 1, ALONG_1), call(x(), 0, i(2, low=0, high=0))],
    "take": [call(M, i(5, low=-12, high=11)), call(M, i(2, 2, low=0, high=11))],
    "take_along_dim": [call(M, i(1, 4, low=0, high=2), 0), call(M, i(3, 1, low=0, high=3), dim=1), call(M, i(5, low=0))],
    "index_add": [call(M, 0, ROWS, x(2, 4)), call(M, 1, COLUMNS, x(3, 3), alpha=2), call(V, 0, ROWS, x(2), alpha=-1)],
    "index_copy": [call(M, 0, i(1, low=1, high=1), x(1, 4)), call(V, 0, i(1, low=2, high=2), x())],
    "index_fill": [call(M, 0, ROWS, 2), rough(M, 1, COLUMNS, x()), call(M, 1, i(2, low=-2, high=1), 0.5)],
    "index_put": [rough(M, (ROWS,), x(4)), call(M, (ROWS, i(2, low=0, high=3)), x(2), True), call(M, (b(3),), x())],
    "index_reduce": [call(M, 0, ROWS, x(2, 4), kind) for kind in ("prod", "mean", "amax", "amin")],
    "scatter": [
        call(M, 0, i(1, 4, low=0, high=2), x(1, 4)), call(M, 1, ALONG_1, 2.5), rough(M, 0, ALONG_0, x(2, 4), reduce="add"),
        rough(M, 0, ALONG_0, 2, reduce="multiply"),
    ],
    "scatter_add": [call(M, 0, ALONG_0, x(2, 4)), call(M, 1, ALONG_1, x(3, 2)), call(x(), 0, i(low=0, high=0), x())],
    "scatter_reduce": FOLDS,
    "put": [call(M, i(1, low=-3, high=3), x(1)), call(M, i(3, low=-12, high=11), x(3), True)],
    # masks
    "masked_select": [call(M, b(3, 4)), call(V, b(3, 1)), call(M, b(4))],
    "masked_scatter": [call(M, b(3, 4), x(12)), call(M, b(4), x(3, 4)), replace(call(V, b(3, 1), x(12)), in_place=False)],
    "nonzero": [call(i(3, 4)), call(i(3), as_tuple=True), call(x())], "argwhere": [call(i(3, 4))],
    "nonzero_static": [call(i(3, 2), size=2), call(i(3, low=0, high=1), size=4, fill_value=7)],
    "unravel_index": [call(i(3, low=0, high=5), (2, 3))],
    # one part replaced
    "slice_scatter": [call(M, x(1, 4), 0, 1, 2), call(M, x(3, 2), 1, 0, 4, 2)],
    "select_scatter": [call(M, x(4), 0, 1), call(M, x(3), 1, -1)],
    "diagonal_scatter": [call(M, x(3)), call(M, x(2), -1)],
    "as_strided_scatter": [rough(M, x(2, 2), (2, 2), (4, 1), 1)],  # its gradient is PyTorch's, not the slope
    "fill": [call(M, 3), call(M, x())],
    "Tensor.fill_diagonal_": [rough(i(3, 3), 2)], "Tensor.copy_": [rough(i(3, 4), i(4))],
    "zero_": [rough(i(3))], "fill_": [rough(i(3), 2)],
}  # fmt: skip
