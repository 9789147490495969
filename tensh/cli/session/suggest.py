"""What was probably meant, where something of that name does not exist: a name, an attribute, a keyword, a module.

First NumPy's words for what PyTorch calls otherwise, then what is spelled alike. Nothing of the user's runs.
"""

import ast
import builtins
import re
from types import ModuleType

from tensh.alias.parts import own_name
from tensh.spelling import close

TORCH = ("tensh", "tensh.nn", "tensh.nn.functional")  # modules whose names people write without them
MEMBERS = ("_parameters", "_buffers", "_modules")  # where a module has what is not in its class
IMPORTED = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


def suggestion(error, frame, segment=None):
    """What was meant with a name that an error did not find, or None; `segment` is the code that raised it."""
    if isinstance(error, NotImplementedError):  # PyTorch has the name, which is meant as it is
        return None
    known = {**frame.f_globals, **frame.f_locals} if frame else {}
    if isinstance(error, NameError) and error.name and frame:
        return of_name(error.name, {**vars(builtins), **known}, is_called(error.name, segment))
    if isinstance(error, AttributeError) and error.name:
        return of_attribute(error.name, error.obj) or of_another(error.name, error.obj, known)
    if isinstance(error, ImportError):
        return of_import(error)
    if isinstance(error, TypeError) and frame and segment:
        return of_keyword(segment, {**frame.f_globals, **frame.f_locals})
    return None


def is_called(word, segment):
    """Whether the code calls what a word names."""
    return bool(re.search(rf"\b{re.escape(word)}\(", segment or ""))


def of_name(word, known, called=False):
    """A name: one of torch's that is written without it, or one of the same kind that is spelled alike."""
    for name, value in known.items():
        if isinstance(value, ModuleType) and own_name(value) in TORCH and word in dir(value):
            return f"{name}.{word}"
    users = {name: value for name, value in known.items() if not hasattr(builtins, name)}
    alike = (names for names in (users, known))
    found = (close(word, [n for n, value in names.items() if not called or callable(value)]) for names in alike)
    return next((each for each in found if each), None) or (of_torch(word, known) if called else None)


def of_torch(word, known):
    """A function or class of torch that is spelled alike, as it is written with one of its modules' names."""
    for name, value in known.items():
        if isinstance(value, ModuleType) and own_name(value) in TORCH and len(word) > 3:
            found = close(word, [each for each in dir(value) if each[:1] != "_"])
            if found:
                return f"{name}.{found}"
    return None


def of_another(word, owner, known):
    """An attribute that something else has: a function of a tensor, or a method of an optimizer or a module by its name."""
    if not is_tensor(owner):
        return None
    holders = [
        name for name, value in known.items() if hasattr(type(value), word) and hasattr(type(value), "zero_grad")
    ]
    if holders:
        return f"{holders[-1]}.{word}"
    if word == "zero_grad":
        return "grad = None"
    for name, value in known.items():
        if isinstance(value, ModuleType) and own_name(value) in TORCH and callable(vars(value).get(word)):
            return f"{name}.{word}"
    return None


def is_tensor(value):
    return any(kind.__name__ == "Tensor" and kind.__module__.startswith("torch") for kind in type(value).__mro__)


def of_attribute(word, owner):
    """An attribute of a tensor, of a module of torch, of anything."""
    from tensh.cli.session import spoken

    if isinstance(owner, ModuleType) and own_name(owner) in ("tensh", "tensh.random"):
        words = spoken.table(spoken.TORCH if own_name(owner) == "tensh" else spoken.RANDOM)
        if word in words:
            return f"torch.{words[word]}"
    elif is_tensor(owner):
        words = spoken.table(spoken.TENSOR)
        if word in words:
            return words[word]
    return close(word, attributes(owner))


def of_import(error):
    """What is imported from a module, or a module of torch."""
    match = IMPORTED.search(error.msg or "")
    if match:
        import sys

        module = sys.modules.get(match[2])
        found = of_attribute(match[1], module) if module else None
        return found and found.removeprefix("torch.")
    parent, _, word = (error.name or "").rpartition(".")
    if parent.partition(".")[0] != "torch":
        return {"pytorch": "torch", "numppy": "numpy"}.get(error.name)
    from tensh.cli.session.completion.importing import submodules

    found = close(word, submodules(parent))
    return f"{parent}.{found}" if found else None


def of_keyword(segment, namespace):
    """A keyword that the function which is called does not have."""
    from tensh.cli.session import spoken
    from tensh.cli.session.completion import arguments, context

    try:
        call = ast.parse(segment.strip(), mode="eval").body
        given = [each.arg for each in call.keywords if each.arg]
        function = ast.get_source_segment(segment.strip(), call.func)
    except (SyntaxError, ValueError, AttributeError):  # no call, or one that is cut off
        return None
    known = arguments.parameters(context.Call(function, [""]), namespace)
    if not known or any(each.kind is each.VAR_KEYWORD for each in known.values()):
        return None
    words = {left: right for left, right in spoken.table(spoken.KEYWORD).items() if right in known and left != right}
    known = [name for name in known if name not in words]
    unknown = next((word for word in given if word not in known), None)
    meant = unknown and close(unknown, [*known, *words])
    return f"{words.get(meant, meant)}=" if meant else None


def attributes(value):
    """The names of an object's attributes, without asking the object: a property could run for it."""
    if isinstance(value, ModuleType):
        return dir(value)
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:  # it has slots, or nothing
        own = ()
    kind = type(value)
    parts = [own[each] for each in MEMBERS if isinstance(own, dict) and isinstance(own.get(each), dict)]
    lacking = {name for name, member in vars(kind).items() if type(member).__name__ == "Unsupported"}  # of Tensor
    return {*dir(kind), *own, *(name for part in parts for name in part)} - lacking
