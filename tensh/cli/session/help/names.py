"""The public names of tensh, their kinds and summaries, and the names of PyTorch that tensh lacks."""

import importlib
import inspect
from types import ModuleType
from typing import NamedTuple

import tensh
import tensh.engine as engine
from tensh.alias.parts import OWN
from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.methods import unsupported
from tensh.engine.operators.layers.composites.registry import LAYERS
from tensh.engine.operators.namespaces import FFT, LINALG
from tensh.support.language import _, deferred
from tensh.switched_off import is_off

TABLES = {"torch": PUBLIC, "torch.linalg": LINALG, "torch.fft": FFT, "torch.nn.functional": LAYERS}
DEEPEST = 10  # dots in a name
SHORT = {"F": "nn.functional", "tensor": "Tensor"}  # abbreviations of namespaces
FIRST = "torch torch.Tensor torch.linalg torch.nn.functional torch.nn torch.special torch.fft".split()
"""The namespaces in which an unqualified name is searched first."""


ABSENT = object()  # in place of a value, for torch.newaxis is None


class Name(NamedTuple):
    """A public name: its namespace and its object there, which may be an entry of the engine's tables."""

    space: str
    name: str
    entry: object

    @property
    def path(self):
        return f"{self.space}.{self.name}"

    @property
    def value(self):
        """The object that the name refers to."""
        return getattr(holder(self.space), self.name)

    @property
    def kind(self):
        """The kind of the object."""
        if isinstance(self.entry, Op):
            return deferred("operator")
        if isinstance(self.entry, Inplace):
            return deferred("in-place operator")
        if isinstance(self.entry, type):
            return deferred("class")
        if isinstance(self.entry, ModuleType):
            return deferred("module")
        if inspect.isdatadescriptor(self.entry):
            return deferred("property")
        if inspect.isroutine(self.entry):
            return deferred("method") if isinstance(holder(self.space), type) else deferred("function")
        return deferred("constant")

    @property
    def summary(self):
        """The first sentence of the documentation; for a constant its repr."""
        if self.kind == "constant":
            return repr(self.entry).partition("\n")[0]
        line = self.doc.partition("\n")[0].replace("``", "`")
        sentence, more, _ = line.partition(".  ")
        return sentence + "." * bool(more)

    @property
    def doc(self):
        """The documentation of the name."""
        if isinstance(self.entry, Inplace):
            return _("In-place version of {name}.\n\n{doc}").format(name=self.entry.op.name, doc=self.entry.op.doc)
        return inspect.cleandoc(self.entry.doc) if isinstance(self.entry, Op) else inspect.getdoc(self.entry) or ""


def holder(space):
    """Return the module or class of a namespace ``torch.x.y``; None if tensh lacks it."""
    parent, _, name = space.rpartition(".")
    if space.count(".") > DEEPEST:  # each level would be imported
        return None
    if parent in ("torch", "torch.nn") and name in PUBLIC and isinstance(PUBLIC[name], type):
        return PUBLIC[name]
    try:
        return importlib.import_module(f"tensh{space.removeprefix('torch')}")
    except ModuleNotFoundError:
        return None


def entry(space, name):
    """Return the entry of one name, or ABSENT; loads only the module that declares it."""
    table = METHODS if space == "torch.Tensor" else TABLES.get(space)
    if table is not None and name in table:
        return table[name]
    if space in TABLES and space != "torch":
        return ABSENT
    home = holder(space)
    if home is None or name.startswith("_") and name not in tensh.ELSEWHERE:
        return ABSENT
    if isinstance(home, type):
        return member(home, name) if is_there(space, home, name) else ABSENT
    if space == "torch":
        return vars(home).get(name) or (getattr(home, name) if name in tensh.ELSEWHERE else part(name) or ABSENT)
    if space == "torch.special":
        return home.entry(name) or ABSENT
    known = name in getattr(home, "__all__", ()) or name in unsupported.read_recorded_names(space)
    return getattr(home, name) if known and is_there(space, home, name) else ABSENT


def part(name):
    """Return a submodule of tensh that PyTorch has, too, or `show`; None for other names."""
    is_part = name in tensh.SUBMODULES or name.isidentifier() and name not in OWN and tensh.exists(name)
    return holder(f"torch.{name}") if is_part else None


def entries(space):
    """Return name -> entry for all names in a namespace, without compiling operators."""
    home = holder(space)
    if home is None:
        return {}
    if isinstance(home, type):
        methods = {n: e for n, e in METHODS.items() if n[0] != "_"} if home is engine.Tensor else {}
        others = [n for n in unsupported.read_recorded_names(space) if n not in methods and is_there(space, home, n)]
        return methods | {n: member(home, n) for n in others}
    table = TABLES.get(space, {})
    if space == "torch.special":
        return {name: home.entry(name) for name in dir(home)}
    known = {*getattr(home, "__all__", ()), *unsupported.read_recorded_names(space)} - table.keys()
    return dict(sorted((table | {name: getattr(home, name) for name in known if is_there(space, home, name)}).items()))


def member(home, name):
    """Return a class's member: a property itself, and a lazy one after it has been loaded; ABSENT if there is none."""
    getattr(home, name, None)
    return inspect.getattr_static(home, name, ABSENT)


def spaces():
    """Return all namespaces, those searched first in front."""
    return [*FIRST, *(space for space in unsupported.namespaces() if space not in FIRST)]


def list_names(prefix=""):
    """Yield the Names of tensh whose paths begin with a prefix."""
    begin = spell_out(prefix)
    for space in unsupported.namespaces():
        if f"{space}.".startswith(begin) or begin.startswith(f"{space}."):
            for name, entry in entries(space).items():
                if f"{space}.{name}".startswith(begin):
                    yield Name(space, name, entry)


def list_missing(prefix):
    """Yield (path, reason) for the names of PyTorch that tensh lacks."""
    begin = spell_out(prefix)
    for space in unsupported.namespaces():
        home = holder(space)
        for name in unsupported.read_recorded_names(space):
            path = f"{space}.{name}"
            if path.startswith(begin) and (home is None or not is_there(space, home, name)):
                yield path, unsupported.reason(path)


def is_there(space, home, name):
    if home is engine.Tensor:
        return not isinstance(vars(home).get(name), unsupported.UnsupportedMember)
    if space == "torch" and name in PUBLIC:
        return True
    return hasattr(home, name) and not is_off(f"{space}.{name}", getattr(home, name))


def spell_out(text):
    """Expand a path to its full form, with ``torch.`` in front."""
    first, *rest = text.removeprefix("tensh.").removeprefix("torch.").split(".")
    if not first or text == "torch":
        return "torch."
    return ".".join(["torch", SHORT.get(first, first) if rest else first, *rest])


def find_name(text):
    """Return the Name for a text with or without its namespace; None if tensh lacks it."""
    path = spell_out(text.strip())
    space, _, name = path.rpartition(".")
    places = spaces() if space == "torch" else [space]
    found_ = ((place, entry(place, name)) for place in places)
    return next((Name(place, name, each) for place, each in found_ if each is not ABSENT), None)


def function(name):
    """Return the function of a Name without its public wrapper."""
    return inspect.unwrap(name.value) if callable(name.value) else name.value


def is_only_in_pytorch(path):
    """Return True if PyTorch has a name that tensh lacks."""
    return unsupported.is_in_pytorch(path)


def find_missing(text):
    """Return the path of a name that PyTorch has and tensh lacks; None if PyTorch lacks it too."""
    path = spell_out(text.strip())
    space, _, name = path.rpartition(".")
    places = spaces() if space == "torch" else [space]
    return next((f"{place}.{name}" for place in places if unsupported.is_in_pytorch(f"{place}.{name}")), None)
