"""A tracer of functions with assertions: these become calls of ``torch._assert``, which a graph can have."""

import ast
import copy
import functools
import inspect
import textwrap

from tensh.fx.tracer import Tracer
from tensh.nn.modules.module import Module

__all__ = ["AST_Rewriter", "RewritingTracer"]


class AST_Rewriter(ast.NodeTransformer):
    """Writes functions anew, without ``assert``."""

    def rewrite(self, fn):
        """Return a function with calls of ``torch._assert`` in place of its assertions."""
        source = textwrap.dedent(inspect.getsource(fn))
        tree = ast.fix_missing_locations(self.visit(ast.parse(source)))
        names = {}
        exec(compile(tree, inspect.getsourcefile(fn) or "<rewritten>", "exec"), fn.__globals__, names)
        made = names[fn.__name__]
        made.__defaults__, made.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
        return functools.wraps(fn)(made)

    def visit_Assert(self, node):
        """Replace an assertion; one without a message has an empty one."""
        call = ast.parse("torch._assert()", mode="eval").body
        call.args = [node.test, node.msg or ast.Constant("")]
        return ast.copy_location(ast.Expr(call), node)


class RewritingTracer(Tracer):
    """A tracer that rewrites a function, or a module's ``forward``, before the trace.

    ``RewritingTracer().trace(function)`` returns the graph; the function needs a source, and the name ``torch``.
    """

    def trace(self, root, concrete_args=None):
        """Return the graph of a function or module, with its assertions."""
        return super().trace(rewrite(root), concrete_args)


def rewrite(root):
    """Return a function or module without ``assert``; the module shares the members of the given one."""
    if not isinstance(root, Module):
        return AST_Rewriter().rewrite(root)

    class RewrittenModule(Module):
        forward = AST_Rewriter().rewrite(type(root).forward)

    made = RewrittenModule()
    made.__dict__ = copy.copy(root.__dict__)
    return made
