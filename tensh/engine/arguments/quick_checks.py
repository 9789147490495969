"""Quick checks of arguments, written into the wrappers: true for any argument that may be of a wrong kind.

They are nearly free for valid arguments, and catch all invalid ones; whether a caught argument is really invalid is
decided by PyTorch's signatures.
"""

from functools import cache

from tensh.engine.arguments.overloads import read_lines

CHECKS = {
    "bool": "{0} is not False and {0} is not True",
    "int": "is_not_int64({0})",
    "float": "{0}.__class__ is not float",
    "Number": "{0}.__class__ is not float and {0}.__class__ is not int",
    "str": "{0}.__class__ is not str",
}
FLAGS = frozenset(["stable", "upper"])
"""Parameters for bools, without a default or with None."""
INTEGERS = frozenset(
    """
    k n decimals correction offset diagonal chunks split_size step shifts ignore_index divisor_override num_classes num_groups
    n_fft hop_length win_length ind padding_idx start_dim storage_offset edge_order bins r N group interpolation_mode padding_mode
    upscale_factor downscale_factor
""".split()
)
"""Parameters for 64 bit integers in PyTorch's signatures that are not checked elsewhere."""
FLOATS = frozenset(["eps"])
"""Parameters for floats."""
NUMBERS = frozenset(["alpha", "beta", "maxnorm"])
"""Parameters for numbers of any kind."""


def checked_kinds(parameters):
    """Yield (name, kind) of the parameters that the wrapper of a public function checks."""
    for name, p in parameters.items():
        if type(p.default) is bool or name in FLAGS and p.kind is p.KEYWORD_ONLY:
            yield name, "bool"
        elif name in INTEGERS:
            yield name, "int"
        elif name in FLOATS:
            yield name, "float"
        elif name in NUMBERS:
            yield name, "Number"
        elif type(p.default) is str:
            yield name, "str"


def write_check(name, kind, default):
    """Return the text of a quick check, which takes 5 to 10 ns for a default, up to 40 for another argument."""
    check = CHECKS[kind].format(name)
    if default is None:
        return f"{name} is not None and {check}"
    if default is True:
        return f"{name} is not True and {name} is not False"
    if kind == "int" and type(default) is int:
        return f"({name}.__class__ is not int or {name} != {default} and {check})"
    return check


def checks_of(parameters):
    """Return the texts of the checks of a public function's parameters."""
    return [write_check(name, kind, parameters[name].default) for name, kind in checked_kinds(parameters)]


@cache
def handed_on():
    """Function -> parameter -> (kind, the function it is passed to, its name and position there).

    PyTorch's functions in Python pass arguments to functions in C, which name themselves in errors.  The file has a
    kind per block, and a line per parameter in the order above; a parameter without a position is passed by name.
    Those for tensors are not checked beforehand: they only name the argument once a call has failed.
    """
    table, kind = {}, None
    for line in read_lines("handed_on.txt"):
        if not line.startswith(" "):
            kind = line
        else:
            function, parameter, called, *place = line.split()
            table.setdefault(function, {})[parameter] = kind, called, *place
    return table
