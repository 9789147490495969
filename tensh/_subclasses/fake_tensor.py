"""Fake tensors: a program runs, and every tensor has its shape, strides, dtype and device, but no elements.

A fake tensor is a tensor over an ``Absent``, as those of the device meta are, that names another device. Functions compute as
on the device meta; here they are asked before (which device, are all tensors fake) and after (the results are fake).
"""

import weakref
from contextlib import contextmanager, nullcontext

import tensh as torch
from tensh._subclasses.absence import (  # noqa: F401 (PyTorch has them here)
    READERS,
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorDeviceMismatchError,
    UnsupportedFakeTensorException,
    UnsupportedMutationAliasingException,
    UnsupportedOperatorException,
    translate,
)
from tensh.engine.arrays.absent import Absent
from tensh.engine.core.clock import mode as settings
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import arm_for
from tensh.engine.dispatch.override.state import Disabled, DisabledForClasses, state
from tensh.engine.dtypes.device import device as device_of
from tensh.engine.dtypes.device import meta, require_cpu, switch_shortcuts
from tensh.nn.parameter import Parameter
from tensh.overrides import TorchFunctionMode
from tensh.support.temporary import temporarily
from tensh.utils._python_dispatch import TorchDispatchMode

CPU = device_of("cpu")


# ── tensors ──────────────────────────────────────────────────────────────────
class FakeTensor(Tensor):
    """A tensor without elements on a device that need not be there; made by a ``FakeTensorMode``.

    ``elem`` is a tensor of the device meta, ``device`` the device that this one says to be on.
    """

    __slots__ = ()
    __module__ = "torch._subclasses.fake_tensor"

    def __new__(cls, fake_mode, elem, device, constant=None, real_tensor=None):
        if elem.device.type != "meta":
            raise AssertionError(f"elem.device.type must be 'meta', got {elem.device.type}")
        with Disabled():
            return make_fake(elem.detach(), device_of(device), fake_mode, constant)

    @property
    def device(self):
        """The device that the tensor says to be on."""
        return self.fake_device

    is_meta = property(lambda self: self.fake_device.type == "meta")
    is_cuda = property(lambda self: self.fake_device.type == "cuda")
    is_cpu = property(lambda self: self.fake_device.type == "cpu")

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if not all(issubclass(cls, each) for each in types):
            return NotImplemented
        return find_mode((args, kwargs)).call(func, args, kwargs or {})

    @staticmethod
    def from_tensor(t, fake_mode):
        """Return the fake form of a tensor."""
        return fake_mode.from_tensor(t)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            with Disabled(), on_meta():
                copied = self.detach().clone().requires_grad_(self.requires_grad)
                made = memo[id(self)] = make_fake(copied, self.fake_device, self.fake_mode)
            if "_is_param" in self.__dict__:
                made._is_param = True
        return memo[id(self)]


def make_fake(t, device, fake_mode, constant=None):
    """Make a tensor of the device meta a fake one, with its history: the same object, of another class."""
    arm_for(FakeTensor)
    version = t._version
    t.__class__ = FakeTensor
    t.fake_device = device_of(device.type, 0) if device.type == "cuda" and device.index is None else device
    t.fake_mode, t.constant, t._constant_version = fake_mode, constant, version
    return t


def walk(value):
    """Yield the tensors in a structure of tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from walk(each)
    elif isinstance(value, dict):
        yield from walk([*value.values()])


def map_tensors(function, value):
    """Return a structure with its tensors replaced."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, (tuple, list)):
        parts = [map_tensors(function, each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: map_tensors(function, each) for key, each in value.items()}
    return value


def find_mode(value):
    """Return the mode of the fake tensors in a structure.  Raise AssertionError if they have several."""
    modes = [each.fake_mode for each in walk(value) if isinstance(each, FakeTensor)]
    for each in modes[1:]:
        if each is not modes[0]:
            raise AssertionError(f"Mixing fake modes NYI x.fake_mode={each} vs self={modes[0]}")
    return modes[0]


def is_fake(x):
    """Return True for a fake tensor."""
    return isinstance(x, FakeTensor)


def maybe_get_fake_mode(t):
    """Return the mode of a fake tensor; None for any other value."""
    return t.fake_mode if isinstance(t, FakeTensor) else None


@contextmanager
def on_meta():
    """Make new tensors on the device meta."""
    before, settings.devices = settings.devices, (*settings.devices, meta)
    switch_shortcuts()
    try:
        yield
    finally:
        settings.devices = before
        switch_shortcuts()


# ── the mode ─────────────────────────────────────────────────────────────────
FACTS = frozenset(
    """__get__ __set__ __delete__ __repr__ __str__ __format__ __hash__ __len__ size dim ndimension stride numel nelement
    element_size storage_offset is_contiguous is_floating_point is_complex is_signed is_same_size data_ptr untyped_storage
    get_device requires_grad_ register_hook retain_grad backward _is_view as_subclass __reduce_ex__ __deepcopy__ type
    kaiming_uniform_ uniform_""".split()
)
"""Functions that tell facts about a tensor, which those with elements may be asked for, too."""
LITERALS = frozenset("tensor as_tensor scalar_tensor asarray from_numpy frombuffer".split())
"""Functions of values of Python, of which the fake tensor keeps a copy."""
MOVES = frozenset("to cuda cpu xpu".split())


class Calls(TorchFunctionMode):
    """The calls of public functions within a mode."""

    def __init__(self, owner):
        self.owner = owner

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return self.owner.call(func, args, kwargs or {})


class FakeTensorMode(TorchDispatchMode):
    """A mode in which all new tensors are fake; ``from_tensor`` gives the fake form of others.

    Calls of fake tensors with others raise AssertionError, unless ``allow_non_fake_inputs``. What depends on elements raises
    DataDependentOutputException (numbers) or DynamicOutputShapeException (shapes).

    >>> import tensh as torch
    >>> from tensh._subclasses import FakeTensorMode
    >>> with FakeTensorMode():
    ...     x = torch.nn.Linear(10**6, 10**6)(torch.ones(3, 10**6))
    >>> x.shape, x.device, x.grad_fn.name()
    (torch.Size([3, 1000000]), device(type='cpu'), 'AddmmBackward0')
    """

    __module__ = "torch._subclasses.fake_tensor"

    def __init__(
        self, *, allow_fallback_kernels=True, allow_non_fake_inputs=False, shape_env=None, static_shapes=None, export=False
    ):  # fmt: skip
        super().__init__()
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.static_shapes, self.export = shape_env, True, export
        self.known = weakref.WeakValueDictionary()  # number of a tensor -> its fake form, which refers to it
        self.entered = []

    def __enter__(self):
        calls = Calls(self)
        calls.__enter__()
        self.entered.append(calls)
        return self

    def __exit__(self, *failure):
        self.entered.pop().__exit__(*failure)

    @classmethod
    def is_infra_mode(cls):
        """True: the mode is not one of the user's."""
        return True

    def from_tensor(
        self, tensor, *, static_shapes=None, source=None, symbolic_context=None, memoized_only=False, trace=True
    ):
        """Return the fake form of a tensor: its shape, strides, dtype, device and ``requires_grad``; the same one each time.

        With ``memoized_only`` return None for a tensor that has none yet.
        """
        if isinstance(tensor, FakeTensor):
            if tensor.fake_mode is not self:
                raise AssertionError(f"Mixing fake modes NYI x.fake_mode={tensor.fake_mode} vs self={self}")
            return tensor
        known = self.known.get(id(tensor))
        if known is not None and known.origin() is tensor:
            return known
        return None if memoized_only else self.convert(tensor)

    def convert(self, tensor):
        """Make the fake form of a tensor that has none."""
        with Disabled():
            shape = torch.empty_strided(
                tuple(tensor.shape),
                tensor.stride(),
                dtype=tensor.dtype,
                device=meta,
                requires_grad=tensor.requires_grad,
            )
            made = make_fake(shape, tensor.device, self)
        if isinstance(tensor, Parameter):
            made._is_param = True
        made.origin = weakref.ref(tensor)
        self.known[id(tensor)] = made
        return made

    def call(self, func, args, kwargs):
        """Call a public function with fake tensors, or within the mode, and return fake tensors."""
        name = getattr(func, "__name__", "")
        if name == "numpy":
            raise RuntimeError(".numpy() is not supported for tensor subclasses.")
        with Disabled():
            if name in READERS and is_fake(args[0]) and is_constant(args[0]):
                return func(args[0].constant, *args[1:], **kwargs)
            args, kwargs = self.check(name, args, kwargs)
            if name in MOVES and is_fake(args[0]):
                func = torch.Tensor.to
                device, args, kwargs = self.place_move(name, args, kwargs)
            else:
                device, args, kwargs = self.place(name, args, kwargs)
        try:
            with DisabledForClasses(), Outside(self), nullcontext() if name in LITERALS else on_meta():
                found = func(*args, **kwargs)
        except (RuntimeError, NotImplementedError) as error:
            other = translate(error, name)
            if other is None:
                raise
            raise other from None
        with Disabled():
            keep = self.keep if name in LITERALS else self.wrap
            return map_tensors(lambda t: keep(t, device), found)

    def check(self, name, args, kwargs):
        """Return the arguments, with tensors that have elements as fake ones if those are allowed, or refuse them."""
        others = [t for t in walk((args, kwargs)) if not is_fake(t) and type(t.array) is not Absent]
        if not others or name in FACTS:
            return args, kwargs
        if not self.allow_non_fake_inputs:
            shown = ", ".join(map(show, [*args, *kwargs.values()]))
            raise AssertionError(
                "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
                f"'allow_non_fake_inputs'. Found in {name}({shown})"
            )
        fake = lambda t: t if is_fake(t) else self.from_tensor(t)  # noqa: E731
        return map_tensors(fake, args), map_tensors(fake, kwargs)

    def place(self, name, args, kwargs):
        """Return (device of the results, arguments that are on the device meta)."""
        found = [t for t in walk((args, kwargs)) if is_fake(t)]
        if kwargs.get("device") is not None:
            return device_of(kwargs["device"]), args, {**kwargs, "device": None if name in LITERALS else meta}
        devices = {t.fake_device: t for t in found if t.dim()} or {t.fake_device: t for t in found}
        if len(devices) > 1 and name not in FACTS:
            first, second = list(devices)[:2]
            raise FakeTensorDeviceMismatchError(
                f"Expected all tensors to be on the same device, but found at least two devices, {first} and {second}!"
            )
        return next(iter(devices), CPU), args, kwargs

    def place_move(self, name, args, kwargs):
        """Return (device of the result, arguments of ``to`` that stay on the device meta) for a call of ``to`` or ``cpu``."""
        own = args[0].fake_device
        given = [name] if name != "to" else [each for each in args[1:] if is_place(each)]
        given += [kwargs["device"]] if kwargs.get("device") is not None else []
        device = device_of(getattr(given[0], "fake_device", given[0])) if given else own
        if device.type not in ("cpu", "meta") and device.type != own.type:
            if not self.entered:
                require_cpu(device)
            raise RuntimeError(f"PyTorch is not linked with support for {device.type} devices")
        rest = [each for each in args[1:] if not is_place(each)] if name == "to" else []
        kwargs = {key: each for key, each in kwargs.items() if key != "device"}
        dtypes = [each.dtype for each in given if is_fake(each)] or [args[0].dtype] * (not rest and not kwargs)
        return device, (args[0], *dtypes, *rest), kwargs | {"copy": True} if device != own else kwargs

    def wrap(self, t, device):
        """Return a result as a fake tensor."""
        if is_fake(t):
            return t
        return make_fake(t, device, self) if type(t.array) is Absent else self.convert(t)

    def keep(self, t, device):
        """Return a tensor made of values of Python as a fake one that remembers a single value."""
        return make_fake(self.convert(t), device, self, None if t.requires_grad or t.numel() > 1 else t)


def is_constant(t):
    """Return True if the value of a fake tensor is known."""
    return t.constant is not None and t._constant_version == t._version


def show(value):
    """Return an argument as PyTorch's message shows it."""
    if isinstance(value, Tensor) and not is_fake(value):
        return f"tensor([...], size={tuple(value.shape)})"
    return repr(value)


def is_place(value):
    """Return True if an argument of ``to`` names a device, or is a tensor on one."""
    return isinstance(value, (str, device_of)) or is_fake(value)


class Outside:
    """A context in which a mode does not see calls, as its own are made."""

    def __init__(self, owner):
        self.owner = owner

    def __enter__(self):
        self.before = state.modes
        state.modes = tuple(each for each in state.modes if each not in self.owner.entered)

    def __exit__(self, *failure):
        state.modes = self.before


def active_fake_modes():
    """Return the modes that are entered in this thread, the innermost last."""
    return [each.owner for each in state.modes if isinstance(each, Calls)]


@contextmanager
def unset_fake_temporarily():
    """Leave all fake modes within the context, whose value is the innermost of them, or None."""
    modes = active_fake_modes()
    with temporarily(state, modes=tuple(each for each in state.modes if not isinstance(each, Calls))):
        yield modes[-1] if modes else None
