"""The names of modules' types: each traced module has its own type, with a number in its name if others have the name.

Note [Names of types]
The type of a module is called after its class, ``__torch__.NAME``, with the name of the Python module before NAME unless that is
``__main__``. Within a process no name is given twice: ``___torch_mangle_3.NAME`` is the fourth name that was taken already.
Scripts share the types of equal modules, and use the plain name; they take it as well.
"""

from tensh.jit.language.types import class_path

__all__ = ["class_of", "name_type", "take_name", "take_script_names"]

taken, counted = set(), [0]
"""The names that were given, and how many numbers."""


def class_of(module):
    """Return the user's class of a module, also of a traced or scripted one."""
    original = getattr(module, "_original", None)
    return original if isinstance(original, type) else type(module if original is None else original)


def take_name(module):
    """Return a new name for the type of a module."""
    path = name = class_path(class_of(module))
    while name in taken:
        space, _, last = path.rpartition(".")
        name, counted[0] = f"{space}.___torch_mangle_{counted[0]}.{last}", counted[0] + 1
    taken.add(name)
    return name


def take_script_names(module):
    """Take the plain names of the types of a scripted module and its submodules."""
    taken.update(class_path(class_of(each)) for each in module.modules())


def name_type(module):
    """Return the name of a module's type."""
    return module.__dict__.get("_type_name") or class_path(class_of(module))
