"""Functions and methods about facts or memory, for sparse tensors."""

import numpy as np

from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.sparse.array import COO
from tensh.engine.operators.sparse.forms import coalesce_as, dense_of
from tensh.engine.operators.sparse.layouts import TITLES
from tensh.engine.operators.sparse.shapes import select

REQUESTS: dict = {}


def request(fn):
    REQUESTS[fn.__name__] = fn
    return fn


def refusal(kind, text):
    """Make a function that raises."""

    def refuse(self, *args, **options):
        raise kind(text.format(title=TITLES[self.layout], size=self.array.size))

    return refuse


NO_POINTER = "Cannot access data pointer of Tensor that doesn't have storage"
REQUESTS.update(
    numpy=refusal(TypeError, "can't convert {title} layout tensor to numpy. Use Tensor.to_dense() first."),
    tolist=refusal(RuntimeError, NO_POINTER),
    data_ptr=refusal(RuntimeError, NO_POINTER),
    untyped_storage=refusal(NotImplementedError, "Cannot access storage of {title}TensorImpl"),
    storage=refusal(NotImplementedError, "Cannot access storage of {title}TensorImpl"),
    reshape=refusal(RuntimeError, "reshape is not implemented for sparse tensors"),
    flatten=refusal(RuntimeError, "reshape is not implemented for sparse tensors"),
    expand=refusal(RuntimeError, "expand is unsupported for {title} tensors"),
    contiguous=refusal(RuntimeError, "unsupported memory format option Contiguous"),
    setitem=refusal(TypeError, "Cannot assign to a sparse tensor"),
)


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
        raise RuntimeError("Sparse CSR tensors do not have strides")
    return (0,) * self.array.ndim if dim is None else 0


@request
def is_contiguous(self, memory_format=None):
    return False


@request
def storage_offset(self):
    return 0


@request
def unbind(self, dim=0):
    return tuple([select(self, dim, n) for n in range(self.array.shape[dim])])


@request
def zero_(self):
    from tensh.engine.operators.sparse.creation import empty_sparse

    self.array = empty_sparse(self.array.shape, self.array.dtype, self.array.layout, self.array.sparse_dim).array
    return self


@request
def fill_(self, value):
    if self.array.layout is COO:
        raise could_not_run("fill_.Scalar", "SparseCPU")
    self.array = self.array.replace_values(np.full_like(self.array.values, value))
    return self


@request
def copy_(self, src, non_blocking=False):
    if self.array.layout is not src.layout:
        if self.layout is COO:
            raise RuntimeError("copy_() between dense and sparse Tensors is not implemented!")
        return self.copy_(dense_of(src))
    self.array, self.node = src.to(self.dtype).clone().array, src.node
    return self
