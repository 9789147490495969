"""The public functions as points at which a class or a mode can step in: disarmed until one is there.

Note [Override points]
A plain program must not pay for ``__torch_function__``: one look at the type of each operand costs 3 to 8 % of a small
operation.  So nothing looks, until a mode is entered or the first object of an overriding class is made.  Then every
public function that exists is armed: its code is exchanged for a few instructions that look at the types of its
arguments, and go on to a twin of the function, or to ``dispatch``.  The object stays, and with it every reference to it:
``from torch import add`` from before is armed, too.  A function that is written later is armed when it is
written.  When the last mode has ended, and no overriding object was ever made, the functions get their code back.

Armed, an operation on plain tensors takes 0.1 to 0.2 µs longer; disarmed, nothing.
"""

import threading
from types import FunctionType

from tensh.engine.arguments.caller import ARMED
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.fields import share_names
from tensh.engine.dispatch.override.state import USUAL, call_disabled
from tensh.engine.dispatch.override.templates import code_for

plain = set(USUAL)  # what an armed function passes without a closer look; empty while a mode is active
points: dict = {}  # public function -> its Point
written = []  # functions that users get, in the order in which they were written
operators: dict = {}  # function that an operator generated -> the operator
arrivals: list = []  # called with every function that comes into being, while somebody captures: see dispatch/capture
lock = threading.RLock()


class OverridePoints:
    """The state of the override points: armed or not, and why."""

    now = False  # functions are armed
    lasting = False  # an object of an overriding class was made
    modes = 0  # active modes, of all threads
    searches = 0  # active ``Search``, of all threads


armed = OverridePoints()

SILENT = ("get_", "set_", "has_", "are_", "use_", "is_grad", "is_inference_mode",
          "is_anom", "is_warn", "is_det", "is_auto", "auto", "clear_")  # fmt: skip
NEVER = frozenset(
    """as_subclass manual_seed seed initial_seed typename promote_types can_cast compile broadcast_shapes is_tensor is_storage
    from_numpy frombuffer thread_safe_generator __new__ __init__ __init_subclass__ __hash__ __dir__ __iter__ __torch_function__ __sizeof__
    __torch_dispatch__ _make_subclass _make_wrapper_subclass __delitem__""".split()
)
"""Functions that PyTorch never hands to anybody, beside those whose names begin with ``SILENT``."""
OF_DATA = frozenset("tensor as_tensor asarray scalar_tensor".split())
"""Functions that only a mode is asked about: their argument is data, whatever its class."""
METHODS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul", "__truediv__": "div", "__div__": "div",
    "__mod__": "remainder", "__matmul__": "matmul", "__neg__": "neg", "__pos__": "positive", "__abs__": "abs",
    "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__idiv__": "div_",
    "__ifloordiv__": "floor_divide_", "__imod__": "remainder_",
}  # fmt: skip
"""Python's operators that are a method under another name; any other is a function of its own."""
NAMES = {"__pow__": "pow", "__ipow__": "pow_", "__rtruediv__": "__rdiv__"}
"""The name of an operator's function, where it is not the operator's name."""
PYTHON = frozenset("__rsub__ __rtruediv__ __rdiv__ __floordiv__ __rfloordiv__ __rmod__ __pow__ __rpow__ __ipow__ __len__ __contains__ "
    "__reversed__ __format__ __repr__ __deepcopy__ __reduce_ex__ __array__ __rmatmul__ __rlshift__ __rrshift__".split())  # fmt: skip
"""Special methods that PyTorch writes in Python."""
ACCESSOR = "accessor of a property"
BINARY = frozenset("add sub mul matmul truediv floordiv mod pow and or xor lshift rshift eq ne lt le gt ge".split())


def copy_of(function):
    """Another function with the same code."""
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    return made


class Point:
    """A public function that can be armed.

    ``original`` is its twin, which looks at nothing.  ``public`` is what an override is told: the function itself, a method
    that means the same, or the accessor of a property.  ``python`` says that PyTorch has it in Python.
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

    def __init__(self, function, public=None, name="", fixed=False):
        self.function, self.name, self.public = function, name, public or function
        self.python = name in PYTHON or getattr(function, "written_in_python", False)
        self.data = function.__name__ in OF_DATA
        own = name.strip("_")
        self.operator = name.startswith("__") and (own in BINARY or own.removeprefix("r") in BINARY)
        self.is_accessor = name == ACCESSOR
        self.original = copy_of(function)
        self.code = function.__code__
        self.armed_code = code_for(self, plain, fixed)

    def arm(self):
        self.function.__dict__.setdefault("__wrapped__", self.original)  # its signature
        self.function.__code__ = self.armed_code

    def disarm(self):
        if self.function.__dict__.get("__wrapped__") is self.original:
            del self.function.__wrapped__
        self.function.__code__ = self.code


def watch(function, python=False):
    """Remember a function that users get, and arm it if functions are armed; return it.

    ``python`` says that PyTorch has it in Python; "by name", that it hands on all arguments as keywords.
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
    """Remember a function that an operator has generated; return it."""
    operators[function] = operator
    return announce(function)


def announce(function, *name):
    """Tell those that capture that a function, or an attribute of Tensor under a name, has come into being."""
    for arrive in arrivals:
        arrive(function, *name)
    return function


def add_point(function, public=None, name="", fixed=False):
    """Arm a function, and make it an override point if it is not one yet."""
    point = points.get(function)
    if point is None:
        own = name or function.__name__
        if own in NEVER or own.startswith(SILENT) or function.__code__.co_filename == ARMED:
            return None
        point = points[function] = Point(function, public, name, fixed)
    point.arm()
    return point


def own_code(function):
    """The code that a function has when it is disarmed, and the function that runs that code when it is armed."""
    point = points.get(function)
    return (function.__code__, function) if point is None else (point.code, point.original)


def replace_code(function, code):
    """Give a function other code, which it runs behind its point if it has one."""
    with lock:
        point = points.get(function)
        if point is not None:
            point.code = point.original.__code__ = code
        if point is None or not armed.now:
            function.__code__ = code


def add_member(name, member):
    """Make an attribute of Tensor a point: a method, or the accessors of a property."""
    if isinstance(member, property):
        for accessor, way in ((member.fget, member.__get__), (member.fset, member.__set__)):
            if accessor is not None:
                add_point(accessor, way, ACCESSOR, fixed=True)
    elif type(member) is FunctionType:
        special = name.startswith("__")
        if special and member in points and name.startswith("__r") != points[member].name.startswith("__r"):
            operator = operators.get(member)
            member = copy_of(points[member].original)  # an operator and its reflected form are told apart
            operators[member] = operator
            setattr(Tensor, name, member)
        if special and name not in METHODS and name not in NEVER:
            member.__name__ = NAMES.get(name, name)
        add_point(member, getattr(Tensor, METHODS[name]) if name in METHODS else None, name, fixed=special)


def arm():
    """Arm all public functions that exist."""
    with lock:
        if armed.now:
            return
        armed.now = True
        for name, member in list(vars(Tensor).items()):
            add_member(name, member)
        for function in written:
            add_point(function)


def disarm():
    """Give all functions their own code again."""
    with lock:
        armed.now = False
        for point in points.values():
            point.disarm()


def arm_for(cls):
    """Arm the functions for good if ``cls``, of which an object is being made, overrides them or is asked below them."""
    share_names(cls)
    if not armed.lasting and (overrides(cls) or getattr(cls, "__torch_dispatch__", None) is not None):
        keep_armed()


def keep_armed():
    """Arm the functions for good."""
    armed.lasting = True
    arm()


def overrides(cls):
    """True if a class has a ``__torch_function__`` that is not disabled; Tensor's own counts for subclasses alone."""
    return cls is not Tensor and getattr(cls, "__torch_function__", call_disabled) is not call_disabled


def enter_mode():
    """Count a mode that begins."""
    with lock:
        armed.modes += 1
        plain.clear()
        arm()


def leave_mode():
    """Count a mode that ends."""
    with lock:
        armed.modes -= 1
        if not armed.modes:
            plain.update(USUAL)
            disarm_if_unused()


def disarm_if_unused():
    """Give all functions their own code again, unless somebody is still looked for."""
    if not (armed.modes or armed.searches or armed.lasting):
        disarm()


class Search:
    """While this is entered, functions look for overriding arguments; a trace needs this where proxies stay within functions."""

    def __enter__(self):
        with lock:
            armed.searches += 1
            arm()

    def __exit__(self, *failure):
        with lock:
            armed.searches -= 1
            disarm_if_unused()
