"""The base of nested tensors in both layouts: one tensor of all elements, and a form that describes its division.

A nested tensor is the tensor of its elements, with the same node in the graph, as an object of another class.  The form
turns the elements of a result into a nested tensor again.  Functions are looked up by name in the rules of a class.
"""

import tensh as torch
from tensh._aten.calls import choose_overload
from tensh._aten.overloads import schemas
from tensh._aten.translation import OPERATORS
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.dispatch.override.points import keep_armed
from tensh.engine.dispatch.override.state import DisabledForClasses
from tensh.engine.dispatch.override.twins import make_twin, make_view

OF_LISTS = frozenset(
    "cat concat concatenate stack broadcast_tensors index_put index_put_ hstack vstack dstack meshgrid einsum".split()
)
"""Functions that take lists of tensors."""
NO_SIZES = "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue."


class Nested(torch.Tensor):
    """A batch of tensors of different sizes."""

    __module__ = "torch"
    rules: dict = {}  # name of a function -> its rule for nested tensors
    is_nested = property(lambda self: True, doc="True: the tensors along the first dimension may differ in size.")

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if not all(issubclass(each, torch.Tensor) for each in types):
            return NotImplemented
        if any(issubclass(each, Nested) and each is not cls for each in types):
            raise RuntimeError(NO_SIZES)
        name = name_in_space(func)
        given = [*args, *(kwargs or {}).values()]
        if name in OF_LISTS:
            given = [each for value in given for each in (value if isinstance(value, (tuple, list)) else [value])]
        # tensors within a list, which the function does not support
        if not any(isinstance(each, Nested) for each in given):
            return ask_elements(func, *args, **(kwargs or {}))
        on_elements = name in ("__get__", "__set__") or func in (torch.autograd.grad, torch.autograd.backward)
        rule = ask_elements if on_elements else cls.rules.get(name)
        if rule is None:
            raise cls.lacks(name, args, kwargs or {})
        try:
            return rule(func, *args, **(kwargs or {}))
        except TypeError as error:
            if error.__traceback__.tb_next is None:  # the arguments match no rule; the function names the valid ones
                func(*map(elements_of, args), **{name: elements_of(value) for name, value in (kwargs or {}).items()})
            raise

    def _gradient_like(self, g):
        """Return the gradient of the elements as a nested tensor like this one."""
        return nest(make_twin(g), self._form)

    @property
    def grad(self):
        """The gradient accumulated by ``backward``, a nested tensor, or None."""
        return gradient_of(self, torch.Tensor.grad)

    @grad.setter
    def grad(self, value):
        ask_elements(torch.Tensor.grad.__set__, self, elements_of(value))

    _grad = grad

    @property
    def mT(self):
        """The tensor with its last two dimensions transposed."""
        return self.transpose(-2, -1)

    @property
    def mH(self):
        """The conjugate of the tensor with its last two dimensions transposed."""
        return self.mT.conj()

    @property
    def T(self):
        """The tensor with its dimensions reversed, except the first, which is refused."""
        return self.permute(*reversed(range(self.ndim)))

    @property
    def data(self):
        """The elements without history."""
        return map_elements(torch.Tensor.detach, self)

    def __format__(self, spec):
        return format(repr(self), spec)


def gradient_of(nested, accessor):
    found = ask_elements(accessor.__get__, nested)
    return None if found is None else nest(make_twin(found), nested._form)


# ── nested tensors and their elements ────────────────────────────────────────
def nest(elements, form):
    """Turn a new tensor of elements into a nested tensor of a form."""
    keep_armed()
    elements.__class__ = form.kind
    elements._form = form.derive()
    return elements


def elements_of(value):
    """Return the elements of a nested tensor as an ordinary tensor, a view; other values unchanged."""
    return make_view(value) if isinstance(value, Nested) else value


def make_own(elements):
    """Make a base for a result that is a view of memory that no other tensor uses."""
    elements._base = None
    return elements


def map_elements(func, input, *args, **kwargs):
    """Apply a function to all elements, which stay at their places."""
    elements = elements_of(input)
    result = func(elements, *args, **kwargs)
    return input if result is elements else nest(result, input._form)


def copy_elements(func, input, *args, **kwargs):
    """Convert, copy or view all elements; return the name of the type if it is requested."""
    elements = elements_of(input)
    result = func(elements, *map(elements_of, args), **kwargs)
    return input if result is elements else result if isinstance(result, str) else nest(result, input._form)


def write_elements(func, input, *args, **kwargs):
    """Apply a function that writes into its first operand."""
    elements = make_twin(input)
    func(elements, *map(elements_of, args), **{name: elements_of(value) for name, value in kwargs.items()})
    input.node = elements.node
    if elements._base is not None:
        input._time = elements._time
    return input


# ── rules of both layouts ────────────────────────────────────────────────────
def ask_elements(func, *args, **kwargs):
    """Apply a function to the elements only."""
    with DisabledForClasses():
        return func(*args, **kwargs)


def run_backward(func, input, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Run a backward pass from the elements."""
    torch.autograd.backward(elements_of(input), elements_of(gradient), retain_graph, create_graph, inputs=inputs)


def hook_gradient(func, input, hook):
    """Register a hook that receives the gradient as a nested tensor."""
    form = input._form
    return func(elements_of(input), lambda g: elements_of(hook(nest(make_twin(g), form))))


def detach_in_place(func, input):
    """Detach the tensor in place, and return it."""
    ask_elements(func, input)
    return input


FACTS = """
    requires_grad_ retain_grad register_post_accumulate_grad_hook data_ptr element_size is_floating_point is_complex is_signed
    _is_view untyped_storage storage get_device __hash__ is_tensor is_storage is_inference result_type has_names is_shared is_pinned
    is_conj is_neg storage_offset __dir__ __setstate__ share_memory_
"""
RULES = {
    **dict.fromkeys(FACTS.split(), ask_elements),
    "backward": run_backward,
    "register_hook": hook_gradient,
    "detach_": detach_in_place,
}


REACHED = {
    "square": ("pow", 2), "__rdiv__": ("reciprocal",), "__rtruediv__": ("reciprocal",), "__rsub__": ("rsub", 1), "log_softmax": ("_log_softmax", 1, False),
    "unique": ("_unique2",), "pad": ("constant_pad_nd", [0, 0]), "tile": ("repeat", [1]), "prelu": ("_prelu_kernel",), "rrelu": ("rrelu_with_noise",),
    "batch_norm": ("native_batch_norm",), "max_pool2d": ("max_pool2d_with_indices",), "__reversed__": ("flip", [0]),
    **dict.fromkeys("cosine_similarity vector_norm".split(), ("linalg_vector_norm",)), "to_sparse": ("_to_sparse",), "tensor_split": ("slice", 0, 0, 1, 1), "argsort": ("sort",), "hsplit": ("slice", 0, 0, 1, 1),
    **dict.fromkeys("conv1d conv2d conv3d".split(), ("convolution",)), "selu": ("elu",), "relu6": ("hardtanh",), "logsigmoid": ("log_sigmoid_forward",),
}  # fmt: skip
"""Functions that call an operator of another name, with additional arguments of that operator."""


def name_operator(name, args, kwargs):
    """Return PyTorch's name of the operator that a call reaches, such as "add.Tensor"."""
    if name in REACHED:
        name, *rest = REACHED[name]
        args, kwargs = (args[0], *rest), {}
    name = OPERATORS.get(name, name)
    if "out" in kwargs:
        return f"{name}.out"
    options = {key: value for key, value in kwargs.items() if key != "_stacklevel" and value is not None}
    found = choose_overload(name, args, options) if name in schemas() else ()
    return found[0].__name__ if found else f"{name}.default"
