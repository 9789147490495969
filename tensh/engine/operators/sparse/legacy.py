"""The old constructors of sparse tensors: ``torch.sparse.FloatTensor(indices, values, size)``."""

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.dtypes.device import CONSTANTS, device
from tensh.engine.dtypes.dtype import ALL
from tensh.engine.dtypes.size import Size
from tensh.engine.errors.warnings import warn_once
from tensh.engine.methods.creation.legacy import LEGACY, tensortype
from tensh.engine.operators.sparse.creation import sparse_coo_tensor

FORMS = (
    "(*, torch.device device = None)",
    "(Tensor indices, Tensor values, *, torch.device device = None)",
    "(Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None)",
    "(tuple of ints size, *, torch.device device = None)",
)


class SparseType(tensortype):
    """The kind of ``torch.sparse.FloatTensor`` and the like: a class for ``isinstance``, a constructor when called."""

    @shows("cls, indices_or_size=None, values=None, size=None", "device=None")
    def __call__(cls, *args, **given):
        return construct(cls.dtype, args, given)


def construct(dtype, args, given, name="torch.sparse.SparseTensor"):
    """Construct a sparse tensor; the constructors warn that they are deprecated, ``Tensor.new`` does not."""
    if len(args) == 1 and type(args[0]) in (tuple, list) and all(isinstance(each, int) for each in args[0]):
        raise TypeError(
            f"{name}(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a strided tensor and "
            "convert it to sparse via to_sparse."
        )
    given = bind("new", FORMS, args, given)
    where = given.pop("device", None)
    if name.startswith("torch"):
        parts = [each for each in ("indices", "values") if each in given] + ["shape"] * ("size" in given)
        before, after = (f"{', '.join(parts)}, *, device=", ", device=") if parts else ("", "")
        warn_once(
            f"torch.sparse.SparseTensor({before}) is deprecated.  Please use torch.sparse_coo_tensor("
            f"{', '.join(parts) or '(0,)'}, dtype={after})."
        )
    if where is not None and device(where).type != "cpu":
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {device(where).type} was passed"
        )
    if "values" in given:
        if (found := given["indices"].dtype) is not ALL["int64"]:
            least = f"expected scalar type Long but found {found.title}"
            raise RuntimeError("indices must be an int64 tensor" if "size" in given else least)
        return sparse_coo_tensor(given["indices"], given["values"], given.get("size"), check_invariants=False)
    return sparse_coo_tensor(Size(given.get("size", (0,))), dtype=dtype)


SparseType.__name__ = SparseType.__qualname__ = tensortype.__name__
SparseType.__module__ = tensortype.__module__


def sparse_type(which):
    """The type of sparse tensors named after a dtype."""
    members = {
        "__module__": "torch.sparse", "dtype": which, "is_cuda": False, "is_sparse": True, "layout": CONSTANTS["sparse_coo"],
        "__doc__": f"Sparse tensors of {which}, as a constructor: indices and values.  ``sparse_coo_tensor`` is preferred.",
    }  # fmt: skip
    return SparseType(which.legacy, (), members)


TYPES = {which.legacy: sparse_type(which) for which in LEGACY if which is not ALL["bool"]}
"""Name -> type, as ``torch.sparse`` has them."""

globals().update(TYPES)
