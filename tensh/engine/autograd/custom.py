"""autograd.Function: operators whose forward and backward the user writes."""

import inspect

from tensh.engine.autograd.context import BackwardCFunction, Many, SavedOutput, make_node_class
from tensh.engine.autograd.custom_jvp import carry
from tensh.engine.autograd.inference import SAVE
from tensh.engine.autograd.packing import pack_custom
from tensh.engine.core import ports
from tensh.engine.core.clock import announce, listeners, mode, owner, stamp_write, tick
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import AccumulateGrad, Output, uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import INFERENCE, derive_again, record_view, refresh_node
from tensh.engine.dispatch.capture.nested import nesting
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.views import CUSTOM
from tensh.engine.errors.warnings import warn
from tensh.engine.inplace.writes import nodes_of_write, rebase_history, refuse_unrecordable

SEVERAL_OF_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one "
    "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view "
    "(using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two Functions: "
    "one doing the inplace that returns a single Tensor and a second one that does the other operations). You can ask on the "
    "forum https://discuss.pytorch.org/ if you need help to do this change."
)


class NodeClass:
    """The node class of a function: a class attribute that is made when it is first read, with the function's first name."""

    def __init__(self, name):
        self.name = name

    def __get__(self, instance, cls):
        made = make_node_class(cls, f"{self.name}Backward")
        cls._backward_cls = made
        return made


class Function:
    """A differentiable function written by the user: subclass it, and call ``apply``.

    ``forward(ctx, *args)`` computes; ``backward(ctx, *grads)`` returns a gradient (or None) for every argument.  With a
    ``setup_context(ctx, inputs, output)``, forward has no ``ctx``.

    >>> import tensh as torch
    >>> class Exp(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, i):
    ...         result = i.exp()
    ...         ctx.save_for_backward(result)
    ...         return result
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         (result,) = ctx.saved_tensors
    ...         return grad_output * result
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> Exp.apply(x)
    tensor([2.7183], grad_fn=<ExpBackward>)
    """

    __module__ = "torch.autograd.function"
    generate_vmap_rule = False

    def __init__(self, *unused, **unused_options):
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *args, **options):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **options):
        """Compute the result; the first argument is ``ctx`` unless the class has a ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Tell ``ctx`` what ``backward`` will need."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of the arguments."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
            "mode AD."
        )

    vjp = staticmethod(lambda ctx, *grad_outputs: Function.backward(ctx, *grad_outputs))

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The forward derivative."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args):
        """The rule for batched arguments."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
        )

    @classmethod
    def derivative(cls):
        """Return the backward (or vjp, its other name) that the user wrote."""
        backward, vjp = cls.backward is not Function.backward, cls.vjp is not Function.vjp
        if backward and vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one "
                "of them."
            )
        return cls.vjp if vjp else cls.backward

    _backward_cls = NodeClass("Function")

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls._backward_cls = NodeClass(cls.__name__)

    @classmethod
    def _node(cls):
        return cls._backward_cls()

    @classmethod
    def apply(cls, *args, **options):
        """Call the function and record it as one node."""
        if cls._separate():
            args = bind_with_defaults(cls.forward, args, options)
        elif options:
            args = bind_names(cls.forward, args, options)
        node = cls._node()
        node.places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor))
        try:
            node.edges = edges = tuple([refresh_node(args[i]) for i in node.places])
        except Lift:
            return ports.batched_custom(cls, args)
        node.facts = [(a.array.shape, a.array.dtype) if isinstance(a, Tensor) else None for a in args]
        node.needs_input_grad = tuple(isinstance(a, Tensor) and uses_gradient(refresh_node(a)) for a in args)
        if mode.transforms:
            cls.require_separate()
        recording = mode.grad is True and any(uses_gradient(n) for n in edges)
        if recording:
            node.inputs = edges
        if nesting.recorder is not None:
            return nesting.recorder.apply_function(cls, node, args, edges if recording else None)
        return record_outputs(cls, node, args, edges if recording else None, call_forward(cls, node, args))

    @classmethod
    def _separate(cls):
        return cls.setup_context is not Function.setup_context

    @classmethod
    def require_separate(cls):
        """Raise unless forward and setup_context are separate, as transforms require."""
        if not cls._separate():
            raise RuntimeError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
                "override the setup_context staticmethod. For more details, please see "
                "https://pytorch.org/docs/main/notes/extending.func.html"
            )


def call_forward(cls, node, args):
    """Return what the forward of a custom function returns."""
    before, mode.grad = mode.grad, False
    try:
        if not cls._separate():
            return cls.forward(node.context(node), *args)
        result = cls.forward(*args)
        cls.setup_context(node.context(node), args, result)
        return result
    finally:
        mode.grad = before


def bind_with_defaults(forward, args, options):
    """Return the arguments of a forward without ctx in order: setup_context gets defaults, too."""
    code = getattr(forward, "__code__", None)
    if not options and code is not None and code.co_argcount == len(args) and not code.co_kwonlyargcount:
        return args
    bound = inspect.signature(forward).bind(*args, **options)
    bound.apply_defaults()
    for name in bound.kwargs:
        raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    return bound.args


def bind_names(forward, args, options):
    """Return the arguments of a forward with ctx in order; those given by name must follow the others without a gap."""
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [name for name, parameter in inspect.signature(forward).parameters.items() if parameter.kind in kinds][1:]
    for name in options:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    following = names[len(args) : 1 + max(map(names.index, options))]
    for place, name in enumerate(following, len(args)):
        if name not in options:
            raise TypeError(f"forward() missing required argument: '{name}' (position {place})")
    return *args, *map(options.get, following)


def record_outputs(cls, node, args, edges, result):
    """Return the outputs of a custom function, connected to its node (unless ``edges`` is None: nothing is recorded)."""
    single = not isinstance(result, tuple)
    outputs = (result,) if single else result
    inputs = [a for a in args if isinstance(a, Tensor)]
    _require_tensors("mark_dirty can only accept variables, but argument ", node.dirty_tensors or ())
    _require_tensors("mark_non_differentiable only accepts variable arguments, but got ", node.non_differentiable or ())
    dirty = {id(t) for t in node.dirty_tensors or ()}
    if dirty:
        _require_returned(node, outputs)
        if not dirty.issubset(map(id, inputs)):
            warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
                "passed to ctx.mark_dirty()."
            )
    constant = {id(t) for t in node.non_differentiable or ()}
    number = sum(isinstance(o, Tensor) for o in outputs)
    outputs = tuple(
        _separate_output(o, inputs, dirty, edges is not None and id(o) not in constant, number) for o in outputs
    )
    if edges is not None:
        returned = (result,) if single else result
        changed = {id(t): edge for t, edge in zip(inputs, edges) if id(t) in dirty}
        _connect(node, outputs, returned, changed)
        _keep(node, outputs, returned, {id(t) for t in inputs} - dirty)
    if mode.levels and mode.forward:
        carry(node, args, (result,) if single else result, outputs)
    return outputs[0] if single else outputs


def _separate_output(o, inputs, dirty, recording, number):
    """Return the output as a separate tensor: for an unchanged input, a locked view of it, or a detached one."""
    if not isinstance(o, Tensor):
        return o
    if id(o) in dirty:
        if recording:
            if type(o.node) is AccumulateGrad:
                raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
            refuse_unrecordable(o)
            if o._base is not None and number > 1:
                raise RuntimeError(SEVERAL_OF_VIEW)
        stamp_write(o.array)
        return o
    if is_wrapper(o):  # its memory is no evidence
        return o.detach() if any(i is o for i in inputs) else o
    shared = [i for i in inputs if i is o or not is_wrapper(i) and owner(i.array) is owner(o.array)]
    if not shared:
        return o
    source = o if any(i is o for i in shared) else shared[0]
    if source is o and o.requires_grad and not recording:
        return o.detach()
    shown = wrap(o.array.view())
    return record_view(source, shown, CUSTOM)


def _connect(node, outputs, returned, changed):
    """Connect the outputs to the node; ``changed``: id of an input that was written -> its previous node."""
    off = {id(t) for t in node.non_differentiable or ()}
    differentiable = [
        i
        for i, o in enumerate(outputs)
        if isinstance(o, Tensor) and o.array.dtype.kind in DIFFERENTIABLE and id(returned[i]) not in off
    ]
    since = tick()
    node.time = tick()
    node.op = Many(len(outputs) > 1)
    if node.op.many:
        node.shape = [(o.array.shape, o.array.dtype) if isinstance(o, Tensor) else None for o in outputs]
        for i in reversed(differentiable):  # hooks of the first output are called first
            _attach(outputs[i], Output(node, i, node.shape[i]), changed, since)
    elif differentiable:
        node.shape, node.dtype = outputs[0].array.shape, outputs[0].array.dtype
        _attach(outputs[0], node, changed, since)
    for o in outputs:
        if isinstance(o, Tensor) and o._base is not None:
            o._time = node.time
    if listeners:
        announce(node, outputs)


def _attach(t, node, changed, since):
    """Connect an output to its node; for a view that was written, connect the base."""
    if t._base is not None and id(t) in changed:
        rebase_history(t, changed[id(t)], node, nodes_of_write(node, since), t.array)
        derive_again(t)
    else:
        t.node = node


def _require_tensors(complaint, marked):
    """Raise RuntimeError if a value other than a tensor was marked, for which PyTorch crashes."""
    if not all(isinstance(t, Tensor) for t in marked):
        raise RuntimeError(complaint)


def _require_returned(node, returned):
    """Raise RuntimeError if an input was marked as changed that is not an output."""
    given = {id(o) for o in returned}
    if not all(id(t) in given for t in node.dirty_tensors or ()):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
            "inplace must all be outputs of the Function."
        )


def _keep(node, outputs, returned, unchanged=()):
    """Turn arguments of ``save_for_backward`` into saved values; ``unchanged`` has the ids of inputs not written."""
    given, node.to_save = node.to_save or (), None
    for number, t in enumerate(given):
        if not isinstance(t, Tensor) and t is not None:
            raise TypeError(
                f"save_for_backward can only save variables, but argument {number} is of type {type(t).__name__}"
            )
        if t is not None and t._base is INFERENCE and not mode.transforms:
            raise RuntimeError(SAVE)
    places = {id(t): i for each in (returned, outputs) for i, t in enumerate(each) if isinstance(t, Tensor)}
    node.saved = tuple(
        SavedOutput(t.array, places[id(t)] if outputs[places[id(t)]].node is not None else None)
        if id(t) in places and id(t) not in unchanged
        else t
        for t in given
    )
    if mode.packing:
        pack_custom(node)


def save_tensors(tensors):
    """Return a node outside any graph that saves tensors as a custom function's node does, with hooks and checks."""
    node = BackwardCFunction()
    node.to_save = tensors
    _keep(node, (), ())
    return node


class InplaceFunction(Function):
    """A custom function whose first argument may be changed in place (kept for old programs)."""

    __module__ = "torch.autograd.function"

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace
