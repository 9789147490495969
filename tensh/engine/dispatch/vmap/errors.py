"""PyTorch's errors for requests that have no single answer for all samples."""

from tensh.engine.autograd.transforms import VmapCall
from tensh.engine.core.clock import mode
from tensh.engine.dispatch.vmap.equal_samples import find_sample
from tensh.engine.methods.printing.format import text

LEGACY_ELEMENTS = (
    # raised with is_grads_batched
    "Batching rule not implemented for aten::is_nonzero. We could not generate a fallback."
)
ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please "
    "try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please "
    "file a bug report."
)
CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
    "please file an issue at https://github.com/pytorch/pytorch/issues ."
)
READING = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some data-dependent "
    "control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap over calling .item() on a "
    "Tensor, please try to rewrite what you're doing with other operations. For (2): we don't support data-dependent control flow "
    "in vmap yet, please file an issue at https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)
NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
REQUIRES_GRAD = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a "
    "function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch transforms "
    "(e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being transformed instead."
)
BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)
DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. Please file an "
    "issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
BY_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a "
    "boolean mask."
)
MASKED_SELECT = (
    "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each batch "
    "this would return a differently shaped Tensor. Please file an issue at https://github.com/pytorch/pytorch/issues if you "
    "need this feature."
)
RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness "
    "flags on vmap or perform the randomness operation out of vmap"
)
SAME = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
UNBATCHED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If this "
    "is necessary for your usage, please file an issue with functorch."
)
OUT = "Batching rule not implemented for aten::{}.out; the fallback path doesn't work on out= or view ops."
SMALLER = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements "
    "than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please try to "
    "use out-of-place operators instead of {0}. If said operator is being called inside the PyTorch framework, please file a "
    "bug report instead."
)
SMALLER_IN_FALLBACK = (
    "vmap: aten::{0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over at level {1}. "
    "Please try to use out-of-place operators instead of aten::{0}. If said operator is being called inside the PyTorch "
    "framework, please file a bug report instead."
)


def make_refusal(message, error=RuntimeError):
    """Return a method that raises."""

    def refuse(self, *args, **options):
        raise error(message)

    return refuse


def make_reader(name, message, differentiated=READING):
    """Return the method ``name`` for samples that are equal, which raises for others.

    PyTorch has another message, ``differentiated``, where the innermost transform is a derivative.
    """

    def read(self, *args):
        sample = find_sample(self)
        if sample is None:
            inner = mode.transforms[-1:]
            raise RuntimeError(differentiated if inner and type(inner[0]) is not VmapCall else message)
        return getattr(sample, name)(*args)

    return read


elements = make_refusal(NO_STORAGE)
set_requires_grad = make_refusal(REQUIRES_GRAD)
data = make_refusal("accessing `data` under vmap transform is not allowed")
set_data = make_refusal("mutating directly with `.data` under vmap transform is not allowed.")


def set_grad(t, grad):
    """Set ``t.grad``."""
    if grad is not None:
        raise RuntimeError(REQUIRES_GRAD)


def format_sample(t, format_spec=""):
    """Format a batched tensor; one without dimensions is formatted as a number."""
    return format(t.item(), format_spec) if t.array.ndim == 0 else object.__format__(t, format_spec)


def sample_text(t, *, tensor_contents=None):
    """Return the text of a BatchedTensor: its value, within a line for every level."""
    return text(t)


no_storage = make_refusal("Cannot access storage of BatchedTensorImpl", NotImplementedError)
METHODS = {
    **{name: make_reader(name, ITEM) for name in "item __float__ __int__ __complex__ __index__ __contains__".split()},
    **{name: make_reader(name, CONTROL_FLOW) for name in ("__bool__", "is_nonzero")},
    "tolist": make_reader("tolist", NO_STORAGE, NO_STORAGE), "numpy": elements, "__array__": elements, "data_ptr": elements,
    "requires_grad_": set_requires_grad, "backward": make_refusal(BACKWARD), "__repr__": sample_text,
    "__format__": format_sample,
    "__deepcopy__": no_storage, "__reduce_ex__": no_storage, "untyped_storage": no_storage, "set_": no_storage,
    "is_shared": no_storage, "share_memory_": no_storage, "apply_": elements, "map_": elements,
    "pin_memory": make_refusal(
        "Batching rule not implemented for aten::pin_memory; the fallback path doesn't work on out= or view ops."
    ),
}  # fmt: skip
"""The methods of a BatchedTensor that raise, or read a sample that is equal to all others."""
