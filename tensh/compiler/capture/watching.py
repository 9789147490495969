"""Monitoring of a captured function: the names that it reads, and the actions that a graph cannot repeat.

Python reports every call (``sys.setprofile``).  For each of the user's functions, the names that its code reads are
guarded before it runs; a function is not compiled if it writes into objects that it did not create, or calls something
that returns other values every time.
"""

import contextlib
import os
import random
import sys
import types

from tensh.compiler.breaks import Aborted, Break
from tensh.compiler.capture.frames import (
    is_called_by_tensh,
    is_collecting,
    is_import,
    is_standard,
    library_path,
    serves_tensh,
)
from tensh.compiler.capture.kinds import is_object
from tensh.compiler.capture.names import read_code
from tensh.compiler.capture.refusals import (
    ENDING,
    ENDING_LIBRARY,
    INLINED,
    NO_TENSOR,
    PARAMETER,
    RETURNED,
    SKIPPED,
    title_of,
)
from tensh.compiler.capture.uses import find_call
from tensh.compiler.capture.writes import is_known, is_of_call, settle
from tensh.compiler.configuration.settings import read_setting
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.places import read_frames
from tensh.engine.errors.warnings import PACKAGE, is_tensh_file
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter

REFUSED = frozenset(
    """register_hook retain_grad requires_grad_ backward manual_seed seed set_default_dtype register_post_accumulate_grad_hook
    set_rng_state set_default_device apply save load set_printoptions use_deterministic_algorithms checkpoint register_forward_hook
    register_forward_pre_hook zero_grad step add_module register_buffer register_parameter register_module load_state_dict""".split()
)
"""Functions of tensh whose effects a graph lacks."""
REFUSED_BY_PYTORCH = frozenset(
    """requires_grad_ backward manual_seed set_rng_state get_rng_state save load register_forward_hook register_forward_pre_hook
    step load_state_dict print text""".split()
)
"""Functions of tensh, and of the prompt, that end the graphs of PyTorch, too."""
REFUSED_OF_TENSORS = frozenset("text format_tensor is_leaf grad_fn data_ptr".split())
"""Methods and attributes of tensors that tell more than shapes and dtypes."""
TRANSFORMS = os.path.join(PACKAGE, "func", "")
PLACES_OF_PYTORCH = tuple(os.path.join(PACKAGE, *each.split()) for each in ("engine autograd gradients.py", "optim"))
"""Places whose functions end the graphs of PyTorch, too."""
NESTED = tuple(os.path.join(PACKAGE, *each.split()) for each in ("engine autograd custom.py", "utils checkpoint"))
"""The places of functions whose arguments may become graphs within a graph."""
REFUSED_PLACES = (*PLACES_OF_PYTORCH, *NESTED, os.path.join(PACKAGE, "distributions"), TRANSFORMS)
KNOWN_TO_PYTORCH = frozenset("eval setattr delattr locals next".split())
UNKNOWN = frozenset(
    "print input open exec eval compile __import__ setattr delattr breakpoint globals locals next".split()
)
PURE = frozenset(
    """builtins math _operator itertools _functools _collections collections _abc cmath _weakref _struct _re _sre _string _typing
    _types""".split()
)
"""C modules whose functions a graph may leave out."""
STORAGE = tuple(os.path.join("composites", each) for each in ("storage.py", "typed_storage.py"))
"""The files of storages, whose methods end the graphs of PyTorch."""
NAMED_TUPLE = "namedtuple_"
"""The beginning of the names of the modules in which Python makes constructors of named tuples."""
PARAMETERS = os.path.join("nn", "parameter.py")
"""The file of parameters, which graphs of PyTorch do not make."""
RECURRENT = os.path.join("modules", "rnn.py")
"""The file of recurrent layers, of which PyTorch makes no graphs."""
COPIES = {"copy": NO_TENSOR, "deepcopy": "Attempted to copy.deepcopy a tensor"}
"""Functions that copy tensors -> the first line of PyTorch's error."""
DRAWN_BY_PYTORCH = frozenset("randint randrange uniform".split())
"""Functions of Python's ``random`` that PyTorch calls before each run of a graph."""
STARTING = ("__init__", "seed")
"""Functions that start a generator of Python's ``random``."""
RANDOM = "/random.py"
REFUSED_LIBRARY = (RANDOM, "/logging/__init__.py", "/warnings.py")
"""Files of Python's library whose functions have effects."""
BEGINNING = ("__init__", "__enter__")
"""The first methods that are called of an object which the call has made: some contexts have no constructor."""
HARMLESS = frozenset("exc_info fspath _path_normpath _path_splitroot _path_splitroot_ex intern".split())
"""Functions of C modules with effects that have none."""
NAMING = "collections/__init__.py", "_getframe", "_getframemodulename"
"""The file that defines named tuples, and the functions by which it finds the name of the module."""
IMPURE = frozenset("time _random _io posix nt _socket select _warnings _datetime sys _ctypes _pickle numpy".split())

forbidden: dict = {}
"""Id of the code of a function that compiled functions must not call -> the function; not all code has a hash."""
ending: dict = {}
"""Id of a function of tensh that ends graphs -> the function."""


class Watch:
    """A monitor of Python's calls while it is entered; ``reason`` is a ``Break``, or None."""

    may_abort = None  # a function that tells whether what has run so far may run again; None if it must go on
    takes_writes = False  # whether assignments to what is outside become parts of the graph
    takes_transforms = False  # whether calls of torch.func become parts of the graph
    takes_functions = False  # whether custom functions and checkpoints do
    is_trial = False  # whether what runs is no part of the program's run, and may be left anywhere
    make_plain = None  # a function that makes plain numbers of those of a graph; None if there are none
    guarding = contextlib.nullcontext  # a context in which guards see the values from outside
    thorough = False  # whether reasons are sought for which PyTorch has no graph either, behind the first one

    def __init__(self, guards):
        self.guards, self.reason, self.codes = guards, None, {}
        self.late: dict = {}  # frame -> the assignments whose objects are known when it returns
        self.made = {}  # id of an object that the call has made -> the object

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self.look)
        return self

    def __exit__(self, *failure):
        sys.setprofile(self.before)

    @contextlib.contextmanager
    def paused(self):
        """A context that is not monitored."""
        sys.setprofile(self.before)
        try:
            yield
        finally:
            sys.setprofile(self.look)

    def is_open(self):
        """Return True if there is no reason yet for which PyTorch certainly has no graph."""
        return self.reason is None or self.reason.own or self.reason.title == RETURNED

    def stop(self, reason, frame, own=False, title=None, whole=False):
        """Note a reason, or one for which PyTorch has no graph either in place of another; ``title`` begins its error.

        A function that is skipped as a ``whole`` is not split.
        """
        if self.is_open() and (self.reason is None or not own) and not is_collecting(frame):
            title = title or title_of(reason.removesuffix(" is called"))
            self.reason = Break(reason, read_frames(frame)[0], whole, own, title)
            self.abort()

    def abort(self):
        """Leave the function at the end of its graph, unless it has done what must not be done twice."""
        if (
            self.is_trial
            or self.may_abort is not None
            and all(read_code(code).repeatable for code in self.codes)
            and self.may_abort()
        ):
            raise Aborted

    def look(self, frame, event, arg):
        if event == "return":
            self.look_at_return(frame)
        if event not in ("call", "c_call") or self.reason is not None and not (self.thorough and self.is_open()):
            return
        filename = frame.f_code.co_filename
        try:
            if event == "call":
                self.look_at_call(frame, filename)
            elif not is_tensh_file(filename) and not serves_tensh(frame, filename):
                self.look_at_builtin(frame, arg, is_standard(filename))
        except Break as found:
            self.stop(found.reason, frame, found.own, found.title)

    def look_at_return(self, frame):
        """Judge the late assignments of a function; without a graph, none leaves numbers of one."""
        if frame in self.late:
            with self.guarding(frame):
                self.require_known(self.late.pop(frame), frame)
        if self.reason is not None and self.make_plain is not None and not is_tensh_file(frame.f_code.co_filename):
            for each in read_code(frame.f_code).writes:
                settle(each, frame, self.make_plain)

    # ── functions of Python ──────────────────────────────────────────────────
    def look_at_call(self, frame, filename):
        """Stop the capture at a Python function whose effects a graph lacks."""
        if id(frame.f_code) in forbidden:
            raise AssertionError(f"Attempt to trace forbidden callable {forbidden[id(frame.f_code)]}")
        if is_tensh_file(filename):
            self.look_at_tensh(frame, filename)
        elif is_standard(filename):
            self.look_at_library(frame, filename)
        else:
            with self.guarding(frame):
                self.look_at_program(frame)

    def look_at_tensh(self, frame, filename):
        """Stop the capture at a function of tensh that has effects, or that tells what a graph does not know."""
        code = frame.f_code
        name = code.co_name
        refused = name in REFUSED or name == "print" or filename.startswith(REFUSED_PLACES)
        if (
            self.takes_transforms
            and filename.startswith(TRANSFORMS)
            or self.takes_functions
            and filename.startswith(NESTED)
        ):
            refused = False
        if name in REFUSED_OF_TENSORS and code.co_argcount:
            refused = refused or isinstance(frame.f_locals[code.co_varnames[0]], Tensor)
        if refused and not is_called_by_tensh(frame) and not is_import(frame):
            ends = name in REFUSED_BY_PYTORCH or filename.startswith(PLACES_OF_PYTORCH)
            self.stop(f"{name} is called", frame, not ends, title_of_text(frame) if name == "text" else None)
        elif self.thorough and (title := find_ending(frame, filename)) and not is_import(frame):
            self.stop(f"{name} is called", frame, title=title)

    def look_at_library(self, frame, filename):
        """Stop the capture at a function of Python's library that has effects, or that ends PyTorch's graphs."""
        name = frame.f_code.co_name
        if self.thorough and filename.endswith("/copy.py") and (title := title_of_copy(frame)):
            self.stop(f"{name} is called", frame, title=title)
        title = ENDING_LIBRARY.get((library_path(filename), name)) if self.thorough else None
        if title is not None and not serves_tensh(frame, filename):
            self.stop(f"{name} is called", frame, title=title)
        if filename.endswith(RANDOM) and frame.f_back.f_code.co_filename == filename:
            return  # judged by the call from outside
        if filename.endswith(REFUSED_LIBRARY) and not serves_tensh(frame, filename):
            self.stop(
                f"{name} is called", frame, name in DRAWN_BY_PYTORCH or name in STARTING and is_own_generator(frame)
            )

    def look_at_program(self, frame):
        """Guard the names that a function of the user reads; stop the capture if it does what a graph cannot repeat."""
        code = frame.f_code
        if code.co_name in BEGINNING and code.co_argcount:
            self.note_made(frame.f_locals[code.co_varnames[0]])
        if is_import(frame) or is_collecting(frame) or frame.f_globals.get("__name__", "").startswith(NAMED_TUPLE):
            return
        names = read_code(code)
        if code not in self.codes:
            self.codes[code] = None
            if names.refused:
                self.stop(names.refused, frame)
                return
            self.guard_names(frame, code, names)
        self.require_known([each for each in names.writes if not (each.is_late and self.takes_writes)], frame)
        if self.takes_writes and any(each.is_late for each in names.writes):
            self.late[frame] = [each for each in names.writes if each.is_late]

    def require_known(self, writes, frame):
        """Stop the capture at assignments to objects whose changes nobody notes."""
        for each in writes:
            known = is_of_call(each, frame, self) or self.takes_writes and is_known(each, frame, self)
            if not known:
                self.stop(str(each), frame, True)

    def guard_names(self, frame, code, names):
        """Guard what a function reads: global variables, and attributes of objects."""
        values = frame.f_globals
        self.guards.asked |= names.asked
        self.guards.attributes |= names.attributes
        self.guards.assigned |= {each.name for each in names.writes if each.kind == "attribute"}
        self.guards.needs_history |= "requires_grad" in names.attributes
        for name in names.globals:
            if name in values:
                self.guards.add(f"{self.guards.constant(values, 'g')}[{name!r}]", values[name], names.attributes)
        with self.guards.contents.doubting():
            self.guard_locals(code, frame.f_locals, names.attributes)

    def guard_locals(self, code, given, attributes):
        """Guard the attributes that a function reads of its arguments, and of variables of enclosing functions."""
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            if isinstance(given.get(name), types.ModuleType):
                self.guards.add_parts(given[name], attributes)
            elif name in given and is_object(given[name]) and id(given[name]) not in self.made:
                self.guards.add_parts(given[name], attributes)
                self.guards.add_class(type(given[name]), attributes, vars(given[name]))
        for name in code.co_freevars:
            if name in given and not isinstance(given[name], Tensor):
                self.guards.add_parts(given[name], attributes)
        for value in given.values():
            if id(value) in self.guards.tensors:
                self.guards.add_tensor_attributes(value, attributes)

    def note_made(self, value):
        """Note an object that the call makes: nothing outside knows it."""
        if not any(id(value) == key for key, _ in self.guards.kept):
            self.made[id(value)] = value

    def look_at_builtin(self, frame, function, standard):
        """Stop the capture at a function written in C whose effects a graph lacks."""
        name = getattr(function, "__name__", "?")
        module = getattr(function, "__module__", None)
        owner = getattr(function, "__self__", None)
        if isinstance(owner, types.ModuleType):
            module = owner.__name__
        elif module is None:
            kind = owner if isinstance(owner, type) else type(owner)
            kind = next((each for each in kind.__mro__ if name in vars(each)), kind)  # perhaps a base
            module = "builtins" if owner is None else kind.__module__
        place, filename = module.partition(".")[0], frame.f_code.co_filename
        if standard:
            if name in HARMLESS or filename.endswith(RANDOM) or filename.endswith(NAMING[0]) and name in NAMING:
                return
            if place in IMPURE or name == "start_new_thread":
                self.stop(f"{module}.{name} is called", frame, is_known_to_pytorch(module, name))
        elif self.thorough and function is __build_class__:
            self.stop("a class is defined", frame, title=title_of(name))
        elif self.thorough and function is dir:
            self.stop("dir is called", frame)
        elif module == "builtins" and name in UNKNOWN and (owner is None or isinstance(owner, types.ModuleType)):
            self.stop(f"{name} is called", frame, name in KNOWN_TO_PYTORCH)
        elif place not in PURE:
            known = isinstance(owner, random.Random) and owner is not random.seed.__self__
            self.stop(f"{module}.{name} is called", frame, known or is_known_to_pytorch(module, name))


def find_ending(frame, filename):
    """Return the first line of PyTorch's error for a function of tensh that only ends graphs of PyTorch; None for another."""
    name = frame.f_code.co_name
    if name == "__new__" and filename.endswith(PARAMETERS) and frame.f_locals.get("cls") is Parameter:
        return PARAMETER
    if name == "forward" and filename.endswith(RECURRENT) and is_recurrent(frame.f_locals.get("self")):
        return None if read_setting("allow_rnn") else "Attempted to wrap RNN, GRU, or LSTM"
    if is_called_by_tensh(frame):
        return None
    return "Unsupported method call" if filename.endswith(STORAGE) else ENDING.get(name)


def is_recurrent(module):
    """Return True for a layer of several steps."""
    return any(each.__name__ == "RNNBase" for each in type(module).__mro__)


def title_of_text(frame):
    """Return the first line of PyTorch's error for the text of a tensor: of ``repr``, or of ``str``."""
    place, _ = read_frames(frame)
    return title_of("repr" if place is not None and find_call(place) in ("repr", "__repr__") else "str")


def title_of_copy(frame):
    """Return the first line of PyTorch's error for a copy that the user makes; None for one that graphs may have."""
    name, value = frame.f_code.co_name, frame.f_locals.get("x")
    if name not in COPIES or is_standard(frame.f_back.f_code.co_filename) or is_called_by_tensh(frame):
        return None
    if isinstance(value, Tensor):
        return COPIES[name]
    if name == "deepcopy":
        return INLINED if isinstance(value, Module) else None
    return SKIPPED if isinstance(value, (list, dict, set)) else None


def is_own_generator(frame):
    """Return True for a method of a generator other than that of the module ``random``."""
    return frame.f_locals.get("self") is not random.seed.__self__


def is_known_to_pytorch(module, name):
    """Return True for a function of C that graphs of PyTorch may leave out, or that it computes with tensors."""
    if module.startswith("numpy"):
        return "random" not in module
    return module == "sys" and name not in ("_getframe", "exit", "getsizeof")
