"""Masked reductions of sparse tensors: the elements at which the mask is True, stored or not, are combined.

The results are sparse, with an entry wherever an element is selected. PyTorch takes other layouts for few functions; the
rest raise its errors.
"""

import functools

import tensh as torch
from tensh.masked.masks import expand_mask, fill_extreme, list_dims

LAYOUTS = "strided or sparse COO or sparse CSR tensor"


def require_layout(name, expected="strided tensor"):
    """Return a decorator that raises ValueError, in PyTorch's words, for a sparse first argument."""

    def decorate(fn):
        @functools.wraps(fn)
        def function(input, *args, **kwargs):
            if getattr(input, "layout", torch.strided) is not torch.strided:
                raise ValueError(f"masked {name} expects {expected} (got {input.layout} tensor)")
            return fn(input, *args, **kwargs)

        return function

    return decorate


def takes_sparse(fn):
    """Return the reduction, which hands sparse tensors to ``reduce_sparse``."""
    name = fn.__name__

    @functools.wraps(fn)
    def function(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        if getattr(input, "layout", torch.strided) is torch.strided:
            return fn(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)
        return reduce_sparse(name, input, dim, bool(keepdim), dtype, mask)

    return function


def reduce_sparse(name, input, dim, keepdim, dtype, mask):
    """Return the reduction ``name`` of a sparse tensor; raise ValueError for other layouts than PyTorch's."""
    layout = input.layout
    if name == "mean" and not (input.is_floating_point() or input.is_complex()):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{input.dtype}"
        )
    if name == "mean" and layout is not torch.sparse_csr:
        raise ValueError(f"masked mean expects strided or sparse_csr tensor (got {layout} tensor)")
    if layout not in (torch.sparse_coo, torch.sparse_csr):
        raise ValueError(f"_input_mask expects {LAYOUTS} but got {layout}")
    dims = list_dims(dim, input.ndim)
    if mask is None and name != "sum":
        operation = "amax" if name == "amin" and layout is torch.sparse_coo else name
        raise ValueError(f"masked {operation} expects explicit mask for {str(layout).rpartition('.')[2]} tensor input")
    places = list_stored(input) if mask is None else expand_mask(input, mask).nonzero().t()
    dense, (dims_of_places, number) = input.to_dense(), places.shape
    values = dense[tuple(places)] if dims_of_places else dense.expand(number)
    if name in ("sum", "prod"):
        integer = not (values.is_floating_point() or values.is_complex())
        values = values.to(dtype or (torch.int64 if integer else values.dtype))
    elif dtype is not None:
        values = values.to(dtype)
    if name in ("amax", "amin"):
        fill_extreme(values, torch.ones_like(values, dtype=torch.bool), name)  # raises for dtypes without an order
    if layout is torch.sparse_coo:
        return combine(name, values, places, input.shape, dims, keepdim)
    if not keepdim:
        refusal = RuntimeError if name in ("sum", "prod") else AssertionError
        raise refusal("reduction operations on CSR tensors with keepdim=False is unsupported")
    return combine(name, values, places, input.shape, dims, True, everywhere=True).to_sparse_csr()


def list_stored(input):
    """Return the indices of the stored elements, a row for each dimension."""
    coordinates = input.to_sparse(input.ndim) if input.layout is torch.sparse_csr else input
    marked = torch.sparse_coo_tensor(
        coordinates._indices(), torch.ones_like(coordinates._values(), dtype=torch.bool), coordinates.shape
    )
    return marked.to_dense().nonzero().t()


def combine(name, values, places, shape, dims, keepdim, everywhere=False):
    """Combine values whose indices agree outside of ``dims``; a single zero is stored only if ``everywhere``."""
    kept = [d for d in range(len(shape)) if d not in dims]
    size = [1 if d in dims else n for d, n in enumerate(shape)] if keepdim else [shape[d] for d in kept]
    if not kept and not everywhere:
        return reduce_all(name, values).reshape(size).to_sparse()
    places = places.clone()
    places[list(dims)] = 0
    index, groups = torch.unique(places, dim=1, return_inverse=True)
    reduced = values.new_zeros(index.shape[1]).scatter_reduce(0, groups, values, name, include_self=False)
    index = index if keepdim else index[kept]
    return torch.sparse_coo_tensor(index, reduced, size, is_coalesced=True)


def reduce_all(name, values):
    """Return one number for all values; for none the one that adds nothing to the reduction."""
    if name in ("amax", "amin") and not values.numel():
        nothing = values.new_zeros(1)
        return fill_extreme(nothing, torch.zeros_like(nothing, dtype=torch.bool), name)
    return getattr(values, name)()
