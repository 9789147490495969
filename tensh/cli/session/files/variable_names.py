"""Names of variables for values from files."""

import builtins
import keyword
import re

from tensh.cli.session.events import RESULTS

MODULES = frozenset("torch nn F np math tensh".split())  # predefined at the prompt


def is_reserved(name):
    """Return True if a name has a special meaning in Python or at the prompt, which no file may change."""
    return name in vars(builtins) or name in MODULES or name.startswith("__") or name in RESULTS


def free_name(name, taken, numbers=None):
    """Turn a text into an unused Python name; `numbers` stores where numbering continues.

    It does not begin with an underscore: such names belong to Python, such as __builtins__, or to results, and no command
    lists or saves them.
    """
    name = re.sub(r"\W", "_", name)
    if name.startswith("_"):
        name = name.strip("_")
    if not name or name[0].isdigit():  # "0.weight" of a Sequential
        name = f"array_{name}".rstrip("_")
    if keyword.iskeyword(name):
        name = f"{name}_"
    if name not in taken and not is_reserved(name):
        return name
    number = numbers.get(name, 2) if numbers else 2
    while f"{name}_{number}" in taken:
        number += 1
    if numbers is not None:
        numbers[name] = number + 1
    return f"{name}_{number}"
