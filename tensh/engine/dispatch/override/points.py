"""The public functions as override points, where a class or a mode can intervene: disarmed until one exists.

Note [Override points]
A plain program must not pay for ``__torch_function__``: checking the type of each operand costs 3 to 8 % of a small
operation.  So nothing is checked until a mode is entered or the first object of an overriding class is made.  Then
every existing public function is armed: its code is replaced by a few instructions that check the types of its
arguments, and call a twin of the function, or ``dispatch``.  The function object stays the same, so that every
reference to it is armed, too, such as one from an earlier ``from torch import add``.  A function that is created later
is armed at once.  When the last mode has ended, and no overriding object was ever made, the original code is restored.

An operation on plain tensors takes 0.1 to 0.2 µs longer while armed, and no longer while disarmed.
"""

from types import FunctionType

from tensh.engine.arguments.caller import ARMED
from tensh.engine.arrays.uninterrupted import entered_whole, without_interrupts
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.fields import share_names
from tensh.engine.dispatch.override.state import USUAL, call_disabled, dispatches, state
from tensh.engine.dispatch.override.templates import code_for
from tensh.engine.errors.warnings import is_tensh_file
from tensh.support.locks import make_shared_lock


class Types(set):
    """A set of types that a program finds among the constants of a function's code: profilers use such code as a key."""

    __hash__ = object.__hash__


plain = Types(USUAL)  # types that an armed function accepts without dispatch; empty while a mode is active
points: dict = {}  # public function -> its Point
written = []  # public functions, in the order of their creation
operators: dict = {}  # generated operator function -> its operator
inner_names: dict = {}  # function of an operator that composites call -> its name
checks: dict = {}  # function that raises for elements of its arguments, or asks about them, for composites -> True
arrivals: list = []  # called with every new function while a capture is active: see dispatch/capture
lock = make_shared_lock()  # held while functions get other code, here and for captures


class OverridePoints:
    """The state of the override points: whether they are armed, and why."""

    now = False  # functions are armed
    lasting = False  # an object of an overriding class exists
    modes = 0  # number of active modes, in all threads
    searches = 0  # number of active ``Search``, in all threads


armed = OverridePoints()

SILENT = ("get_", "set_", "has_", "are_", "use_", "is_grad", "is_inference_mode",
          "is_anom", "is_warn", "is_det", "is_auto", "auto", "clear_")  # fmt: skip
NEVER = frozenset(
    """as_subclass manual_seed seed initial_seed typename promote_types can_cast compile broadcast_shapes is_tensor is_storage
    from_numpy frombuffer thread_safe_generator __new__ __init__ __init_subclass__ __hash__ __dir__ __iter__ __torch_function__ __sizeof__
    __torch_dispatch__ _make_subclass _make_wrapper_subclass __delitem__""".split()
)
"""Functions that PyTorch never dispatches, besides those whose names begin with ``SILENT``."""
OF_DATA = frozenset("tensor as_tensor asarray scalar_tensor".split())
"""Functions that only modes override: their argument is data, whatever its class."""
METHODS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul", "__truediv__": "div", "__div__": "div",
    "__mod__": "remainder", "__matmul__": "matmul", "__neg__": "neg", "__pos__": "positive", "__abs__": "abs",
    "__ne__": "ne", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__idiv__": "div_",
    "__ifloordiv__": "floor_divide_", "__imod__": "remainder_",
}  # fmt: skip
"""Python's operators that are a method under another name; all others are separate functions."""
NAMES = {"__pow__": "pow", "__ipow__": "pow_", "__rtruediv__": "__rdiv__"}
"""The names of operators' functions that differ from the operators' names."""
PYTHON = frozenset("__rsub__ __rtruediv__ __rdiv__ __floordiv__ __rfloordiv__ __rmod__ __pow__ __rpow__ __ipow__ __len__ __contains__ "
    "__reversed__ __format__ __repr__ __deepcopy__ __reduce_ex__ __array__ __rmatmul__ __rlshift__ __rrshift__".split())  # fmt: skip
"""Special methods that PyTorch writes in Python."""
PLAIN = frozenset("__array_wrap__ __dlpack__ apply_ istft new new_tensor".split())
"""Methods with arguments that report plain tensors to modes."""
ACCESSOR = "accessor of a property"
BINARY = frozenset("add sub mul matmul div truediv floordiv mod pow and or xor lshift rshift eq ne lt le gt ge".split())


def is_overriding():
    """Return True if a mode or a class may override functions, so that code beside the public ones has to call these."""
    return bool(state.modes or armed.lasting) and not state.off


def copy_of(function):
    """Return another function with the same code."""
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    return made


class Point:
    """A public function that can be armed.

    ``original`` is its twin without checks.  ``public`` is the function that an override receives: the function itself,
    an equivalent method, or the accessor of a property.  ``python`` marks functions that PyTorch implements in Python.
    """

    __slots__ = (
        "function",
        "name",
        "code",
        "armed_code",
        "original",
        "public",
        "python",
        "data",
        "operator",
        "is_accessor",
    )
    is_inner = False

    def __init__(self, function, public=None, name="", fixed=False):
        self.function, self.name, self.public = function, name, public or function
        self.python = name in PYTHON or getattr(function, "written_in_python", False)
        self.data = function.__name__ in OF_DATA
        own = name.strip("_")
        self.operator = name.startswith("__") and (own in BINARY or own[:1] in "ri" and own[1:] in BINARY)
        self.is_accessor = name == ACCESSOR
        self.code = own_code(function)[0]
        self.original = copy_of(function)
        self.original.__code__ = self.code
        self.armed_code = code_for(self, plain, fixed)

    def arm(self):
        self.function.__dict__.setdefault("__wrapped__", self.original)  # for its signature
        self.function.__code__ = self.armed_code

    def disarm(self):
        if self.function.__dict__.get("__wrapped__") is self.original:
            del self.function.__wrapped__
        self.function.__code__ = self.code


def watch(function, python=False):
    """Register a public function, and arm it if functions are armed; return it.

    ``python`` marks functions that PyTorch implements in Python; "by name", those that pass on all arguments as
    keywords.
    """
    if type(function) is not FunctionType:
        return function
    if python:
        function.written_in_python = python
    written.append(function)
    if armed.now:
        add_point(function)
    return announce(function)


def watch_operator(function, operator):
    """Register a function that an operator has generated; return it."""
    operators[function] = operator
    return announce(function)


def watch_inner(function, name):
    """Register the function of an operator by which other functions call it; return it."""
    inner_names[function] = name
    return announce(function)


def watch_check(function):
    """Register a function that composites call to raise for elements of tensors, or to ask about them; return it.

    It returns nothing, or the answer: True or False. A compiled graph calls it again, and fits the same answer only.
    """
    checks[function] = True
    return announce(function)


def announce(function, *name):
    """Notify active captures of a new function, or of a new attribute of Tensor under a name."""
    for arrive in arrivals:
        arrive(function, *name)
    return function


def add_point(function, public=None, name="", fixed=False):
    """Arm a function, and make it an override point if it is not one yet."""
    with lock:
        point = points.get(function)
        if point is None or point.is_inner:
            names = (name or function.__name__, function.__name__)  # a program may hang a function under another name
            if any(own in NEVER or own.startswith(SILENT) for own in names) or function.__code__.co_filename == ARMED:
                return None
            point = points[function] = Point(function, public, name, fixed)
        point.name = point.name or name  # a function may exist before it becomes a method
        point.arm()
        return point


def own_code(function):
    """Return the disarmed code of a function, and the function that runs that code when it is armed."""
    point = points.get(function)
    return (function.__code__, function) if point is None else (point.code, point.original)


def replace_code(function, code):
    """Replace the code of a function, behind its override point if there is one."""
    with lock:
        point = points.get(function)
        if point is not None:
            point.code = point.original.__code__ = code
        if point is None or function.__code__ is not point.armed_code:
            function.__code__ = code


def is_own(function):
    """Return True for a function of tensh, False for one that a program has hung on Tensor."""
    code = getattr(own_code(function)[0], "co_filename", "") if type(function) is FunctionType else ""
    return is_tensh_file(code)


def add_member(name, member):
    """Make an attribute of Tensor an override point: a method, or the accessors of a property.

    Functions that a program has hung on Tensor are left alone: what they call is overridden.
    """
    if isinstance(member, property):
        for accessor, way in ((member.fget, member.__get__), (member.fset, member.__set__)):
            if accessor is not None and is_own(accessor):
                add_point(accessor, way, ACCESSOR, fixed=True)
    elif type(member) is FunctionType and is_own(member):
        special = name.startswith("__")
        if special and member in points and name.startswith("__r") != points[member].name.startswith("__r"):
            operator = operators.get(member)
            member = copy_of(points[member].original)  # an operator and its reflected form need separate points
            operators[member] = operator
            setattr(Tensor, name, member)
        if special and name not in METHODS and name not in NEVER:
            member.__name__ = NAMES.get(name, name)
        add_point(member, getattr(Tensor, METHODS[name]) if name in METHODS else None, name, fixed=special)


def arm():
    """Arm all existing public functions."""
    with lock:
        if armed.now:
            return
        armed.now = True
        for name, member in list(vars(Tensor).items()):
            add_member(name, member)
        for function in written:
            add_point(function)


def disarm():
    """Restore the original code of all functions."""
    with lock:
        armed.now = False
        for point in points.values():
            point.disarm()


def arm_for(cls):
    """Arm the functions permanently if ``cls``, of which an object is being made, has an override of either kind.

    A class that has only a ``__torch_dispatch__`` determines the class of results there: Tensor's ``__torch_function__``
    is disabled for it.
    """
    share_names(cls)
    if dispatches(cls) and getattr(cls.__torch_function__, "__func__", None) is Tensor.__torch_function__.__func__:
        cls.__torch_function__ = call_disabled
    if not armed.lasting and (overrides(cls) or dispatches(cls)):
        keep_armed()


@without_interrupts
def keep_armed():
    """Arm the functions permanently."""
    armed.lasting = True
    arm()


def overrides(cls):
    """Return True if a class has a ``__torch_function__`` that is enabled; Tensor's own counts for subclasses."""
    return cls is not Tensor and getattr(cls, "__torch_function__", call_disabled) is not call_disabled


@without_interrupts
def enter_mode():
    """Count a mode that starts, and arm the functions."""
    with lock:
        armed.modes += 1
        plain.clear()
        arm()


@without_interrupts
def leave_mode():
    """Count a mode that ends."""
    with lock:
        armed.modes -= 1
        if not armed.modes:
            plain.update(USUAL)
            disarm_if_unused()


def disarm_if_unused():
    """Restore the original code of all functions, unless overrides may still exist."""
    if not (armed.modes or armed.searches or armed.lasting):
        disarm()


@entered_whole
class Search:
    """A context in which functions look for overriding arguments, for traces with proxies within functions."""

    def __enter__(self):
        with lock:
            armed.searches += 1
            arm()

    def __exit__(self, *failure):
        with lock:
            armed.searches -= 1
            disarm_if_unused()
