"""Describing a value in a few words: facts that distinguish it from others, never its contents."""

import functools
import sys

from tensh.show.drawing.text import cells
from tensh.support.language import _

MOST_WORDS, LONGEST_WORD = 60, 80  # words of a list, and characters of each
PARTS = {  # layout -> methods that return the parts of a sparse tensor; the column layouts have others
    "sparse_coo": ("_indices", "_values"),
    "sparse_csr": ("crow_indices", "col_indices", "values"),
    "sparse_bsr": ("crow_indices", "col_indices", "values"),
}
PLAIN = ("Tensor", "Parameter", "ndarray")  # classes without overrides
LIBRARIES = ("torch", "tensh", "numpy")  # libraries whose shape and dtype are not user code


def without_overrides(function):
    """Decorate a function so that it does not call ``__torch_function__`` of a tensor's class."""

    @functools.wraps(function)
    def ask(value, *rest):
        if type(value).__name__ in PLAIN:
            return function(value, *rest)
        own = getattr(sys.modules.get("tensh.engine.core.tensor"), "Tensor", ())
        torch = sys.modules.get("tensh" if issubclass(type(value), own) else "torch")
        off = getattr(getattr(torch, "_C", None), "DisableTorchFunctionSubclass", None)
        if off is None:
            return function(value, *rest)
        with off():
            return function(value, *rest)

    return ask


def is_array(value):
    """Return True if a value is a tensor or array of a known library."""
    return any(
        kind.__name__ in ("Tensor", "ndarray") and module(kind).partition(".")[0] in LIBRARIES
        for kind in type(value).__mro__
    )


def module(kind):
    """Return the module name that a class claims, which may be anything."""
    found = kind.__module__
    return found if isinstance(found, str) else ""


@without_overrides
def is_tensor(value):
    """Return True if a value is a tensor, which has autograd."""
    return is_array(value) and hasattr(value, "requires_grad")


@without_overrides
def shape(value):
    """Format the shape of an array: [2, 3]; [2, *] for a nested tensor without a common size."""
    if is_nested(value) and not layout(value):
        return str([value.size(0), *["*"] * (value.dim() - 1)]).replace("'", "")
    return str(list(value.shape))


@without_overrides
def dtype(value):
    return str(value.dtype).removeprefix("torch.")


@without_overrides
def is_nested(value):
    """Return True if a tensor is nested."""
    return getattr(value, "is_nested", False) is True


@without_overrides
def device(value):
    """Describe the device and layout of an array unless they are the usual ones."""
    where = str(getattr(value, "device", "cpu")).removeprefix("cpu")
    return f"{where} {layout(value)}".strip()


@without_overrides
def layout(value):
    """Return the layout of a tensor that is not strided."""
    return str(getattr(value, "layout", "")).removeprefix("torch.").removeprefix("strided")


@without_overrides
def is_dense(value):
    """Return True if all elements of an array are in memory: not for meta, sparse and nested ones."""
    return not is_nested(value) and not device(value).startswith(("meta", "sparse"))


@without_overrides
def brief(value):
    """Return `[2, 3] float32` for an array, None for a value without a shape."""
    return f"{shape(value)} {dtype(value)}" if is_array(value) else None


def list_words(words):
    """Join as many words as fit the window: a file may contribute a hundred thousand names."""
    words = [word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}..." for word in words]
    left = len(words) - MOST_WORDS
    return ", ".join(words[:MOST_WORDS]) + (_(" and {left:,} more").format(left=left) if left > 0 else "")


@without_overrides
def numel(value):
    """Return the number of elements of an array."""
    return value.size if isinstance(value.size, int) else value.numel()


@without_overrides
def size(value):
    """Format the bytes of an array with a unit."""
    return amount(nbytes(value))


@without_overrides
def nbytes(value):
    """Return the bytes of an array; for a sparse or jagged tensor of its values and indices."""
    kind = layout(value)
    if not kind:
        return value.nbytes
    if kind == "jagged":
        return value._values.nbytes + value._offsets.nbytes
    if hasattr(value, "array"):
        return sum(part.nbytes for part in value.array.parts)
    names = PARTS.get(kind, ("ccol_indices", "row_indices", "values"))
    return sum(getattr(value.detach(), name)().nbytes for name in names)


def amount(number):
    """Format a number of bytes with a unit."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024 or unit == "GiB":
            return f"{number} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024


def duration(seconds):
    """Format a duration in a suitable unit, to three digits."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def number(value):
    """Format a number to four digits, short enough for a summary line."""
    if isinstance(value, complex):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**9 else f"{value:.4g}"
    return f"{value:.4g}"


def yes_or_no(flag):
    return _("yes") if flag else _("no")


@without_overrides
def describe_origin(tensor):
    """Return the code that computed a tensor if known, else the name of the operation; None for a leaf."""
    if not has_history(tensor):
        return _("an operation that is no longer known")
    node = tensor.grad_fn
    return None if node is None else source_of(node) or node.name().rpartition("::")[2]


@without_overrides
def has_history(tensor):
    """Return True unless a tensor is one of several views whose memory was written since: its history is unknown."""
    try:
        tensor.grad_fn  # noqa: B018  (asking is what fails)
    except RuntimeError:
        return False
    return True


def source_of(node):
    """Return the code that recorded a node, if it was noted and is short."""
    provenance = sys.modules.get("tensh.graph.provenance")
    place = provenance and hasattr(node, "time") and provenance.place(node)
    if not place:
        return None
    from tensh.graph.source import piece

    found = piece(*place)
    return found.text if found and cells(found.text) <= 40 else None


@without_overrides
def grad_state(tensor):
    """Describe the state of a tensor's gradient; `-` if it cannot have one."""
    if not tensor.requires_grad:
        return "-"
    if not has_history(tensor) or not tensor.is_leaf and not tensor.retains_grad:
        return _("not kept")
    if tensor.grad is None:
        return "None"
    if not is_dense(tensor.grad):
        return f"{shape(tensor.grad)} {device(tensor.grad)}"
    if tensor.grad.shape == ():
        return number(tensor.grad.item())
    from tensh.show.reading.values import norm

    return _("norm {norm}").format(norm=number(norm(tensor.grad)))
