"""torch.vmap: a function of one sample as a function of a batch of them."""

import functools
from contextlib import contextmanager

from tensh.engine.autograd.transforms import VmapCall
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.levels import level, running
from tensh.engine.random.generator import default_generator
from tensh.func import stepping
from tensh.func.batch_dims import hide_batch, is_collection, show_batch
from tensh.func.trees import flatten, unflatten

RANDOMNESS = ("error", "different", "same")


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """Return a function that maps ``func``, a function of single samples, over a dimension of its tensors.

    ``func`` is called once, on tensors whose mapped dimension is hidden; ``in_dims`` is that dimension (None for values
    shared by all samples), ``out_dims`` its position in the results.  Both are an int, or are nested as the arguments
    and results are; keyword arguments are the same for all samples.  ``randomness`` determines whether random numbers are an
    error, the "same" for all samples, or "different".  ``chunk_size`` maps over that many samples at a time.

    Calls nest, and compose with ``grad`` and the like.  Raise RuntimeError for a function that reads the value of an
    element, or whose results would differ in shape between samples.

    >>> import tensh as torch
    >>> torch.vmap(torch.dot)(torch.ones(2, 3), torch.arange(6.0).view(2, 3))
    tensor([ 3., 12.])
    >>> per_sample = torch.vmap(torch.func.grad(lambda w, x: (w * x).sum()), in_dims=(None, 0))
    >>> per_sample(torch.ones(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    if randomness not in RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def wrapped(*args, **kwargs):
        return call(func, in_dims, out_dims, randomness, chunk_size, args, kwargs)

    return functools.wraps(func)(wrapped)


def call(func, in_dims, out_dims, randomness, chunk_size, args, kwargs):
    """Call a mapped function."""
    if stepping.now.transforms is not None:
        return stepping.now.transforms.run("vmap", func, in_dims, out_dims, randomness, chunk_size, args, kwargs)
    name = name_of(func)
    batch = read_batch(name, in_dims, args)
    if chunk_size is not None:
        return map_chunks(func, name, out_dims, randomness, chunk_size, batch, kwargs)
    return map_samples(func, name, out_dims, randomness, batch, kwargs)


def map_samples(func, name, out_dims, randomness, batch, kwargs):
    """Call ``func`` on batched tensors, which it sees as one sample."""
    size, dims, leaves, spec = batch
    with transform(), level(size, randomness) as own:
        seen = [t if d is None else hide_batch(t, d, own.number) for t, d in zip(leaves, dims, strict=True)]
        result = func(*unflatten(seen, spec), **kwargs)
        return show_batches(name, out_dims, result, own)


@contextmanager
def transform():
    """Return a context that refuses operations which are not allowed inside a transform."""
    before, mode.transforms = mode.transforms, (*mode.transforms, VmapCall(len(running.levels) + 1))
    try:
        yield
    except Lift:
        raise RuntimeError(errors.ITEM) from None
    finally:
        mode.transforms = before


def map_chunks(func, name, out_dims, randomness, chunk_size, batch, kwargs):
    """Compute ``chunk_size`` samples at a time and join the results."""
    size, dims, leaves, spec = batch
    results, structure = [], None
    state = default_generator.get_state() if randomness == "same" else None
    for start in range(0, size, chunk_size) if size else (0,):
        if state is not None:
            default_generator.set_state(state)
        count = min(chunk_size, size - start)
        part = [t if d is None else t.narrow(d, start, count) for t, d in zip(leaves, dims, strict=True)]
        result = map_samples(func, name, out_dims, randomness, (count, dims, part, spec), kwargs)
        parts, structure = flatten(result, is_collection)
        results.append(parts)
    where = flatten_as(out_dims, structure)
    joined = [
        column[0] if dim is None else OPS["cat"].fn(list(column), dim)
        for column, dim in zip(zip(*results, strict=True), where, strict=True)
    ]
    return unflatten(joined, structure)


def name_of(func):
    """Return the name of a function in messages."""
    if isinstance(func, functools.partial):
        return f"functools.partial({name_of(func.func)}, ...)"
    return getattr(func, "__name__", None) or repr(func)


# ── arguments ────────────────────────────────────────────────────────────────
def read_batch(name, in_dims, args):
    """Return (the size of the batch, the dimension of every leaf of the arguments or None, the leaves, their structure)."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) tuple "
            f"matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
            "with no inputs. The latter is unsupported."
        )
    leaves, spec = flatten(args, is_collection)
    dims = flatten_as(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`. in_dims "
            f"has structure {flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    dims = [read_dimension(name, in_dims, leaf, dim) for leaf, dim in zip(leaves, dims, strict=True)]
    return batch_size(leaves, dims), dims, leaves, spec


def read_dimension(name, in_dims, leaf, dim):
    """Return the mapped dimension of an argument, counted from 0; raise ValueError if it has no such dimension."""
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for "
    if not isinstance(dim, int) and dim is not None:
        raise ValueError(f"{start}an input but in_dim must be either an integer dimension or None.")
    if isinstance(dim, int) and not isinstance(leaf, Tensor) and not is_collection(leaf):
        raise ValueError(
            f"{start}an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor arguments, please use None "
            "as the respective in_dim"
        )
    if dim is None:
        return None
    ndim = leaf.ndim
    if not -ndim <= dim < ndim:
        raise ValueError(
            f"{start}some input, but that input is a Tensor of dimensionality {ndim} so expected in_dim to satisfy "
            f"-{ndim} <= in_dim < {ndim}."
        )
    return dim % ndim


def batch_size(leaves, dims):
    """Return the size of the mapped dimensions, which must be equal."""
    sizes = [leaf.shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension"
        )
    return sizes[0]


def flatten_as(dims, spec):
    """Return ``dims``, which may have only the outer part of a structure, for each of its leaves; None if it does not fit."""
    found, own = flatten(dims)
    return _broadcast_dims(iter(found), own, spec)


def _broadcast_dims(leaves, own, spec):
    if own.type is None:
        return [next(leaves)] * spec.num_leaves
    if (own.type, own.context) != (spec.type, spec.context) or len(own.children_specs) != len(spec.children_specs):
        return None
    result = []
    for mine, its in zip(own.children_specs, spec.children_specs, strict=True):
        part = _broadcast_dims(leaves, mine, its)
        if part is None:
            return None
        result += part
    return result


# ── results ──────────────────────────────────────────────────────────────────
def show_batches(name, out_dims, result, own):
    """Return the function's result with the batch dimension of its level at ``out_dims``."""
    leaves, spec = flatten(result, is_collection)
    found = find_out_dims(name, out_dims, spec)
    return unflatten([show_batch(name, t, dim, own) for t, dim in zip(leaves, found, strict=True)], spec)


def find_out_dims(name, out_dims, spec):
    """Return the dimension of the batch, or None, for each leaf of results of a structure."""
    dims, own = flatten(out_dims)
    if not all(isinstance(dim, int) or dim is None for dim in dims):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
            "representing where in the outputs the vmapped dimension should appear."
        )
    if spec.type is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
        found = [out_dims[0]]  # a single result counts as a tuple of one
    else:
        found = flatten_as(out_dims, spec)
    if found is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. "
            f"out_dims has structure {own} but outputs has structure {spec}."
        )
    return found
