"""Quick checks of arguments, written into the wrappers: true for whatever may be of another kind.

They cost next to nothing where the argument is right, and let nothing wrong through; whether an argument that they catch
is wrong is asked of PyTorch's signatures.
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
"""Parameters that take truth values and have no default, or None."""
INTEGERS = frozenset(
    """
    k n decimals correction offset diagonal chunks split_size step shifts ignore_index divisor_override num_classes num_groups
    n_fft hop_length win_length ind padding_idx start_dim storage_offset edge_order bins r N group interpolation_mode padding_mode
    upscale_factor downscale_factor
""".split()
)
"""Parameters that take integers of 64 bits where PyTorch's signature says so, and that nothing else reads as such."""
FLOATS = frozenset(["eps"])
"""Parameters that take floats likewise."""
NUMBERS = frozenset(["alpha", "beta", "maxnorm"])
"""Parameters that take numbers of any kind likewise."""


def checked_kinds(parameters):
    """(name, kind) of the parameters that the wrapper of a public function checks."""
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
    """The text of a quick check: 5 to 10 ns for an argument that has its default, up to 40 for another."""
    check = CHECKS[kind].format(name)
    if default is None:
        return f"{name} is not None and {check}"
    if default is True:
        return f"{name} is not True and {name} is not False"
    if kind == "int" and type(default) is int:
        return f"({name}.__class__ is not int or {name} != {default} and {check})"
    return check


def checks_of(parameters):
    """The texts of the checks of the parameters of a public function."""
    return [write_check(name, kind, parameters[name].default) for name, kind in checked_kinds(parameters)]


@cache
def handed_on():
    """Function -> parameter -> (kind, the function it is handed on to, its name and position there).

    PyTorch's functions in Python hand arguments on to functions in C, which name themselves in errors.  The file has a
    kind per block, and a line per parameter in the order above; a parameter without a position is handed on by name.
    """
    table, kind = {}, None
    for line in read_lines("handed_on.txt"):
        if not line.startswith(" "):
            kind = line
        else:
            function, parameter, called, *place = line.split()
            table.setdefault(function, {})[parameter] = kind, called, *place
    return table
