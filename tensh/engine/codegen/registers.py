"""The registers of a chain's steps for few elements: each is made by the first step that writes it.

An array that a function of NumPy makes costs 0.02 us; one that is made before, for it to write into, costs 0.12.
"""

import numpy as np

from tensh.engine.codegen.source import INDENT


def lines_of_call(writer):
    """Return the lines of a function that computes one array in the steps of a writer, which knows the registers."""
    rooms = dict.fromkeys(("to", *writer.made["array"]), "dtype") | dict.fromkeys(writer.made["mask"], "bool")
    made, lines = [set()], []  # the registers made so far, in each of the enclosing branches
    for line in writer.lines:
        step = line.strip()
        depth = (len(line) - len(step)) // len(INDENT)
        indent, made = INDENT * (depth - 1), [*made, *(set() for _ in range(depth - len(made)))][:depth]
        function, _, given = step.removesuffix(")").partition("(")
        first, (others, _, last) = given.partition(", ")[0], given.rpartition(", ")
        target = first if function == "copyto" or function.endswith(".write_into") else last.removeprefix("out=")
        if target in rooms and not any([target in each for each in made]):
            made[-1].add(target)
            if is_plain(function, rooms[target]):
                step = f"{target} = {function}({others})"
            else:
                lines.append(f"{indent}{target} = empty(shape, {rooms[target]})")
        lines.append(indent + step)
    return lines


def is_plain(function, kind):
    """Return True if a function of NumPy, left to itself, makes an array of the kind of the register that it writes."""
    if function == "clip":
        return True
    function = getattr(np, function, None)
    return isinstance(function, np.ufunc) and (f"{'f' * function.nin}->?" in function.types) == (kind == "bool")
