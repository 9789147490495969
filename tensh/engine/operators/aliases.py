"""A table of other names of functions, their methods and in-place forms."""

from tensh.engine.codegen.registry import METHODS, PUBLIC

ALIASES = """
    absolute abs            arccos acos             arccosh acosh           arcsin asin             arcsinh asinh
    arctan atan             arctan2 atan2           arctanh atanh           clip clamp              divide div
    fix trunc               greater gt              greater_equal ge        less lt                 less_equal le
    multiply mul            negative neg            not_equal ne            subtract sub            true_divide div
"""

_words = ALIASES.split()
for _alias, _name in zip(_words[::2], _words[1::2], strict=True):
    for _registry in (PUBLIC, METHODS):
        for _ending in ("", "_"):
            if _name + _ending in _registry:
                _registry[_alias + _ending] = _registry[_name + _ending]
