"""Attributes and methods of a tensor for autograd and for its memory, which exist from the start."""

import weakref
from collections import OrderedDict

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent
from tensh.engine.autograd.inference import REQUIRE, VERSION, is_inference, mark_like
from tensh.engine.autograd.leaves import rest_leaf, set_data, wake_leaf
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.core.clock import mode, version
from tensh.engine.core.hooks import hooks_of
from tensh.engine.core.nodes import AccumulateGrad, NoGradView, Output, uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import INFERENCE, locked_view_error, refresh_node, stale
from tensh.engine.dtypes.device import CONSTANTS, strided
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE, dtype
from tensh.engine.errors.views import INDIRECTLY
from tensh.engine.errors.warnings import warn
from tensh.support.naming import name_type


def member(name=None, **accessors):
    """Add a property to Tensor."""

    def hang(get):
        called = name or get.__name__
        refuse = make_refusal(called)
        delete = accessors.get("delete", refuse)
        setattr(Tensor, called, property(get, accessors.get("set", refuse), delete, doc=get.__doc__))
        return get

    return hang


def make_refusal(name):
    """Return a function that refuses to set a property, or to delete it."""

    def refuse(t, value=None):
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return refuse


# ── gradient state ───────────────────────────────────────────────────────────
LEAVES_ONLY = "you can only change requires_grad flags of leaf variables."
DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)


def _set_requires_grad(t, flag):
    """Set ``t.requires_grad``: unlike ``requires_grad_``, refuse any value for computed tensors."""
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    if flag and t.array.dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    if flag and _is_computed(t):
        raise RuntimeError(LEAVES_ONLY)
    _record(t, flag)


def _is_computed(t):
    """Return True if an operation computed the tensor; a view that is permanently stale keeps its first node."""
    node = t.node if stale(t) else refresh_node(t)
    return uses_gradient(node) and type(node) not in (AccumulateGrad, NoGradView)


def _record(t, flag):
    """Start or stop recording operations on a leaf."""
    if _is_computed(t):
        if not flag:
            raise RuntimeError(LEAVES_ONLY + DETACH)
        return
    if stale(t):
        return
    node = refresh_node(t)
    if type(node) is NoGradView:
        if flag:
            t.node = AccumulateGrad(t)
    elif flag and not uses_gradient(node):
        if t._base is INFERENCE and not mode.inference:
            raise RuntimeError(REQUIRE)
        if t.array.dtype.kind not in DIFFERENTIABLE:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        wake_leaf(t)
        for level in mode.levels:
            level.share_tangent(t.node, node)
    elif not flag and uses_gradient(node):
        rest_leaf(t)


def _refuse_deletion(t):
    raise RuntimeError("requires_grad must be a bool")


@member(set=_set_requires_grad, delete=_refuse_deletion)
def requires_grad(t):
    """Return True if operations on this tensor are recorded; for a view, also if those on its base are."""
    return uses_gradient(t.node) or t._base is not None and uses_gradient(t._base.node)


@member()
def is_leaf(t):
    """Return True if the user made this tensor, rather than an operation on one that requires grad."""
    return t.grad_fn is None


@member()
def grad_fn(t):
    """The node of the operation that computed this tensor; None for leaves."""
    if stale(t):
        raise RuntimeError(locked_view_error(t, INDIRECTLY))
    node = refresh_node(t)
    if type(node) is Output and uses_gradient(node):
        return node.inputs[0]
    return node if uses_gradient(node) and type(node) not in (AccumulateGrad, NoGradView) else None


def _set_grad(t, grad):
    """Set ``t.grad``; raise PyTorch's errors for a gradient of another dtype, device or shape."""
    node = t.node
    accumulates = type(node) is AccumulateGrad
    if grad is not None:
        if not isinstance(grad, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {name_type(grad)}")
        if grad is t:
            raise RuntimeError("can't assign Variable as its own grad")
        expected = node.dtype if accumulates else t.array.dtype
        if expected is not None and grad.array.dtype != expected:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{grad.dtype.spoken}' to a tensor with grad_dtype "
                f"'{BY_NUMPY[expected].title}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can "
                "set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
                "caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they "
                "match."
            )
        if type(grad.array) is not type(t.array) and grad.device != t.device:
            raise RuntimeError(
                f"attempting to assign a gradient with device type '{grad.device.type}' to a tensor with device type "
                f"'{t.device.type}'. Please ensure that the gradient and the tensor are on the same device"
            )
        if type(grad.array) is not type(t.array) and t.layout is not strided:
            raise RuntimeError("attempting to assign a gradient to a tensor that has data of a different type")
        if grad.array.shape != t.array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size '{list(t.shape)}'. "
                "Please ensure that the gradient and the tensor are the same size"
            )
    if accumulates:
        node.grad = grad
    else:
        t._kept = grad


@member(set=_set_grad, delete=lambda t: _set_grad(t, None))
def grad(t):
    """The gradient that ``backward`` accumulated, or None."""
    node = t.node
    if type(node) is AccumulateGrad:
        return node.grad
    if t._kept is None and uses_gradient(node) and type(node) is not NoGradView and not t.retains_grad:
        warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
            "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
            "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
            "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
        )
    return t._kept


Tensor._grad = Tensor.grad


def _grad_dtype(t):
    """Return the dtype that a leaf's gradient must have; None for any."""
    if type(t.node) is not AccumulateGrad:
        return t.dtype
    return None if t.node.dtype is None else BY_NUMPY[t.node.dtype]


def _set_grad_dtype(t, value):
    if value is not None and not isinstance(value, dtype):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
    if _is_computed(t):
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if type(t.node) is not AccumulateGrad:
        if value is not t.dtype:
            raise RuntimeError("grad_dtype can only be set on tensors that require grad")
        return
    if value is not None and t.node.grad is not None and t.node.grad.dtype is not value:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{value.title}' because there is already a gradient with dtype "
            f"'{t.node.grad.dtype.spoken}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the "
            "new grad_dtype matches the existing gradient's dtype."
        )
    t.node.dtype = None if value is None else value.numpy


@member(set=_set_grad_dtype)
def grad_dtype(t):
    """The dtype of a leaf's gradient, by default that of the tensor; None allows any."""
    if _is_computed(t):
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return _grad_dtype(t)


def _set_backward_hooks(t, hooks):
    """Replace the hooks on the gradient, as functions that rebuild tensors from files do; None removes them."""
    node = t.node
    if node is not None and (hooks or node.hooks is not None):
        hooks_of(node).tensor = OrderedDict(hooks or {})


@member(set=_set_backward_hooks)
def _backward_hooks(t):
    """The hooks on the gradient of this tensor; None if there have been none."""
    node = t.node
    return node.hooks.tensor if node is not None and node.hooks is not None else None


@member()
def _post_accumulate_grad_hooks(t):
    """The hooks that are called with a leaf after its gradient was accumulated; None if there have been none."""
    node = t.node
    return node.hooks.accumulated if node is not None and node.hooks is not None and node.hooks.accumulated else None


@member()
def retains_grad(t):
    """Return True if the tensor is computed and keeps its gradient."""
    node = t.node if stale(t) else refresh_node(t)
    return (
        type(node) is not AccumulateGrad and node is not None and node.hooks is not None and id(t) in node.hooks.retain
    )


def requires_grad_(self, requires_grad=True):
    """Set ``requires_grad`` in place and return the tensor.

    Raise RuntimeError for integers, and to set a computed tensor to False.
    """
    if mode.transforms:
        mode.transforms[-1].refuse("requires_grad_()")
    if not isinstance(requires_grad, bool):
        raise RuntimeError("requires_grad must be a bool")
    _record(self, requires_grad)
    return self


def retain_grad(self):
    """Keep the gradient of a computed tensor in ``.grad``, too.  Raise RuntimeError if it requires no grad."""
    if (self.node is None or type(self.node) is NoGradView) and self.requires_grad and stale(self):
        return  # a view without history, which PyTorch treats as a leaf
    node = refresh_node(self)
    if not uses_gradient(node):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if mode.transforms:
        mode.transforms[-1].refuse("retain_grad()")
    if type(node) in (AccumulateGrad, NoGradView) or self.retains_grad:
        return
    reference = weakref.ref(self)

    def keep(g):
        t = reference()
        if t is not None:
            if g.node is not None:
                t._kept = g if t._kept is None else t._kept + g
            else:
                t._kept = wrap(g.array.copy() if t._kept is None else t._kept.array + g.array)

    hooks_of(node).retain[id(self)] = keep


def register_hook(self, hook):
    """Call ``hook(grad)`` whenever the gradient of this tensor is computed; a returned tensor replaces it.

    Raise RuntimeError for a tensor that requires no grad.
    """
    node = refresh_node(self)
    if not uses_gradient(node):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if type(node) is Output and not hooks_of(node).tensor:
        from tensh.engine.autograd.output_hooks import call_without_gradient

        call_without_gradient(node)
    return hooks_of(node).add("tensor", hook)


def register_post_accumulate_grad_hook(self, hook):
    """Call ``hook(tensor)`` after a gradient was added to this leaf's ``.grad``.  Raise RuntimeError for non-leaves."""
    node = refresh_node(self)
    if not uses_gradient(node):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if type(node) is not AccumulateGrad:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return hooks_of(node).add("accumulated", hook)


def detach(self):
    """Return a view without history: the two share their memory and the count of writes."""
    return mark_like(wrap(self.array), self)


def detach_(self):
    """Detach this tensor from its history, in place; do nothing in inference mode.  Raise RuntimeError for a view."""
    if mode.inference:
        return self
    if self._base is not None and self._base is not INFERENCE:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
            "cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
            "torch/optim/optimizer.py as the solution."
        )
    if type(self.node) is AccumulateGrad:
        rest_leaf(self)
    self.node = None
    return self


# ── memory ───────────────────────────────────────────────────────────────────
def _keep_data(t):
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


@member(set=set_data, delete=_keep_data)
def data(t):
    """A view without history, whose writes are not counted as writes to this tensor."""
    return mark_like(wrap(memory.share_apart(t.array)), t)


@member()
def _version(t):
    """The number of in-place writes to the memory.  Raise RuntimeError for tensors made in inference mode."""
    if is_inference(t):
        raise RuntimeError(VERSION)
    return version(t.array)


@member()
def _cdata(t):
    """A number that is unique among living tensors."""
    return id(t)


@member()
def is_cpu(t):
    """Return True unless the tensor is on "meta"."""
    return type(t.array) is not Absent


@member()
def is_meta(t):
    """True on the device "meta", where tensors have no elements."""
    return type(t.array) is Absent


@member()
def is_sparse(t):
    """Return True for a sparse tensor of the layout torch.sparse_coo."""
    return t.layout is CONSTANTS["sparse_coo"]


@member()
def is_sparse_csr(t):
    """Return True for a sparse tensor of the layout torch.sparse_csr."""
    return t.layout is CONSTANTS["sparse_csr"]


ELSEWHERE = "False: tensh computes on the CPU only."
for _name, _doc in {
    **dict.fromkeys("is_cuda is_mkldnn is_mps is_xpu is_xla".split(), ELSEWHERE),
    "is_quantized": "False: tensh has no quantized numbers.",
    "is_nested": "True for a nested tensor, which is of another class.",
}.items():
    setattr(Tensor, _name, property(lambda t: False, doc=_doc))


def is_floating_point(self):
    """Return True if the dtype is one of the floating point dtypes."""
    return BY_NUMPY[self.array.dtype].is_floating_point


# ── methods ──────────────────────────────────────────────────────────────────
for _each in (requires_grad_, retain_grad, register_hook, register_post_accumulate_grad_hook, detach, detach_,
              is_floating_point):  # fmt: skip
    METHODS.setdefault(_each.__name__, _each)
PUBLIC.update(detach=detach, detach_=detach_, is_floating_point=is_floating_point)
