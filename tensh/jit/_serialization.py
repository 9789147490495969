"""TorchScript files: traced programs are written, and PyTorch's files are read.

A file contains the weights as a pickle, which ``serialization`` reads without running code, and the code of its
classes, which our ``interpreter`` runs with a fixed set of operators: Python's ``exec`` never sees it.
"""

import os
import zipfile

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn_quietly
from tensh.jit._script import RecursiveScriptModule, ScriptFunction, ScriptModule
from tensh.jit.files.interpreter import run_method
from tensh.jit.files.library import Library
from tensh.jit.files.objects import restore, to_be_pickled
from tensh.jit.files.writing import ScriptObject, TypedValue, put_archive
from tensh.jit.traced import TracedModule
from tensh.nn.parameter import Parameter
from tensh.serialization.allowed import Known, Names
from tensh.serialization.archive import Archive
from tensh.serialization.containers import DamagedError
from tensh.serialization.faults import DAMAGE, describe_damage
from tensh.serialization.reading import choose_place, require_file

__all__ = ["is_script_file", "load", "save"]

LARGEST_CODE = 2**24  # maximum size of all code in a file, in bytes


def save(m, f, _extra_files=None):
    """Save a traced or scripted function or module as TorchScript, to a path or binary file, which PyTorch can also load.

    ``_extra_files`` (name -> text) are added to the file. Raise RuntimeError for anything else, for a step without a
    TorchScript operator, and for Python that scripts cannot contain.

    >>> import tensh as torch, io
    >>> traced = torch.jit.trace(torch.nn.Linear(2, 1), torch.ones(1, 2))
    >>> file = io.BytesIO()
    >>> torch.jit.save(traced, file)
    >>> _ = file.seek(0)
    >>> torch.equal(torch.jit.load(file)(torch.ones(1, 2)), traced(torch.ones(1, 2)))
    True
    """
    warn_quietly("`torch.jit.save` is deprecated. Please switch to `torch.export`.")
    if (
        not isinstance(m, (ScriptFunction, ScriptModule))
        or isinstance(m, TracedModule)
        and "_programs" not in m.__dict__
    ):
        raise RuntimeError("torch.jit.save expects what torch.jit.trace or torch.jit.script returns")
    m.save(f, _extra_files)


# ── reading ──────────────────────────────────────────────────────────────────
class ScriptNames:
    """The names allowed in a TorchScript pickle besides those of ``torch.save``: the file's classes, and lists."""

    def __init__(self):
        self.classes = {}

    def __call__(self, full):
        if full.startswith("__torch__."):
            if full not in self.classes:
                cls = type("Instance", (Instance,), {"name": full})
                self.classes[full] = Known(cls, cls)
            return self.classes[full]
        if full.startswith("torch.jit._pickle."):
            if full.endswith(("build_intlist", "build_doublelist", "build_boollist", "build_tensorlist")):
                return Known(same_list, same_list)
            if full.endswith("restore_type_tag"):
                return Known(first, first)
        return None

    def finish(self):
        """Do nothing: an object is complete without a state."""

    def build(self, thing, state):
        if not isinstance(thing, Instance) or not isinstance(state, dict):
            return False
        thing.state = {key: value for key, value in state.items() if isinstance(key, str)}
        return True


class Instance:
    """An object in the file, before it becomes a module."""

    name = ""

    def __init__(self, *args):
        self.args, self.state = args, {}


class FileNames(Names):
    """The names allowed in a TorchScript pickle; a class of enumerated values is called with a value alone."""

    def call(self, value, arguments):
        """Call the function for a value that the file calls."""
        alone = isinstance(value, type) and issubclass(value, Instance) and type(arguments) is not tuple
        return super().call(value, (arguments,) if alone else arguments)


def same_list(values):
    return values


def first(value, kind):
    return value


def is_script_file(f):
    """Return True for a TorchScript archive."""
    try:
        with zipfile.ZipFile(f) as zipped:
            return any(name.endswith("/constants.pkl") for name in zipped.namelist())
    except (OSError, zipfile.BadZipFile):
        return False
    finally:
        if hasattr(f, "seek"):
            f.seek(0)


def require_path(f):
    """Raise ValueError for the path of no file, or of a folder."""
    if isinstance(f, str | os.PathLike) and not os.path.exists(f):
        raise ValueError(f"The provided filename {f} does not exist")
    if isinstance(f, str | os.PathLike) and os.path.isdir(f):
        raise ValueError(f"The provided filename {f} is a directory")


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """Load the module in a TorchScript file of PyTorch or ``save``: its tensors and its code, ready to be called.

    Methods are run by an interpreter with a fixed set of operators; NotImplementedError names the first unknown one.
    Nothing runs before a call. ``_extra_files`` (a dictionary) receives the extra files as bytes, by its keys. Raise
    RuntimeError for a damaged file, or one that is not TorchScript.
    """
    warn_quietly("`torch.jit.load` is deprecated. Please switch to `torch.export`.")
    place = choose_place(map_location)
    require_path(f)
    try:
        require_file(f)
        with zipfile.ZipFile(f) as zipped:
            archive = ScriptArchive(zipped, place)
            codes = archive.codes()
            constants = archive.load_part("constants")
            owner = archive.load_part("data")
            for name in _extra_files or {}:
                _extra_files[name] = archive.read(f"extra/{name}", LARGEST_CODE)
        if not isinstance(owner, Instance):
            raise DamagedError("it contains no module")
        library = Library(codes, constants if isinstance(constants, tuple) else (), run_method)
        return ScriptedFile(owner, library, {})
    except DAMAGE as error:
        raise RuntimeError(f"this is not a TorchScript file, or it is damaged: {describe_damage(error)}") from None


class ScriptArchive(Archive):
    """The records of a TorchScript file: two pickles, each with storages in a folder of the same name."""

    def codes(self):
        """Return the texts of all code files by name."""
        names = [name for name in self.records if name.startswith("code/") and name.endswith(".py")]
        if not names:
            raise DamagedError("it has no code")
        left, found = LARGEST_CODE, {}
        for name in names:
            info = self.records[name]
            left -= info.file_size
            if left < 0:
                raise DamagedError(f"its code has more than {LARGEST_CODE} bytes")
            text = self.zipped.read(info) if info.compress_type == zipfile.ZIP_STORED or info.file_size < 2**20 else b""
            found[name.removeprefix("code/").removesuffix(".py").replace("/", ".")] = text.decode("utf-8", "replace")
        return found

    def load_part(self, part):
        """Load a pickle, with the storages in its folder."""
        from tensh.serialization.unpickling import Unpickler

        self.part, self.storages = part, {}
        self.swap = self.is_swapped() if "byteorder" in self.records else False
        return Unpickler(self.read(f"{part}.pkl", 2**30), FileNames(ScriptNames()), self.mention).load()

    def info(self, name):
        return super().info(name.replace("data/", f"{self.part}/", 1) if name.startswith("data/") else name)


HOOKS = ("__forward_pre_hooks__", "__forward_hooks__")
"""Lists of a class that name the methods which run before and after ``forward``."""


class ScriptedFile(RecursiveScriptModule):
    """A module in a TorchScript file."""

    __module__, __qualname__, _original = "torch.jit._script", "RecursiveScriptModule", None

    def __init__(self, instance, library, made):
        super().__init__()
        made[id(instance)] = self
        self.__dict__["_class"], self.__dict__["_library"] = instance.name, library
        self.__dict__["_names"] = tuple(instance.state)
        facts = library.classes.get(instance.name)
        parameters = facts.lists.get("__parameters__", ()) if facts else ()
        for name, value in instance.state.items():
            if name == "training":
                self.training = bool(value)
            elif isinstance(value, Instance) and is_module(value, library):
                module = made.get(id(value)) or ScriptedFile(value, library, made)
                self._modules[name] = module
            elif isinstance(value, Tensor):
                learned = name in parameters and value.is_floating_point()
                (self._parameters if learned else self._buffers)[name] = (
                    Parameter(value.detach(), value.requires_grad) if learned else value
                )
            elif name != "_is_full_backward_hook":
                value = restore(value, library, lambda each: isinstance(each, Instance), made)
                self.__dict__.setdefault("_attributes", {})[name] = value

    @property
    def original_name(self):
        """The name of the class in the file."""
        return self._class.rpartition(".")[2]

    def save(self, f, _extra_files=None):
        """Write the module to a path or binary file, with the code that it was loaded with."""
        put_archive(f, self._state_object({}), self._library.texts, list(self._library.constants), _extra_files)

    def _state_object(self, made):
        """Return the module as it is pickled."""
        if id(self) not in made:
            state = dict.fromkeys(self._names)
            kinds = self._library.classes[self._class].kinds if self._class in self._library.classes else {}
            plain = {"training": self.training, **self.__dict__.get("_attributes", {})}
            state |= {name: as_typed(value, kinds.get(name)) for name, value in plain.items()}
            state |= {
                name: None if each is None else each.detach().requires_grad_(each.requires_grad)
                for name, each in self._parameters.items()
            }
            state |= self._buffers
            made[id(self)] = ScriptObject(self._class, state)
            state |= {name: each._state_object(made) for name, each in self._modules.items()}
        return made[id(self)]

    @property
    def code(self):
        """The code of ``forward`` in the file."""
        self._require_forward("code")
        return self._library.text_of(self._class, "forward")

    @property
    def graph(self):
        """Raise RuntimeError: a file contains code, and only traces have graphs."""
        raise RuntimeError(
            "a module loaded from a file has code but no graph; torch.jit.trace(module, examples).graph shows what it computes"
        )

    def _require_forward(self, name):
        """Raise AttributeError for an attribute of a class without ``forward``, such as an uncalled submodule of a trace."""
        facts = self._library.classes.get(self._class)
        if facts is not None and self._library.method(self._class, "forward") is None:
            raise AttributeError(f"'RecursiveScriptModule' object has no attribute '{name}'")

    def __call__(self, *args, **kwargs):
        facts = self._library.classes.get(self._class)
        before, behind = (facts.lists.get(name, ()) if facts else () for name in HOOKS)
        if not before and not behind:
            return super().__call__(*args, **kwargs)
        for name in before:
            changed = run_method(self, name, (args,), {})
            args = args if changed is None else changed if isinstance(changed, tuple) else (changed,)
        result = super().__call__(*args, **kwargs)
        for name in behind:
            changed = run_method(self, name, (args, result), {})
            result = result if changed is None else changed
        return result

    def forward(self, *args, **kwargs):
        """Run the ``forward`` of the file."""
        self._require_forward("forward")
        return run_method(self, "forward", args, kwargs)

    def __getattr__(self, name):
        attributes = self.__dict__.get("_attributes", {})
        if name in attributes:
            return attributes[name]
        library = self.__dict__.get("_library")
        if library is not None and library.method(self.__dict__["_class"], name) is not None:
            return FileMethod(self, name)
        if library is not None and (facts := library.classes.get(self.__dict__["_class"])) and name in facts.constants:
            return facts.constants[name]
        return super().__getattr__(name)

    def __deepcopy__(self, memo):
        import copy

        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({k: v if k == "_library" else copy.deepcopy(v, memo) for k, v in self.__dict__.items()})
        return made


class FileMethod:
    """A method of a module in a file other than ``forward``: it can be called, and has ``code``."""

    def __init__(self, owner, name):
        self.owner, self.name = owner, name

    def __call__(self, *args, **kwargs):
        return run_method(self.owner, self.name, args, kwargs)

    @property
    def code(self):
        """The code of the method in the file."""
        return self.owner._library.text_of(self.owner._class, self.name)

    def __repr__(self):
        return f"<torch.ScriptMethod {self.name}>"


ScriptedFile.__name__ = ScriptedFile.__qualname__


def is_module(instance, library):
    """Return True for an object of a class of modules, or of one that the file does not contain."""
    cls = library.classes.get(instance.name)
    return instance.name not in library.enums and (cls is None or cls.is_module)


def as_typed(value, kind):
    """Return a value as it is pickled: a list or a dictionary with its type."""
    value = to_be_pickled(value, ScriptObject)
    return TypedValue("restore_type_tag", value, kind) if kind and isinstance(value, (list, dict)) else value
