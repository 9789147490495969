"""Functions and methods about facts or memory, for sparse tensors."""

import numpy as np

from tensh.engine.dtypes.device import contiguous_format
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.sparse.array import COO
from tensh.engine.operators.sparse.forms import coalesce_as, dense_of
from tensh.engine.operators.sparse.layouts import TITLES
from tensh.engine.operators.sparse.rules import title_of
from tensh.engine.operators.sparse.shapes import select

REQUESTS: dict = {}


def request(fn):
    REQUESTS[fn.__name__] = fn
    return fn


def make_refusal(kind, text):
    """Make a function that raises."""

    def refuse(self, *args, **options):
        raise kind(text.format(title=TITLES[self.layout], size=self.array.size))

    return refuse


NO_POINTER = "Cannot access data pointer of Tensor that doesn't have storage"
REQUESTS.update(
    numpy=make_refusal(TypeError, "can't convert {title} layout tensor to numpy. Use Tensor.to_dense() first."),
    tolist=make_refusal(RuntimeError, NO_POINTER),
    data_ptr=make_refusal(RuntimeError, NO_POINTER),
    untyped_storage=make_refusal(NotImplementedError, "Cannot access storage of {title}TensorImpl"),
    storage=make_refusal(NotImplementedError, "Cannot access storage of {title}TensorImpl"),
    reshape=make_refusal(RuntimeError, "reshape is not implemented for sparse tensors"),
    flatten=make_refusal(RuntimeError, "reshape is not implemented for sparse tensors"),
    expand=make_refusal(RuntimeError, "expand is unsupported for {title} tensors"),
    setitem=make_refusal(TypeError, "Cannot assign to a sparse tensor"),
)


@request
def contiguous(self, memory_format=contiguous_format):
    raise RuntimeError(f"unsupported memory format option {title_of(memory_format)}")


@request
def backward(self, gradient=None, *args, **options):
    return self.backward(dense_of(gradient) if gradient is not None else None, *args, **options)


@request
def item(self):
    if self.array.size != 1:
        raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
    if self.array.layout is not COO:
        raise could_not_run("_local_scalar_dense", "SparseCsrCPU")
    return coalesce_as(self).array.values.sum().item() if self.array.nnz else 0


@request
def is_nonzero(self):
    if self.array.size > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(item(self))


@request
def stride(self, dim=None):
    if self.array.layout is not COO:
        raise RuntimeError(f"Sparse {self.array.layout.name[7:].upper()} tensors do not have strides")
    return (0,) * self.array.ndim if dim is None else 0


@request
def is_contiguous(self, memory_format=None):
    if self.array.layout is not COO:
        raise RuntimeError(f"Sparse {self.array.layout.name[7:].upper()} tensors do not have is_contiguous")
    return False


@request
def storage_offset(self):
    return 0


@request
def unbind(self, dim=0):
    return tuple([select(self, dim, n) for n in range(self.array.shape[dim])])


@request
def zero_(self):
    from tensh.engine.operators.sparse.likes import make_zeros

    self.array = make_zeros(self, self.array.dtype, self.array.layout).array
    return self


@request
def fill_(self, value):
    if self.array.layout is COO:
        raise could_not_run("fill_.Scalar", "SparseCPU")
    self.array = self.array.replace_values(np.full_like(self.array.values, value))
    return self


@request
def copy_(self, src, non_blocking=False):
    ours, theirs = TITLES[self.layout], TITLES[src.layout]
    if "SparseC" in ours or "SparseB" in ours:
        if ours != theirs:
            raise RuntimeError(
                "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. "
                f"self layout is {ours} and src layout is {theirs}"
            )
        if self.array.nnz != src.array.nnz:
            raise RuntimeError(
                "torch.copy_: only sparse compressed tensors with the same number of specified elements are supported."
            )
    elif theirs not in ("Sparse", "Strided"):
        raise RuntimeError(f"copy_sparse_compressed_ expected sparse compressed tensor layout but got {ours}")
    elif ours != theirs:
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{self.type()} and src type = {src.type()}"
        )
    self.array, self.node = src.to(self.dtype).clone().array, src.node
    return self


@request
def new(self, *args, **given):
    from tensh.engine.operators.sparse.legacy import construct

    if self.array.layout is not COO:
        raise RuntimeError("Cannot map DispatchKey SparseCsrCPU to a unique layout.")
    return construct(self.dtype, args, given, "SparseTensor.new")
