"""The check of the types in a script, when it is scripted: PyTorch's errors, before anything runs.

One pass over the syntax tree of a function gives every expression a type, and calls are followed. A type that is not known is
``Any``, which fits everywhere: where the pass does not know a type, it says nothing.
"""

from tensh.jit.checking.program import check_class, check_function, check_module

__all__ = ["check_class", "check_function", "check_module"]
