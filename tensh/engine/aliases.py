"""Other names of the same functions: one table, and where there are methods and in-place forms, these too."""

from tensh.engine.table import METHODS, PUBLIC

ALIASES = """
    absolute abs            arccos acos             arccosh acosh           arcsin asin         arcsinh asinh
    arctan atan             arctanh atanh           arctan2 atan2           clip clamp          concat cat
    concatenate cat         divide div              true_divide div         fix trunc           greater gt
    greater_equal ge        less lt                 less_equal le           moveaxis movedim    multiply mul
    negative neg            not_equal ne            row_stack vstack        subtract sub        swapaxes transpose
    swapdims transpose
"""


def hang_aliases():
    """Enter every alias whose function exists; called once all tables are read."""
    words = ALIASES.split()
    for alias, name in zip(words[::2], words[1::2], strict=True):
        for registry in (PUBLIC, METHODS):
            for ending in ("", "_"):
                if name + ending in registry:
                    registry.setdefault(alias + ending, registry[name + ending])
