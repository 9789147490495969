"""One operator: its declaration, and what is generated from it at first use."""

import functools
import inspect

import numpy as np

from tensh.engine.arguments.public_wrapper import PublicWrapper
from tensh.engine.codegen import writer
from tensh.engine.codegen.derivatives import LIST, saves
from tensh.engine.codegen.describe import facts
from tensh.engine.codegen.environment import ENVIRONMENT
from tensh.engine.codegen.node_classes import make_node_class, make_number_node_class
from tensh.engine.codegen.registry import FORMS
from tensh.engine.codegen.return_types import return_type
from tensh.engine.codegen.source import compile_source, set_public_module
from tensh.engine.dispatch.override.points import watch_inner, watch_operator
from tensh.engine.dtypes.dtype import letters_of


class Op:
    """One operator.  ``fn`` is the function, generated when first needed; ``text`` is its source."""

    def __init__(self, kernel, name, doc, derivatives, options):
        self.kernel, self.name = kernel, name
        if doc is not None:
            self.doc = doc
        self.inputs = derivatives  # tensor parameter -> text of its derivative, or None
        self.derivatives = {p: text for p, text in derivatives.items() if text is not None}
        self.node = name.title().replace("_", "") + "Backward0"
        self.outs, self.let, self.sequence, self.types, self.watched = (), {}, None, "biufcW", ()
        self.exact = ()
        self.numbers, self.keyword_variants, self.refusal = {}, {}, {}
        self.inplace_node = self.kernel_name = self.mixing = self.takes_out = None
        self.returns_bool = self.into_dtype = self.keeps_dtype = False
        self.many = self.partial = self.view = self.fused = self.pointwise = self.floats = self.inplace = self.apart = (
            self.parallel
        ) = False
        self.out = self.public = True
        self.constant_edges = (0, 0)  # number of inputs that only PyTorch's node has, before and after these
        self.returns = name  # name of the tuple of outputs in torch.return_types
        self.beyond = None  # function that computes operands that are not matrices, for Python's operator
        self.whole = None  # function that computes operands of any dimensions, for Python's operator on batches
        self.environment = ENVIRONMENT
        for option, value in options.items():
            setattr(self, option, value)
        for parameter, text in derivatives.items():
            if not (text is None or isinstance(text, str)):
                raise TypeError(f"{name}: operators have no option {parameter!r}, and a derivative is a text or None")
        if isinstance(self.numbers, str):
            self.numbers = dict.fromkeys(self.numbers.split())
        self.differentiable = tuple(range(len(self.outs)))
        if self.outs and self.outs != LIST and self.many:
            used = " ".join((*self.derivatives.values(), *self.let.values()))
            self.differentiable = tuple(i for i, o in enumerate(self.outs) if f"g_{o}" in used)

    def __getattr__(self, name):
        """Compute at first use: ``doc``, ``parameters``, ``letters``, ``saves``, ``fn``, ``operator``, ``inplace_fn``."""
        make = Op.MAKERS.get(name)
        if make is None:
            raise AttributeError(name)
        value = self.__dict__[name] = make(self)
        return value

    def _parameters(self):
        if isinstance(self.kernel, np.ufunc):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            return {p: inspect.Parameter(p, kind) for p in self.inputs}
        return dict(inspect.signature(self.kernel).parameters)

    def write(self):
        """Write the function, which puts the kernel, the node and the text where others look for them; return it."""
        return self.fn

    def _fn(self):
        if self.outs:
            ENVIRONMENT[f"{self.name}_outs"] = (
                tuple if self.outs == LIST else functools.partial(tuple.__new__, return_type(self.returns, self.outs))
            )
        if self.derivatives:
            ENVIRONMENT[f"{self.name}_node"] = self.node_class  # two operators may have nodes of one name
            for operand, node in self.numbers.items():
                if node:
                    ENVIRONMENT[f"{self.name}_{operand}_node"] = self.make_number_node_class(operand, node)
        self.text = writer.function_source(self)
        ENVIRONMENT[f"{self.name}_fn"] = fn = self._compile(self.text, self.name, self.name)
        return watch_inner(fn, self.name)

    def make_number_node_class(self, operand, node):
        """Return the class of nodes whose ``operand`` is a number; ``node`` is as in ``numbers``."""
        return make_number_node_class(self, operand, node)

    def public_form(self, name, method=False, spoken=None, inplace=False):
        """Return the operator as users call it under a name; ``spoken`` is the name in messages.

        There is one for each name: its text finds its wrapper in the environment.
        """
        fn = self.inplace_fn if inplace else self.fn
        known = f"{spoken or name}_{'method' if method else 'function'}"
        if hasattr(ENVIRONMENT.get(known), "public"):  # not yet, while another thread writes the same
            return ENVIRONMENT[known].public
        wrapper = PublicWrapper(spoken or name, fn, inspect.signature(fn).parameters, method)
        wrapper = ENVIRONMENT.setdefault(known, wrapper)  # one for all threads
        source = (writer.public_inplace_source if inplace else writer.public_source)(self, name, known)
        made = self._compile(source, known.replace("_", " "), name)
        made.__wrapped__, wrapper.public = fn, made
        return made

    def _operator(self):
        self.write()
        return self._compile(writer.operator_source(self), f"{self.name} operator", f"{self.name}_operator")

    def _inplace_fn(self):
        self.write()
        name = f"{self.name}_"
        ENVIRONMENT[f"{name}_fn"] = fn = self._compile(writer.inplace_source(self), name, name)
        return watch_inner(fn, name)

    def _compile(self, source, title, name):
        """Return the function that ``source`` defines, outside the environment, which all threads share."""
        defined = {}
        compile_source(source, title, ENVIRONMENT, defined)
        return watch_operator(set_public_module(defined[name]), self)

    def __repr__(self):
        return f"<operator {self.name}>"


Op.MAKERS = {
    "doc": lambda op: f"{op.summary}\n\n{facts(op)}" if op.pointwise else inspect.getdoc(op.kernel) or "",
    "parameters": Op._parameters,
    "letters": lambda op: letters_of(op.types),
    "saves": saves,
    "fn": Op._fn,
    "operator": Op._operator,
    "inplace_fn": Op._inplace_fn,
    "node_class": make_node_class,
    "other_forms": lambda op: FORMS.get(op.name),
}


class Inplace:
    """The in-place form of an operator, as an entry of the registry."""

    def __init__(self, op):
        self.op = op

    fn = property(lambda self: self.op.inplace_fn)
