"""Functions along dimensions, which are given by name or by number."""

from typing import NamedTuple

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor as Plain
from tensh.functorch.dim.levels import as_level, count_places, find, is_place
from tensh.functorch.dim.tensors import Named, Tensor, read, wrap
from tensh.utils._pytree import tree_map


class Along(NamedTuple):
    """The place of the argument ``dim``, and of ``keepdim``; without the latter no dimension disappears."""

    dim: int = 1
    keepdim: int | None = None


ALONG = (
    dict.fromkeys(
        """mean sum all amax amin aminmax any count_nonzero logsumexp nanmean nansum prod max min argmax argmin median
        nanmedian mode unbind""".split(),
        Along(1, 2),
    )
    | dict.fromkeys(["std", "var"], Along(1, 3))
    | {"kthvalue": Along(2, 3)}
    | dict.fromkeys(
        "sort argsort cummax cummin cumprod cumprod_ cumsum cumsum_ logcumsumexp softmax log_softmax".split(), Along(1)
    )
    | dict.fromkeys(["chunk", "renorm"], Along(2))
)
"""Functions by name."""


def read_argument(place, name, args, options):
    """Return an argument that is given by position or by name."""
    if name in options:
        return options[name]
    return args[place] if place is not None and place < len(args) else None


def list_dims(given):
    """Return the dimensions of an argument as a list; a named dimension is no sequence."""
    return [given] if isinstance(given, (Named, int)) else list(given)


def names_dimensions(name, args, options):
    """Return True for a call with dimensions on a named tensor."""
    given = read_argument(ALONG[name].dim, "dim", args, options)
    if not isinstance(args[0], Named) or given is None or isinstance(given, bool):
        return False
    kinds = list_dims(given) if isinstance(given, (Named, int, tuple, list)) else []
    return bool(kinds) and all(isinstance(each, int) or hasattr(each, "is_bound") for each in kinds)


def compute_along(function, name, args, options):
    """Compute a function along dimensions of a named tensor; raise ValueError for dimensions that it lacks."""
    row, tensor = ALONG[name], args[0]
    dims = list_dims(read_argument(row.dim, "dim", args, options))
    keeps = row.keepdim is None or bool(read_argument(row.keepdim, "keepdim", args, options))
    if keeps and row.keepdim is not None and not all(map(is_place, dims)):
        raise ValueError("cannot preserve first-class dimensions with keepdim=True")
    is_product = name == "sum" and isinstance(tensor, Tensor) and tensor.factors and len(args) + len(options) == 2
    if is_product and all(find(tensor.levels, dim) is not None for dim in dims):
        return contract(*tensor.factors, dims)
    data, levels = read(tensor)
    places = [find_place(levels, dim) for dim in dims]
    where = places[0] if len(places) == 1 else tuple(places)
    args = (data, *args[1 : row.dim], where, *args[row.dim + 1 :]) if "dim" not in options else (data, *args[1:])
    options = {**options, "dim": where} if "dim" in options else options
    left = levels if keeps else [each for n, each in enumerate(levels) if n not in places]
    found = function(*args, **options)
    return tree_map(lambda each: wrap(each, left) if isinstance(each, Plain) else each, found)


def find_place(levels, dim):
    """Return the number of a dimension among levels."""
    ndim = count_places(levels)
    level = as_level(dim, ndim)
    place = find(levels, level)
    if place is None:
        raise ValueError(f"Tensor with dimensions {[str(each) for each in levels]} does not contain {level}")
    return place


def contract(one, other, dims):
    """Return the sum of a product over named dimensions, as a product of matrices."""
    both = [each for each in one.levels if find(other.levels, each) is not None]
    alone = [each for each in one.levels if find(both, each) is None]
    rest = [each for each in other.levels if find(both, each) is None]
    left = [each for each in (*both, *alone, *rest) if find(dims, each) is None]
    everything = [*both, *alone, *rest]
    data = find_public("einsum")(
        one.data, [find(everything, each) for each in one.levels],
        other.data, [find(everything, each) for each in other.levels],
        [find(everything, each) for each in left],
    )  # fmt: skip
    return wrap(data, left)
