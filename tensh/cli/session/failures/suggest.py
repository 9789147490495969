"""Suggestions for an unknown name, attribute, keyword or module.

PyTorch's counterparts of NumPy names come first, then similar spellings. No user code runs.
"""

import ast
import builtins
import re
from types import ModuleType

from tensh.alias.parts import own_name
from tensh.cli.session.failures.beginnings import find_members
from tensh.cli.session.failures.usual_imports import IMPORTS, PLAIN
from tensh.support.language import _
from tensh.support.naming import is_of_torch
from tensh.support.patterns import pattern
from tensh.support.spelling import close, closest

TORCH = ("tensh", "tensh.nn", "tensh.nn.functional")  # modules whose names are often used unqualified
PARTS = (
    "tensh.optim", "tensh.optim.lr_scheduler", "tensh.utils.data", "tensh.nn.utils.rnn", "tensh.nn.utils", "tensh.nn.init", "tensh.linalg", "tensh.autograd",
    "tensh.autograd.functional", "tensh.func", "tensh.distributions", "tensh.fft", "tensh.special",
)  # fmt: skip
"""Modules searched for a name that another module lacks, the most used first."""
MEMBERS = ("_parameters", "_buffers", "_modules")  # dictionaries of a module that hold attributes
OTHER_LANGUAGES = {
    "null": "None", "nil": "None", "NULL": "None", "undefined": "None", "true": "True", "false": "False", "this": "self",
    "disp": "print", "printf": "print", "puts": "print", "echo": "print", "console": "print", "raw_input": "input", "unicode": "str", "NA": "math.nan",
    "typeof": "type", "strlen": "len",
    "nan": "math.nan", "NaN": "math.nan", "inf": "math.inf", "Inf": "math.inf", "pi": "math.pi", "PI": "math.pi",
}  # fmt: skip
LENGTH = "len(x)"
SHORTEST_BUILTIN = 3  # least letters of a misspelt built-in name
LACKING = pattern(r"(torch[\w.]*)\.(\w+) exists in PyTorch but not in tensh")
UNBOUND = pattern(r"local variable '(\w+)'")
IMPORTED = pattern(r"cannot import name '(\w+)' from '([\w.]+)'")


def suggestion(error, frame, segment=None):
    """Suggest a replacement for the name that an error did not find, or None; `segment` is the failing code."""
    if isinstance(error, NotImplementedError):  # the name exists in PyTorch
        return suggest_class_of_module(error)
    known = {**frame.f_globals, **list_enclosing_names(frame), **frame.f_locals} if frame else {}
    if isinstance(error, UnboundLocalError) and frame:
        word = UNBOUND.search(str(error))
        return f"self.{word[1]}" if word and is_own(word[1], frame) else None
    if isinstance(error, NameError) and error.name and frame:
        if is_own(error.name, frame):
            return f"self.{error.name}"
        return suggest_missing_import(error.name, known) or suggest_for_name(
            error.name, {**vars(builtins), **known}, is_called(error.name, segment)
        )
    if isinstance(error, AttributeError) and error.name:
        found = suggest_attribute(error.name, error.obj) or suggest_owner(error.name, error.obj, known)
        return name_owner(found, error, segment) if found and (is_tensor(error.obj) or found == LENGTH) else found
    if isinstance(error, ImportError):
        return suggest_import(error)
    if isinstance(error, TypeError) and frame and segment:
        if str(error).startswith("'module' object is not callable"):  # Python 3.12 and later append a suggestion
            return suggest_for_called_module(segment, known)
        return suggest_keyword(segment, {**frame.f_globals, **frame.f_locals})
    return None


def name_owner(found, error, segment):
    """Write the user's name of a value for the x of a suggestion: `len(losses)` for `len(x)`."""
    owner = re.match(rf"([^\W\d]\w*)\.{re.escape(error.name)}\b", (segment or "").strip())
    return re.sub(r"\bx\b", owner[1], found) if owner else found


def is_own(word, frame):
    """Return True if a word is an attribute of `self` in a method's frame."""
    return "self" in frame.f_locals and word in attributes(frame.f_locals["self"])


def suggest_class_of_module(error):
    """Suggest the class after which a module of PyTorch is named: `torch.optim.Adam` for `torch.optim.adam`."""
    import sys

    match = LACKING.match(str(error))
    module = sys.modules.get(own_name_of(match[1])) if match else None
    same = [name for name in dir(module) if name.lower() == match[2].lower()] if module else []
    return same[0] if len(same) == 1 and same[0] != match[2] else None


def suggest_for_called_module(segment, known):
    """Suggest the class or function with the name of the module that was called, beside the module or in it."""
    try:
        call = ast.parse(segment.strip(), mode="eval").body
    except SyntaxError:
        return None
    path = ast.unparse(call.func).split(".") if isinstance(call, ast.Call) else [""]
    owner, thing = None, known.get(path[0])
    for name in path[1:]:
        owner, thing = thing, vars(thing).get(name) if isinstance(thing, ModuleType) else None
    if not isinstance(thing, ModuleType):
        return None
    word = thing.__name__.rpartition(".")[2].lower()
    for holder, begin in ((owner, ""), (thing, f"{path[-1]}.")):
        same = [name for name in dir(holder) if name.lower() == word and callable(getattr(holder, name, None))]
        if holder is not None and same:
            return begin + (word if word in same else same[0])
    shorter = [name for name in dir(owner) if word.startswith(name) and callable(getattr(owner, name, None))]
    return max(shorter, key=len, default=None)


def list_enclosing_names(frame):
    """Return the local names of the function around a comprehension, which its frame lacks."""
    is_comprehension = frame.f_code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
    return frame.f_back.f_locals if is_comprehension and frame.f_back else {}


def suggest_missing_import(word, known):
    """Suggest the usual import of a name, or the name under which the module was imported."""
    if word in OTHER_LANGUAGES:
        return OTHER_LANGUAGES[word]
    code = IMPORTS.get(word)
    if code is None:
        return None
    module = code.split()[1]
    for name, value in known.items():
        if (
            code.startswith("import ")
            and issubclass(type(value), ModuleType)
            and own_name(value) in (module, own_name_of(module))
        ):
            return name
    return code


def own_name_of(module):
    """Return the name of tensh's module for one of torch's."""
    return "tensh" + module.removeprefix("torch") if module.partition(".")[0] == "torch" else module


def is_called(word, segment):
    """Return True if the code calls the name."""
    return bool(re.search(rf"\b{re.escape(word)}\(", segment or ""))


def is_torch(value):
    """Return True if a value is torch, torch.nn or torch.nn.functional."""
    return issubclass(type(value), ModuleType) and own_name(value) in TORCH


def suggest_for_name(word, known, called):
    """Suggest a name: one of torch's to be qualified, or a similar one."""
    for name, value in known.items():
        if is_torch(value) and word in dir(value):
            return f"{name}.{word}"
        rest = word.removeprefix(name)
        if is_torch(value) and rest not in (word, "") and rest in dir(value):
            return f"{name}.{rest}"
    users = {name: value for name, value in known.items() if not hasattr(builtins, name)}
    others = known if called or len(word) > SHORTEST_BUILTIN else users  # `net` is not a misspelt `next`
    alike = (names for names in (users, others))
    found = (close(word, [n for n, value in names.items() if not called or callable(value)]) for names in alike)
    return next((each for each in found if each), None) or (suggest_from_torch(word, known) if called else None)


def suggest_from_torch(word, known):
    """Suggest a similar function or class of torch, qualified by its module's name."""
    for name, value in known.items():
        if is_torch(value) and len(word) > 3:
            found = close(word, [each for each in dir(value) if each[:1] != "_"])
            if found:
                return f"{name}.{found}"
    return None


def suggest_namespace(word, module):
    """Suggest the same name in another of torch's modules: `torch.tensor` for `nn.tensor`."""
    if not own_name(module).startswith("tensh"):
        return None
    import sys

    for name in TORCH:
        other = sys.modules.get(name)
        if (
            other is not None
            and own_name(module) != name
            and word in dir(other)
            and callable(getattr(other, word, None))
        ):
            return f"torch{name.removeprefix('tensh')}.{word}"
    return None


def suggest_deeper(word, own):
    """A part of torch that was written in the wrong module (`torch.optim` for `nn.optim`), or a class or function in one."""
    import importlib

    if f"tensh.{word}" in PARTS and own != "tensh":
        return f"torch.{word}"
    for name in PARTS:
        if name == own:
            continue
        module = importlib.import_module(name)
        member = getattr(module, word, None) if word in dir(module) else None
        if callable(member) and is_of_torch(getattr(member, "__module__", None) or ""):
            return f"torch{name.removeprefix('tensh')}.{word}"
    return None


def is_made_without_sizes(layer):
    """Return True if a layer such as ReLU needs no arguments, so that its name may be meant for the function."""
    import inspect

    parameters = [*inspect.signature(layer).parameters.values()]
    return all(each.default is not each.empty or each.kind is each.VAR_KEYWORD for each in parameters)


def suggest_owner(word, owner, known):
    """Suggest another object's attribute: torch's function for a tensor, a method of an optimizer or module, a layer."""
    if hasattr(type(owner), "named_modules"):
        return suggest_part(word, owner, known) or suggest_loss(word, known)
    if hasattr(type(owner), "param_groups") or hasattr(owner, "param_groups"):
        first = owner.param_groups[0] if type(owner.param_groups) is list and owner.param_groups else ()
        return f'param_groups[0]["{word}"]' if word in first else suggest_loss(word, known)
    if not is_tensor(owner) and not is_torch(owner):
        return None
    holders = [
        name for name, value in known.items() if hasattr(type(value), word) and hasattr(type(value), "zero_grad")
    ]
    if holders:
        return f"{holders[-1]}.{word}"
    if is_torch(owner):
        return None
    if word == "zero_grad":
        return "grad = None"
    for name, value in known.items():
        if is_torch(value) and callable(vars(value).get(word)):
            return f"{name}.{word}"
    return None


def suggest_part(word, model, known):
    """Suggest the only layer of a model with an attribute: `net[0].weight` for `net.weight`."""
    name = next((name for name, value in known.items() if value is model and name[0] != "_"), None)
    parts = [(path, part) for path, part in model.named_modules() if path and word in attributes(part)]
    if name is None or len(parts) != 1 or not any(word in vars(parts[0][1]).get(each, ()) for each in MEMBERS):
        return None
    path = "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in parts[0][0].split("."))
    return f"{name}{path}.{word}"


def suggest_loss(word, known):
    """Suggest a computed loss for a method called on the loss function: `loss.backward`."""
    if word not in ("backward", "item"):
        return None
    names = [name for name, value in known.items() if is_tensor(value) and value.requires_grad and value.dim() == 0]
    return f"{names[-1]}.{word}" if names and not known[names[-1]].is_leaf else None


def is_tensor(value):
    return any(kind.__name__ == "Tensor" and kind.__module__.startswith("torch") for kind in type(value).__mro__)


def translate_word(word, owner):
    """Return the attribute that other libraries call ``word``, by the kind of the owner; None if there is none."""
    from tensh.cli.session.failures import spoken

    module = own_name(owner) if isinstance(owner, ModuleType) else None
    kinds = (
        (module == "tensh", spoken.TORCH),
        (module == "tensh.random", spoken.RANDOM),
        (module == "tensh.nn", spoken.LAYERS),
        (hasattr(type(owner), "named_modules"), spoken.MODEL),
        (is_tensor(owner), spoken.TENSOR),
        (hasattr(owner, "param_groups") and hasattr(type(owner), "zero_grad"), spoken.OPTIMIZER),
        (hasattr(type(owner), "get_last_lr"), spoken.SCHEDULER),
        (type(owner) is list, spoken.LIST),
        (type(owner) is dict, spoken.DICT),
    )
    words = next((words for is_kind, words in kinds if is_kind), None)
    found = None if words is None else spoken.table(words).get(word)
    if found is None or words is spoken.MODEL and not hasattr(type(owner), found):
        return None
    return f"torch.{found}" if module in ("tensh", "tensh.random") else found


def suggest_attribute(word, owner):
    """Suggest an attribute of a tensor, a module of torch, or another object."""
    translated = translate_word(word, owner)
    if translated is not None:
        return translated
    names = attributes(owner)
    if isinstance(owner, ModuleType) and (elsewhere := suggest_namespace(word, owner)):
        alike = next((name for name in names if name.lower() == word.replace("_", "").lower()), None)
        if alike is None or (own_name(owner) == "tensh.nn" and is_made_without_sizes(getattr(owner, alike))):
            return elsewhere if alike is None else f"{elsewhere}{_(' or ')}{alike}"
        return alike
    if isinstance(owner, ModuleType) and own_name(owner).partition(".")[0] == "tensh":
        same = suggest_deeper(word, own_name(owner))
        if same:
            return same
    if word in ("len", "length") and hasattr(type(owner), "__len__"):
        return LENGTH
    if isinstance(owner, ModuleType) and owner.__name__ == "numpy" and (torch := suggest_function_of_torch(word)):
        return torch
    found = find_members(word, names) if isinstance(owner, ModuleType) else closest(word, names)
    return _(" or ").join(found) or None


def suggest_function_of_torch(word):
    """Suggest `torch.tensor` for `np.tensor`."""
    import sys

    return f"torch.{word}" if word in dir(sys.modules.get("tensh")) else None


def suggest_import(error):
    """Suggest a name to import from a module, or a module of torch."""
    match = IMPORTED.search(error.msg or "")
    if match and match[2].startswith("torch") and IMPORTS.get(match[1], "").startswith(("from torch", "import torch")):
        return IMPORTS[match[1]]
    if match:
        import sys

        module = sys.modules.get(match[2])
        found = suggest_attribute(match[1], module) if module else None
        return found and found.partition(_(" or "))[0].removeprefix("torch.")
    parent, _dot, word = (error.name or "").rpartition(".")
    if parent.partition(".")[0] != "torch":
        return {"pytorch": "torch"}.get(error.name) or close(error.name or "", ["torch", "numpy", *PLAIN])
    import sys

    from tensh.cli.session.completion.importing import submodules

    if word in dir(sys.modules.get(own_name_of(parent))):  # a function or class, which is no module
        return f"from {parent} import {word}"
    found = close(word, submodules(parent))
    return f"{parent}.{found}" if found else None


def suggest_keyword(segment, namespace):
    """Suggest a keyword for an unknown one of the function being called."""
    from tensh.cli.session.completion import arguments, context
    from tensh.cli.session.failures import spoken

    try:
        call = ast.parse(segment.strip(), mode="eval").body
        given = [each.arg for each in call.keywords if each.arg]
        function = ast.get_source_segment(segment.strip(), call.func)
    except (SyntaxError, ValueError, AttributeError):  # not a call, or an incomplete one
        return None
    known = arguments.parameters(context.Call(function, [""]), namespace)
    if not known or any(each.kind is each.VAR_KEYWORD for each in known.values()):
        return None
    words = {left: right for left, right in spoken.table(spoken.KEYWORD).items() if right in known and left != right}
    known = [name for name in known if name not in words]
    unknown = next((word for word in given if word not in known), None)
    begun = [name for name in known if unknown and name.startswith(unknown) and len(unknown) > 1]
    meant = unknown and (close(unknown, [*known, *words]) or (begun[0] if len(begun) == 1 else None))
    meant = words.get(meant, meant)
    is_given = meant in given or meant in known[: len(call.args)]
    return f"{meant}=" if meant and not is_given else None


def attributes(value):
    """Return the names of an object's attributes without evaluating properties."""
    if issubclass(type(value), ModuleType):
        return dir(value)
    if issubclass(type(value), type):
        return {name for kind in type.mro(value) for name in vars(kind)}
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:  # an object without a __dict__
        own = ()
    kind = type(value)
    parts = [own[each] for each in MEMBERS if isinstance(own, dict) and isinstance(own.get(each), dict)]
    from tensh.engine.methods.unsupported import is_hidden

    hidden = {name for each in kind.__mro__ for name, member in vars(each).items() if is_hidden(name, member)}
    return {*dir(kind), *own, *(name for part in parts for name in part)} - hidden
