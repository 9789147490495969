"""Traces that a script calls: what they take and give, and their code in the script's file."""

import inspect

from tensh.jit.files.writing import write_trace_class
from tensh.jit.graphs.nested_inputs import fill
from tensh.jit.graphs.python_print import write_function
from tensh.jit.scripting.sugar import class_name, kind_of_object

__all__ = ["TraceMethod", "add_trace_function", "is_trace", "make_trace_object"]


class TraceMethod:
    """A method of a traced module, or a traced function, as a script calls it."""

    graph = None  # the graph of a trace has another form

    def __init__(self, trace, name):
        self.trace, self.name, self.program = trace, name, trace._programs[name]
        examples = [node.meta["val"] for node in self.program.inputs]
        self.kinds = {key: kind_of_object(fill(form, examples)) for key, form in self.program.arguments}
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.signature = inspect.Signature([inspect.Parameter(key, kind) for key in self.kinds])
        self.result = kind_of_object(self.program.result)


def is_trace(thing):
    """Return True for a traced function, or a module that was traced itself."""
    return "_programs" in getattr(thing, "__dict__", ())


def make_trace_object(module, codes, write_script):
    """Return the object of a traced module; its class, and those of its submodules, are added to the code.

    ``write_script`` returns the object of a submodule that is scripted.
    """
    return write_trace_class(module, class_name(module), module._programs, codes, write_script)


def add_trace_function(called, path, codes):
    """Add the code of a traced function under its full name."""
    space, _, name = path.rpartition(".")
    codes.add(space, write_function(called.program, codes.constants, name))
