"""The values of nodes that follow from those which they save, by the names of PyTorch's nodes.

``DERIVED`` has for a node PyTorch's names, and for each the values of tensh that it is computed from, with the function:
its first argument is the node.  An operator that saves others shows no such name.
"""

from math import prod

from tensh.engine.core.tensor import wrap

SHAPE = ("input.shape",)
NONE = ()


def split_sizes(node, dim):
    """Return the sizes along ``dim`` of the parts that a node has as outputs."""
    return tuple([shape[dim] for shape, _ in node.shape])


def unsplit_shape(node, dim):
    """Return the shape of the tensor of which a node has the parts."""
    shape = list(node.shape[0][0])
    shape[dim] = sum(split_sizes(node, dim))
    return tuple(shape)


def resampled_shape(node, maps):
    """Return the shape of the input of a resampling, from the sizes that its maps are for."""
    sizes = [n if each is None else each.size for n, each in zip(node.shape[2:], maps, strict=True)]
    return (*node.shape[:2], *sizes)


def output_padding(node, stride, padding, dilation, weight):
    """Return the rows and columns of a convolution beyond those of its adjoint; 0 unless it is transposed."""
    if node.op.name != "correlate_back":
        return (0,) * len(stride)
    shape = node.saved[node.reads.index("grad.shape")]
    sizes = zip(node.shape[2:], shape[2:], stride, padding, dilation, weight[2:], strict=True)
    return tuple([n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for n, m, s, p, d, k in sizes])


def grouped(node, values):
    """Return a statistic of each sample's groups as PyTorch's matrix."""
    return wrap(values.reshape(node.shape[0], -1))


def beside(node, values, at):
    """Return a statistic of layers with dimensions of one element for those that are normalised."""
    return wrap(values.reshape((*node.shape[: len(node.shape) - len(at)], *(1,) * len(at))))


def numbered(words):
    """Return a function that gives the number of an option."""
    numbers = {word: number for number, word in enumerate(words.split())}
    return lambda node, option: numbers[option]


def reduction_of(node):
    """Return the reduction in the name of an operator such as ``scatter_sum``."""
    return node.op.name.partition("_")[2]


RESAMPLED = {
    "output_size": (NONE, lambda node: tuple(node.shape[2:])),
    "self_sym_sizes": (("maps",), resampled_shape),
}
NUMBER = {"self_sym_numel": (SHAPE, lambda node, shape: prod(shape))}
SPLIT = {"self_sym_sizes": (("dim",), unsplit_shape)}
EQUAL = {"split_size": (("dim",), lambda node, dim: node.shape[0][0][dim])}
ROWS = {"weight_sym_argsize_0": (("weight.shape",), lambda node, shape: shape[0])}
MATRIX = ("self_sym_argsize_minus_1", "self_sym_argsize_minus_2")
GRID = {
    "interpolation_mode": (("kind",), numbered("bilinear nearest bicubic")),
    "padding_mode": (("padding",), numbered("zeros border reflection")),
}
FRACTIONAL = {"output_size": (("dims",), lambda node, dims: tuple(node.shape[-dims:]))}
REDUCED = {"reduce": (NONE, reduction_of)}

DERIVED = {
    "AddbmmBackward0": {
        "batch1_sym_argsize_0": (("batch1.shape",), lambda node, shape: shape[0]),
        "batch1_sym_argsize_1": (("batch1.shape",), lambda node, shape: shape[1]),
        "batch2_sym_argsize_2": (NONE, lambda node: node.shape[1]),
    },
    "ConvolutionBackward0": {
        "transposed": (NONE, lambda node: node.op.name == "correlate_back"),
        "output_padding": (("stride", "padding", "dilation", "weight.shape"), output_padding),
    },
    "EmbeddingBackward0": ROWS,
    "EmbeddingBagBackward0": ROWS,
    "FractionalMaxPool2DBackward0": FRACTIONAL,
    "FractionalMaxPool3DBackward0": FRACTIONAL,
    "GeluBackward0": {"approximate": (NONE, lambda node: "tanh" if node.op.name == "gelu_tanh" else "none")},
    "GridSampler2DBackward0": GRID,
    "GridSampler3DBackward0": GRID,
    "Im2ColBackward0": {
        MATRIX[0]: (SHAPE, lambda node, shape: shape[-1]),
        MATRIX[1]: (SHAPE, lambda node, shape: shape[-2]),
    },
    "IndexReduceBackward0": REDUCED,
    "LinalgSvdBackward0": {"S_sym_argsize_minus_1": (("S.shape",), lambda node, shape: shape[-1])},
    "LuUnpackBackward0": {
        "LU_data_sym_argsize_minus_1": (("LU.shape",), lambda node, shape: shape[-1]),
        "LU_data_sym_argsize_minus_2": (("LU.shape",), lambda node, shape: shape[-2]),
    },
    "MeanBackward0": NUMBER,
    "MeanBackward1": NUMBER,
    "NativeBatchNormBackward0": {
        "result1": (("mean", "rstd"), lambda node, mean, rstd: wrap(mean)),
        "result2": (("mean", "rstd"), lambda node, mean, rstd: wrap(rstd)),
        "training": (("mean", "rstd"), lambda node, mean, rstd: True),
    },
    "NativeGroupNormBackward0": {
        "N": (NONE, lambda node: node.shape[0]),
        "C": (NONE, lambda node: node.shape[1]),
        "HxW": (NONE, lambda node: prod(node.shape[2:])),
        "group": (("mean",), lambda node, mean: mean.size // node.shape[0]),
        "result1": (("mean",), grouped),
        "result2": (("rstd",), grouped),
    },
    "NativeLayerNormBackward0": {
        "normalized_shape": (("at",), lambda node, at: tuple(at)),
        "result1": (("mean", "at"), beside),
        "result2": (("rstd", "at"), beside),
    },
    "NormalBackward1": {"mean_sym_sizes": (NONE, lambda node: tuple(node.shape))},
    "ScatterReduceBackward0": REDUCED,
    "SplitBackward0": SPLIT | EQUAL,
    "SplitWithSizesBackward0": SPLIT | {"split_sizes": (("dim",), split_sizes)},
    "UnsafeSplitBackward0": SPLIT | EQUAL,
    **dict.fromkeys(
        """
        UpsampleBicubic2DBackward0 UpsampleBilinear2DBackward0 UpsampleLinear1DBackward0 UpsampleNearest1DBackward0
        UpsampleNearest2DBackward0 UpsampleNearest3DBackward0 UpsampleNearestExact1DBackward0 UpsampleNearestExact2DBackward0
        UpsampleNearestExact3DBackward0 UpsampleTrilinear3DBackward0""".split(),
        RESAMPLED,
    ),
}
