"""Sparse tensors of zeros, and tensors like a sparse one: ``zeros``, ``empty``, and the functions named ``*_like``."""

import numpy as np

from tensh.engine.arguments.binding import make_leaf, place
from tensh.engine.arrays.absent import make_absent
from tensh.engine.arrays.memory import copy
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.device import require_strided, strided
from tensh.engine.errors.unavailable import could_not_run, sparse_on_meta
from tensh.engine.operators.sparse.array import BLOCKED, COO, Sparse
from tensh.engine.operators.sparse.creation import empty_sparse, finish, refuse_meta
from tensh.engine.operators.sparse.forms import is_sparse, replace_values
from tensh.engine.operators.sparse.layouts import TITLES

BACKENDS = "SparseCPU", "SparseCsrCPU"

FILLING = {
    "rand": "uniform_", "randn": "normal_", "normal": "normal_", "randint": "random_.from", "randperm": "randperm.generator_out",
    "arange": "arange.start_out", "range": "range.out", "linspace": "linspace.out", "logspace": "logspace.out", "eye": "eye.m_out",
    "empty_strided": "empty_strided", "empty_like": "empty_strided", "new_full": "fill_.Scalar", "new_ones": "fill_.Scalar",
    "scalar_tensor": "fill_.Scalar", "triu_indices": "triu_indices", "tril_indices": "tril_indices",
    "fftfreq": "arange.start_out", "rfftfreq": "arange.start_out",
}  # fmt: skip
"""Functions that make tensors -> the operators that they call, which sparse tensors lack."""


def make_sparse(name, default, given):
    """Make the result of ``zeros`` or ``empty`` in a sparse layout; raise PyTorch's errors for other functions."""
    layout = given["layout"]
    if layout not in TITLES:
        require_strided(layout)
    if name in LIKES and is_sparse(given["input"]):
        return LIKES[name](**given)
    if name not in ("zeros", "empty", "new_zeros", "new_empty", "zeros_like"):
        missing = FILLING.get(name.removeprefix("fft_"), "empty_strided" if name.endswith("_like") else None)
        missing = "resize_" if missing and given.get("out") is not None else missing
        if missing:
            raise could_not_run(missing, BACKENDS[layout is not COO])
        raise RuntimeError("full(...) is not implemented for sparse layout")
    size = given["size"] if "size" in given else given["input"].array.shape
    if layout is not COO and len(size) < 2:
        function = "zeros" if name == "zeros" else "empty"
        raise RuntimeError(
            f"torch.{function}: Only batched sparse compressed (non-block) tensors are supported, but got size {list(size)}"
        )
    if layout in BLOCKED and name == "zeros_like":
        raise RuntimeError("sparse_compressed_tensor_with_dims: blocksize needs to be a tuple of size 2, but got 0")
    if layout in BLOCKED:
        raise RuntimeError(
            f"zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got {TITLES[layout]}"
        )
    refuse_meta(given["device"], given["pin_memory"])
    kind = default if given["dtype"] is None else given["dtype"].numpy
    made, out = empty_sparse(size, kind, layout), given.get("out")
    if out is None:
        return finish(made, given["requires_grad"])
    out.array = made.array
    return out


# ── like a sparse tensor ─────────────────────────────────────────────────────
def make_room(input, dtype, layout):
    """Return a tensor like ``input`` with unset elements: in its own layout, a compressed one keeps its indices."""
    array = input.array
    if array.layout is COO:
        if layout is strided:
            return wrap(np.empty(array.shape, dtype))
        if layout in BLOCKED:
            wanted = f"compressed (non-block) tensor layout but got {TITLES[layout]}"
            raise RuntimeError(f"empty_sparse_compressed expected sparse {wanted}")
        return make_zeros(input, dtype, layout)
    if layout is not array.layout:
        raise RuntimeError(
            "empty_like with different sparse layout is not supported "
            f"(self is {TITLES[array.layout]} but you requested {TITLES[layout]})"
        )
    return replace_values(array.copy(), wrap(np.empty(array.values.shape, dtype)))


def make_zeros(input, dtype, layout):
    """Return a tensor of zeros like ``input``, in a sparse layout without values."""
    array = input.array
    if layout is strided:
        return wrap(np.zeros(array.shape, dtype)) if array.layout is COO else make_room(input, dtype, layout)
    block, dense_dim = array.block, array.ndim - array.batch_dim - array.sparse_dim
    if layout is not COO and (layout in BLOCKED) != bool(block):
        least = "needs to be a tuple of size 2, but got 0"
        reason = f"cannot be specified for non-block layout {TITLES[layout]}" if block else least
        raise RuntimeError(f"sparse_compressed_tensor_with_dims: blocksize {reason}")
    kind = np.int64 if array.layout is COO else array.indices[0].dtype
    return empty_sparse(array.shape, dtype, layout, array.ndim - dense_dim, block, dense_dim, kind)


def fill_like(filling=None, fill=None, make=make_room):
    """Make the rule of a function ``*_like``: ``fill(t, *args)`` fills; ``filling`` is PyTorch's operator for that."""

    def rule(input, *args, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, **options):
        order = options.pop("memory_format", None)
        away = place(device, None, pin_memory)
        layout = input.array.layout if layout is None else layout
        if away and layout is strided:
            return make_leaf(
                make_absent(input.array.shape, input.array.dtype if dtype is None else dtype.numpy), requires_grad
            )
        if away:
            raise sparse_on_meta()
        if order is not None and layout is COO is input.array.layout:
            raise RuntimeError("memory format option is only supported by strided tensors")
        made = make(input, input.array.dtype if dtype is None else dtype.numpy, layout)
        values = made
        if type(made.array) is Sparse:
            if fill is not None and (layout is COO or filling not in ("fill_.Scalar", "normal_")):
                raise could_not_run(filling, BACKENDS[layout is not COO])
            values = wrap(made.array.values)
        elif order is not None:
            values = made = wrap(copy(made.array, order))
        if fill is not None:
            fill(values, *args, **options)
        return make_leaf(made.array, requires_grad) if values is made else finish(made, requires_grad)

    return rule


LIKES = {
    "zeros_like": fill_like(make=make_zeros),
    "empty_like": fill_like(),
    "ones_like": fill_like("fill_.Scalar", lambda t: t.fill_(1)),
    "full_like": fill_like("fill_.Scalar", lambda t, fill_value: t.fill_(fill_value)),
    "rand_like": fill_like("uniform_", lambda t, generator=None: t.uniform_(generator=generator)),
    "randn_like": fill_like("normal_", lambda t, generator=None: t.normal_(generator=generator)),
    "randint_like": fill_like(
        "random_.from", lambda t, high, low=0, generator=None: t.random_(low, high, generator=generator)
    ),
}
"""Function -> its rule."""
