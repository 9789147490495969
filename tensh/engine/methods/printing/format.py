"""A tensor as text: ``tokens(tensor)`` returns (kind, text) pairs, and its repr is their concatenation.

Kinds are "keyword" (the word ``tensor``), "number", "punctuation" and "attribute" (``dtype=torch.float64``); coloured
output maps kinds to styles.  Only the printed elements are read: printing a summarised tensor takes the same time
whatever its size.
"""

from itertools import compress, islice
from math import floor, isfinite

import numpy as np

from tensh.engine.arrays.absent import Absent
from tensh.engine.core.clock import mode
from tensh.engine.core.ports import tensor_html
from tensh.engine.core.tensor import SPARSE, Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import (
    BY_NUMPY,
    COMPLEX,
    FLOAT,
    bool_,
    complex64,
    complex128,
    float64,
    get_default_dtype,
    int64,
)
from tensh.engine.methods.printing.options import options

OPEN, CLOSE = ("punctuation", "["), ("punctuation", "]")
COMMA = ("punctuation", ", ")
INDICES_OF = {
    "sparse_coo": ("indices",),
    **dict.fromkeys(("sparse_csr", "sparse_bsr"), ("crow_indices", "col_indices")),
    **dict.fromkeys(("sparse_csc", "sparse_bsc"), ("ccol_indices", "row_indices")),
}
ROW_GAP, BLOCK_GAP = ("punctuation", " ..."), ("punctuation", "...")


def tokens(tensor, contents=None):
    """Return the printed form of ``tensor`` as (kind, text) pairs; ``contents`` replaces the elements if given.

    A parameter, whose class has a ``_heading``, is preceded by a separate line; an object of a derived class is
    enclosed in ``Parameter(...)``.
    """
    kind = type(tensor)
    heading = None if kind is Tensor else getattr(kind, "_heading", None)
    word = "tensor" if kind is Tensor or "_heading" in vars(kind) else kind.__name__
    parts = [("keyword", word), ("punctuation", "(")]
    indent = len(word) + 1
    if contents is None and type(tensor.array) is Absent:
        contents = "..."
    if contents is None and type(tensor.array) in SPARSE:
        append_sparse(parts, tensor.array, indent)
    elif contents is None:
        append_elements(parts, tensor.array, tensor.dtype.category, indent)
    else:
        parts.append(("number", contents))
    found = attributes(tensor)
    if found:
        append_attributes(parts, found, indent, tensor.is_sparse)
    parts.append(("punctuation", ")"))
    # a tensor of a subclass as a parameter
    if word != "tensor" and (heading is not None or "_is_param" in tensor.__dict__):
        parts = [("keyword", "Parameter"), ("punctuation", "("), *parts, ("punctuation", ")")]
    return parts if heading is None else [("keyword", heading), *parts]


def text(tensor, *, tensor_contents=None):
    """Return the printed form of ``tensor``, without the heading of a parameter.

    A subclass may replace the text of the elements.
    """
    if mode.transforms:
        return mode.transforms[-1].text(tensor, text)
    return "".join([piece for _, piece in tokens(tensor, tensor_contents)]).removeprefix(
        getattr(type(tensor), "_heading", "")
    )


_str_intern = text  # PyTorch's name of it, in torch._tensor_str


def headed_text(parameter):
    """Return the printed form of a parameter with its heading."""
    return parameter._heading + text(parameter)


def format_tensor(tensor, specification):
    """Format a tensor: a 0-d tensor as the Python number that it contains."""
    if tensor.array.ndim == 0 and type(tensor) is Tensor and type(tensor.array) is not Absent:
        return format(tensor.array.item(), specification)
    return object.__format__(tensor, specification)


def attributes(tensor):
    """Return the attributes printed after the elements: only those that the elements do not imply."""
    array, dtype, usual = tensor.array, tensor.dtype, get_default_dtype()
    usual_complex = complex128 if usual is float64 else complex64
    found = []
    absent = type(array) is Absent
    sparse = type(array) in SPARSE
    if sparse:
        found += [f"size={array.shape}", f"nnz={array.nnz}"]
    elif absent:
        found += [f"device='{tensor.device}'"] * (tensor.device.type != "cpu")  # a fake tensor says to be there
        found += [f"size={array.shape}"]
    elif array.ndim != 1 if array.size == 0 else not options.edgeitems:
        found.append(f"size={array.shape}")
    if dtype is not usual and (absent or array.size == 0 or dtype not in (int64, bool_, usual_complex)):
        found.append(f"dtype={dtype}")
    found += [f"layout={array.layout}"] if sparse else []
    try:
        node = tensor.grad_fn
    except RuntimeError:  # the history of this view is ambiguous
        found.append("grad_fn=<Invalid>")
    else:
        if node is not None:
            found.append(f"grad_fn=<{node.name().rpartition('::')[2]}>")
        elif tensor.requires_grad:
            found.append("requires_grad=True")
        if mode.levels and mode.forward:
            tangent = mode.levels[-1].find_tangent(refresh_node(tensor))
            found += [f"tangent={tangent}"] if tangent is not None else []
    return found


def append_attributes(parts, found, indent, break_first):
    """Append attributes after commas, each on a new line in column ``indent`` if it would exceed the line width.

    With ``break_first`` the first one always starts a new line.
    """
    # PyTorch counts two characters more than the last line has
    used = last_line(parts) + 2
    for attribute in found:
        if break_first or used + len(attribute) + 2 > options.linewidth:
            break_first = False
            parts.append(("punctuation", ",\n" + " " * indent))
            used = indent + len(attribute)
        else:
            parts.append(COMMA)
            used += len(attribute) + 2
        parts.append(("attribute", attribute))


def last_line(parts):
    """Return the number of characters after the last line break."""
    length = 0
    for _, piece in reversed(parts):
        _, line_break, tail = piece.rpartition("\n")
        length += len(tail)
        if line_break:
            break
    return length


def append_elements(parts, array, category, indent):
    """Append the elements of ``array``, nested in brackets that start in column ``indent``."""
    if array.size == 0:
        parts += (OPEN, CLOSE)
        return
    array, gaps = summary(array) if array.size > options.threshold else (array, [None] * array.ndim)
    texts, width = format_numbers(array.reshape(-1).tolist(), category)
    cells = iter([("number", piece) for piece in texts])
    if array.ndim == 0:
        parts.append(next(cells))
    else:
        # every row starts below the innermost bracket
        room = options.linewidth - (indent + array.ndim - 1)
        nest(parts, cells, array.shape, gaps, indent, max(1, floor(room / (width + 2))))


def append_sparse(parts, array, indent):
    """Append the indices and the values of a sparse tensor, each on a separate line."""
    names = (*INDICES_OF[array.layout.name], "values")
    for number, (name, each) in enumerate(zip(names, (*array.indices, array.values), strict=True)):
        parts += [("punctuation", ",\n" + " " * indent)] if number else []
        parts += [("attribute", f"{name}="), ("keyword", "tensor"), ("punctuation", "(")]
        append_elements(parts, each, BY_NUMPY[each.dtype].category, indent + len(name) + len("=tensor("))
        parts += [("attribute", f", size={each.shape}")] if not each.size else []
        parts.append(("punctuation", ")"))


def summary(array):
    """Return the printed part of ``array``, and the position of the gap in each dimension (None: no gap)."""
    edge = options.edgeitems
    gaps = [edge if size > 2 * edge else None for size in array.shape]
    if not any(gap is not None for gap in gaps):
        return array, gaps
    shown = [
        range(size) if gap is None else [*range(edge), *range(size - edge, size)]
        for size, gap in zip(array.shape, gaps, strict=True)
    ]
    return array[np.ix_(*shown)], gaps


def nest(parts, cells, shape, gaps, indent, per_line):
    """Append one block of ``shape``, with numbers from ``cells``; rows break after ``per_line`` entries."""
    count, gap = shape[0], gaps[0]
    parts.append(OPEN)
    if len(shape) == 1:
        row = list(islice(cells, count))
        if gap is not None:
            row.insert(gap, ROW_GAP if gap else BLOCK_GAP)
        line_break = ("punctuation", ",\n" + " " * (indent + 1))
        for place, cell in enumerate(row):
            if place:
                parts.append(COMMA if place % per_line else line_break)
            parts.append(cell)
    else:
        block_break = ("punctuation", "," + "\n" * (len(shape) - 1) + " " * (indent + 1))
        blocks = list(range(count))
        if gap is not None:
            blocks.insert(gap, None)
        for place, block in enumerate(blocks):
            if place:
                parts.append(block_break)
            if block is None:
                parts.append(BLOCK_GAP)
            else:
                nest(parts, cells, shape[1:], gaps[1:], indent + 1, per_line)
    parts.append(CLOSE)


def format_numbers(values, category):
    """Return the texts of Python numbers, padded, and the width of a column."""
    if category == FLOAT:
        return floats(values)
    if category == COMPLEX:
        return complexes(values)
    texts = [str(value) for value in values]
    width = max(map(len, texts), default=1)
    return [piece.rjust(width) for piece in texts], width


def floats(values):
    """Return the texts of Python floats, padded, and their width: the longest except zeros, infinities and nans."""
    counted = [value != 0 and isfinite(value) for value in values]
    sizes = [abs(value) for value in compress(values, counted)]
    if sizes and (scientific(sizes) if options.sci_mode is None else options.sci_mode):
        style = f".{options.precision}e"
        texts = [format(value, style) for value in values]
    elif all([size.is_integer() for size in sizes]):
        texts = [f"{value:.0f}." if isfinite(value) else f"{value:.0f}" for value in values]
    else:
        style = f".{options.precision}f"
        texts = [format(value, style) for value in values]
    width = max(map(len, compress(texts, counted)), default=1)
    return [piece.rjust(width) for piece in texts], width


def scientific(sizes):
    """Return True if absolute values vary too much, or are too large or too small, for plain decimals."""
    low, high = min(sizes), max(sizes)
    return high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4


def complexes(values):
    """Return the texts of complex numbers: real and imaginary parts each have a style and a width."""
    reals, real_width = floats([value.real for value in values])
    imaginaries, imaginary_width = floats([value.imag for value in values])
    texts = []
    for real, imaginary in zip(reals, imaginaries, strict=True):
        imaginary = imaginary.lstrip()
        sign = "" if imaginary[0] == "-" else "+"
        texts.append(f"{real}{sign}{imaginary}j")
    return texts, real_width + imaginary_width + 1


def _repr_html_(tensor):
    """Return the printed form of the tensor for a notebook, with a summary line."""
    return tensor_html(tensor)


Tensor.__repr__ = text
Tensor._repr_html_ = _repr_html_
Tensor.__format__ = format_tensor
