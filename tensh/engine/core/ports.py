"""Ports: calls to functions of higher modules, which import the calling module.  No other import of the engine is circular.

A port names a function and its module, which is imported at the first call.  Usually it has been imported by then: a tensor
with a hidden batch dimension, for example, comes from the package that its port calls.
"""

import sys
from functools import cached_property
from importlib import import_module


class Port:
    """A function of tensh by the names of its module and itself."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    @cached_property
    def function(self):
        return getattr(import_module(f"tensh.{self.module}"), self.name)

    def __call__(self, *args, **options):
        return self.function(*args, **options)


class LiftPort(Port):
    """A function in the package that answers the ``Lift`` in hand: see Note [Batches] in core/lift.py."""

    def __call__(self, *args, **options):
        package = getattr(sys.exception(), "package", "vmap")
        if package == "vmap":
            return self.function(*args, **options)
        module = import_module(f"tensh.engine.{package}.dispatch")
        return getattr(module, self.name)(*args, **options)


construct = Port("engine.methods.creation.legacy", "construct")
"""``construct(cls, args, options)``: the result of ``torch.Tensor(...)``."""

is_generator = Port("engine.random.generator", "is_generator")
"""True if a value is a generator of random numbers.  Few programs need the module."""

batched_operator = LiftPort("engine.dispatch.vmap.dispatch", "operator")
"""``batched_operator(name, *args, **options)``: an operator on tensors with hidden batch dimensions, or "add_"."""

batched_function = LiftPort("engine.dispatch.vmap.dispatch", "function")
"""``batched_function(name, fn, args, options)``: a composite on such tensors; ``fn(*args, **options)`` calls it."""

batched_custom = Port("engine.dispatch.vmap.custom", "apply_custom")
"""``batched_custom(cls, args)``: ``cls.apply(*args)`` on such tensors, for a derivative written by the user."""

batched_grad = Port("engine.dispatch.vmap.differentiation", "grad")
"""``autograd.grad`` of such tensors, or by batched weights."""

grad_by_batches = Port("engine.dispatch.vmap.differentiation", "differentiate_batches")
"""``autograd.grad`` of ordinary tensors by weights whose first dimension is a batch."""

call_node = Port("engine.autograd.calling", "call_node")
"""``call_node(node, *grads)``: the gradients of a node's inputs for those of its outputs."""

make_leaf = Port("engine.autograd.leaves", "make_leaf")
"""``make_leaf(node)``: the tensor of a leaf that only its node has kept."""

mark_inference = Port("engine.autograd.inference", "mark")
"""``mark_inference(t)``: mark a new view of an inference tensor as an inference tensor."""

inference_operand = Port("engine.autograd.inference", "as_operand")
"""``inference_operand(t)``: the node of a tensor of inference mode, which the node of a gradient must not save."""

make_sparse = Port("engine.operators.sparse.likes", "make_sparse")
"""``make_sparse(name, default, given)``: the tensor of zeros that ``zeros`` or ``empty`` was asked for in a sparse layout."""

tensor_html = Port("show.printed.html", "tensor_html")
"""``tensor_html(t)``: a tensor as a notebook shows it."""

reduce_tensor = Port("_utils", "reduce_tensor")
reduce_parameter = Port("_utils", "reduce_parameter")
reduce_storage = Port("storage", "reduce_storage")
"""A tensor, a parameter, and the memory of tensors, in the form of PyTorch's pickles."""

dispatch_override = Port("engine.dispatch.override.dispatch", "dispatch")
"""``dispatch_override(point, args, options)``: the result of a public function that arguments or a mode may override."""

answer_override = Port("engine.dispatch.override.dispatch", "answer_late")
"""The answer of an overriding argument to a call that failed with it, as a tuple of one."""

dispatch_aten = Port("_aten.translation", "call")
"""``dispatch_aten(point, args, options)``: a function as PyTorch's operators, which modes and classes see."""

dispatch_lifted = Port("_aten.translation", "lift_call")
"""``dispatch_lifted(name, args, options)``: an operator or composite that has met a tensor of a wrapper subclass."""

dispatch_operator = Port("_aten.translation", "call_inner")
"""``dispatch_operator(point, args, options)``: an operator that a composite calls while a dispatch mode is entered."""

run_watched = Port("_aten.derivatives.watched", "run_watched")
"""``run_watched(function, *args)``: a backward pass whose steps are calls of ``aten`` operators."""

make_wrapper_subclass = Port("engine.dispatch.override.wrappers", "make_wrapper_subclass")
make_subclass = Port("engine.dispatch.override.classes", "make_subclass")
torch_function = Port("engine.dispatch.override.classes", "torch_function")
"""``_make_wrapper_subclass``, ``_make_subclass`` and ``__torch_function__`` of tensors; few programs have subclasses."""

compile_forward = Port("compiler.in_place", "CompiledForward")
"""``compile_forward(module, options)``: the ``forward`` of a module that is compiled in place."""
