"""The names that the code of a function reads, and the actions in it that a graph cannot repeat."""

import dis
import functools
import inspect

from tensh.compiler.capture.kinds import NUMPY_DRAWS
from tensh.compiler.capture.writes import ENCLOSED, GLOBAL, Write, find_write

__all__ = ["read_code"]

CHANGING = frozenset(
    """append extend insert pop popleft popitem remove clear add update discard setdefault sort reverse appendleft
    extendleft write writelines send throw close put""".split()
)
"""Methods that change containers and files."""


ASKING = frozenset(("getattr", "hasattr"))
"""Functions that ask for attributes by their names."""
CONSTRUCTING = ("__init__", "__post_init__", "__setattr__")
"""Methods that assign attributes of an object which the call has made."""
LISTING = frozenset(("vars", "dir"))
"""Functions of Python that read all attributes of an object."""


class Names:
    """The names that the code of a function reads, and its ``writes``; ``refused`` is what ends every graph, or None."""

    def __init__(self):
        self.globals, self.attributes, self.asked, self.refused = {}, set(), set(), None
        self.writes = []
        self.repeatable = True  # whether the code may run twice, and be left anywhere


@functools.lru_cache(4096)
def read_code(code):
    """Return the ``Names`` of a code object."""
    names = Names()
    own = (None, code.co_varnames[:1]) if code.co_name in CONSTRUCTING else ()
    for each in dis.get_instructions(code):
        what = each.opname
        if what == "IMPORT_NAME" and each.argval.partition(".")[0] == "numpy" and "random" in code.co_names:
            names.refused = names.refused or NUMPY_DRAWS
        elif what in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.globals[each.argval] = None
        elif what in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            names.attributes.add(each.argval)
        elif what in ("STORE_ATTR", "DELETE_ATTR"):
            write = find_write(code, each.argval, each.positions)
            names.writes += [] if write.owner in own else [write]
        elif what in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            names.writes.append(Write(GLOBAL, each.argval))
        elif what in ("STORE_DEREF", "DELETE_DEREF") and each.argval in code.co_freevars:
            names.writes.append(Write(ENCLOSED, each.argval))
        elif what in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"):
            names.repeatable = False
    if not ASKING.isdisjoint(names.globals):
        names.asked = {each for each in code.co_consts if isinstance(each, str) and each.isidentifier()}
        names.attributes |= names.asked
    if not LISTING.isdisjoint(names.globals):
        names.attributes.add("__dict__")
    operations = [each.opname for each in dis.get_instructions(code)]
    tries = operations.count("PUSH_EXC_INFO") - operations.count("WITH_EXCEPT_START")
    if names.writes or names.attributes & CHANGING or tries or code.co_flags & inspect.CO_GENERATOR:
        names.repeatable = False
    return names
