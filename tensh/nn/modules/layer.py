"""Layers without weights: each is declared by a function and settings, from which its methods are generated.

``class ELU(Layer, settings="alpha=1.0, inplace=False", computes="elu(input, alpha, inplace)", shows="alpha inplace?")``
gets

- ``__init__`` with the settings as its parameters, each kept as an attribute of the same name;
- ``forward``, which calls the function of torch.nn.functional (or a method); its parameters are the names in the call
  that are neither settings nor ``training``;
- a printed form of the words in ``shows``: ``alpha`` prints ``alpha=1.0``; ``inplace?`` prints ``inplace=True`` if it is
  true, or else nothing; ``.size`` prints the value alone; ``approximate!`` prints the repr of the value.

``keeps`` (name -> expression) gives the settings whose attributes differ from the arguments; a setting with None is not
kept. ``takes`` gives the parameters of ``forward`` if some have defaults.  ``buffers`` names the settings that are
tensors, or None. ``__init__`` ends with a call of the layer's ``_check``, if there is one.  Tracebacks, debuggers and
``inspect.getsource`` find the generated methods.
"""

import ast
import sys

from tensh.engine.arguments.checks import ntuple
from tensh.engine.arguments.public_wrapper import rename_function
from tensh.engine.codegen.source import compile_source
from tensh.nn import functional as F
from tensh.nn.modules.module import Module


class Layer(Module):
    """A layer declared by a function and settings; see the top of this module."""

    _settings = frozenset()  # the attributes that a call may use by their bare names
    _computes = None  # the text of the call

    def __init_subclass__(cls, settings=None, computes=None, takes=None, shows=None, keeps=None, buffers="", **more):
        super().__init_subclass__(**more)
        if settings is not None:
            _write_init(cls, settings, keeps or {}, buffers.split())
        if computes is not None:
            cls._computes = computes
            _write_forward(cls, computes, takes)
        if shows is not None:
            words = shows.split()
            cls.extra_repr = lambda self: ", ".join(filter(None, (format_setting(self, word) for word in words)))


def format_setting(layer, word):
    """Return the text that a word of ``shows`` adds to the printed form; nothing for a setting that is not set."""
    name = word.strip(".?!")
    value = getattr(layer, name)
    if word.endswith("?"):
        return f"{name}=True" if value else ""
    return f"{value}" if word.startswith(".") else f"{name}={value!r}" if word.endswith("!") else f"{name}={value}"


def adopt_methods(cls):
    """Rename the methods of private bases after the class, as Python's errors show them; return the class."""
    for name in ("__init__", "forward"):
        method = getattr(cls, name)
        if method.__qualname__.startswith("_"):
            setattr(cls, name, rename_function(method, f"{cls.__name__}.{name}"))
    return cls


# ── generated methods ────────────────────────────────────────────────────────
def _write_init(cls, settings, keeps, buffers):
    parameters = ast.parse(f"def __init__(self, {settings}): pass").body[0].args
    names = [each.arg for each in parameters.args[1:] + parameters.kwonlyargs]
    kept = [name for name in names if keeps.get(name, name) is not None]
    lines = [f"def __init__(self, {settings}):", "    super(Layer, self).__init__()"]
    for name in kept:
        value = keeps.get(name, name)
        lines.append(
            f"    self.register_buffer({name!r}, {value})" if name in buffers else f"    self.{name} = {value}"
        )
    if hasattr(cls, "_check"):
        lines.append("    self._check()")
    cls._settings |= set(kept)
    _attach(cls, "__init__", lines, None)


def _write_forward(cls, computes, takes):
    call = ast.parse(computes, mode="eval").body
    if not isinstance(call, ast.Call):
        raise TypeError(f"{cls.__name__}: computes must call a function of torch.nn.functional, not {computes!r}")
    names = [node for node in ast.walk(call) if isinstance(node, ast.Name) and node is not call.func]
    own = cls._settings | {"training"}
    inputs = {name.id: name.col_offset for name in names if name.id not in own}
    for name in names:
        if name.id in own:
            name.id = f"self.{name.id}"
    if isinstance(call.func, ast.Name):
        call.func.id = f"F.{call.func.id}"
    parameters = takes or ", ".join(sorted(inputs, key=inputs.get))
    _attach(cls, "forward", [f"def forward(self, {parameters}):", f"    return {ast.unparse(call)}"], f"``{computes}``")


def _attach(cls, name, lines, doc):
    namespace = {
        **vars(sys.modules[cls.__pytorch_module__ or cls.__module__]),
        "F": F,
        "Layer": Layer,
        "ntuple": ntuple,
    }
    compile_source("\n".join(lines) + "\n", f"torch.nn.{cls.__name__}.{name}", namespace)
    method = namespace[name]
    method.__qualname__, method.__doc__ = f"{cls.__name__}.{name}", doc
    setattr(cls, name, method)
