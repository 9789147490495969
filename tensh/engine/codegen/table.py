"""The table of operators: a declaration is a kernel on raw arrays and, per tensor input, the text of its derivative.

Three rules (see ARCHITECTURE.md):

1. The keyword is the input, its value is the derivative: the gradient to send there.  ``None`` means a tensor that is
   not differentiable.
2. A derivative may use ``g`` (the incoming gradient), ``out`` (or the names in ``outs``, then ``g_NAME``), any
   parameter, and any word of the vocabulary.  ``input.shape`` alone saves the shape, not the array.
3. What it reads is what is saved, and only if an input that needs it wants a gradient.
"""

import functools
import inspect
import sys

import numpy as np
from numpy import asarray, ndarray

from tensh.engine.arguments.lazy_signatures import Later
from tensh.engine.arguments.public_wrapper import PYTHON, PublicWrapper, wrap_public
from tensh.engine.arrays.threads import PARALLEL, PARALLEL_LIGHT, parallel_kernel, parallel_map
from tensh.engine.autograd.packing import saved_members
from tensh.engine.codegen import writer
from tensh.engine.codegen.derivatives import LIST, backward_source, local, saves, words_of
from tensh.engine.codegen.describe import facts, in_place_text
from tensh.engine.codegen.guards import wrap_guarded as guarded_function
from tensh.engine.codegen.mixing import (  # fmt: skip
    NO_ARRAY,
    NUMBERS,
    SCALARS,
    STRICT,
    WEAK,
    as_float,
    keep_dtype,
    mix,
    promote,
    refused_cast,
    refused_write,
    require_operand,
    take_operand,
    take_operands,
)
from tensh.engine.codegen.registry import Registry
from tensh.engine.codegen.source import compiled
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, TENSORS, claim, meanings
from tensh.engine.core import ports
from tensh.engine.core.clock import announce, clock, listeners, mode, tick, wrote
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import FOREIGN, Node, Output
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.core.views import record_retyped_view, record_view, refresh_node
from tensh.engine.dispatch.override.points import overrides, watch
from tensh.engine.errors.messages import REQUIRED, explained, is_long, missing, refuse_dtype
from tensh.engine.errors.views import MULTIPLE
from tensh.engine.inplace.out import check_out, refuse_growth, write_constant_out, write_out
from tensh.engine.inplace.overlap import refuse_overlap, refuse_overlap_in_part
from tensh.engine.inplace.writes import begin_write, operand_node, require_own_dtype, write_inplace
from tensh.naming import torch_is_tensh

PUBLIC = Registry("PUBLIC")  # the torch namespace: name -> Op, function, class or constant
METHODS = Registry("METHODS")  # of Tensor: name -> Op or function; "exp_" -> the operator whose in-place form it is
MEMBERS = Registry("MEMBERS")  # attributes of Tensor that are not wrapped: properties, special methods
PYTHON_ONLY = Registry("PYTHON_ONLY")  # functions of Python's operators without a method, as 1 / x: "rdiv" -> function
FORMS = Registry("FORMS")
"""The functions for calls of a method whose one argument is not numbers side by side: ``x.view(2, 3)`` itself then
takes no extra step."""


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
        self.numbers, self.keyword_variants, self.refusal = {}, {}, {}
        self.kernel_name = self.mixing = self.takes_out = None
        self.returns_bool = self.into_dtype = self.keeps_dtype = False
        self.many = self.partial = self.view = self.pointwise = self.floats = self.inplace = self.apart = (
            self.parallel
        ) = False
        self.out = self.public = True
        self.constant_edges = (0, 0)  # number of inputs that only PyTorch's node has, before and after these
        self.returns = name  # name of the tuple of outputs in torch.return_types
        self.beyond = None  # function that computes operands that are not matrices, for Python's operator
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
        """Compute at first use: ``doc``, ``parameters``, ``saves``, ``fn``, ``operator``, ``inplace_fn``."""
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

    def _fn(self):
        if self.outs:
            ENVIRONMENT[f"{self.name}_outs"] = (
                tuple if self.outs == LIST else functools.partial(tuple.__new__, return_type(self.returns, self.outs))
            )
        if self.derivatives:
            ENVIRONMENT[f"{self.name}_node"] = self.node_class  # by operator, as two may have nodes of one name
            for operand, node in self.numbers.items():
                if node:
                    ENVIRONMENT[f"{self.name}_{operand}_node"] = self._node_beside_number(operand, node)
        self.text = writer.function_source(self)
        ENVIRONMENT[f"{self.name}_fn"] = fn = self._compiled(self.text, self.name, self.name)
        return fn

    def public_form(self, name, method=False, spoken=None, inplace=False):
        """The operator as users call it under a name; ``spoken`` is the name in messages."""
        fn = self.inplace_fn if inplace else self.fn
        known = f"{spoken or name}_{'method' if method else 'function'}"
        wrapper = ENVIRONMENT[known] = PublicWrapper(spoken or name, fn, inspect.signature(fn).parameters, method)
        source = (writer.public_inplace_source if inplace else writer.public_source)(self, name, known)
        made = self._compiled(source, known.replace("_", " "), name)
        made.__wrapped__, wrapper.public = fn, made
        return made

    def _operator(self):
        assert self.fn  # generating it puts the kernel and the node into the environment
        return self._compiled(writer.operator_source(self), f"{self.name} operator", f"{self.name}_operator")

    def _inplace_fn(self):
        assert self.fn
        name = f"{self.name}_"
        return self._compiled(writer.inplace_source(self), name, name)

    def _compiled(self, source, title, name):
        """The function that ``source`` defines; the environment's own entry of that name is restored."""
        kept = ENVIRONMENT.get(name)
        compiled(source, title, ENVIRONMENT)
        function = ENVIRONMENT.pop(name)
        if kept is not None:
            ENVIRONMENT[name] = kept
        return named_for_users(function)

    def _node_class(self):
        roles = tuple(map(self._role, self.saves))
        values = {
            "__slots__": (),
            "__module__": "builtins",
            "op": self,
            "reads": tuple(self.saves),
            "roles": roles,
            "keeps_arrays": self._keeps_arrays(roles),
            **saved_members(self.saves, roles),
        }
        values |= {"derivatives": self.derivatives} | _derivatives(self)
        return type(
            self.node, (Node,), values | ({"constant_edges": self.constant_edges} if any(self.constant_edges) else {})
        )

    def _keeps_arrays(self, roles):
        """Whether a node saves arrays that are released; a property of the node if only some of its inputs need them.

        PyTorch saves nothing for an input that wants no gradient: such a node can be used again.
        """
        inputs = list(self.derivatives)
        readers = [who for who, role in zip(self.saves.values(), roles, strict=True) if role is not None]
        outputs = any(role is not None and role != FOREIGN and role < 0 for role in roles)
        if self.sequence or outputs or any(len(who) != 1 for who in readers):
            return bool(readers)
        needed = sorted({inputs.index(who[0]) for who in readers})
        if not needed or len(needed) == len(inputs):
            return bool(readers)
        return property(lambda node: any(node.inputs[i] is not None for i in needed))

    def _node_beside_number(self, operand, node):
        """The node's class if ``operand`` is a number: one input, and another name in PyTorch."""
        node, formula = node if isinstance(node, tuple) else (node, None)
        tensor = next(i for i, p in enumerate(self.derivatives) if p != operand)
        only = property(lambda node: Node.next_functions.fget(node)[tensor : tensor + 1])
        values = {"__slots__": (), "__module__": "builtins", "next_functions": only}
        if formula is not None:
            values["derivatives"] = {p: text if p == operand else formula for p, text in self.derivatives.items()}
            values |= _derivatives(self)
        if node == "NotImplemented":
            values["backward"] = values["backward_graph"] = lambda node, g: not_differentiable(node.op.name)
        return type(node, (self.node_class,), values)

    def _role(self, read):
        """The role of a saved value: the number of its input, -1 - i for output i, None for a plain value."""
        if read in self.derivatives:
            return list(self.derivatives).index(read)
        if read == "out":
            return -1
        if read in self.outs and self.outs != LIST:
            index = self.outs.index(read)
            return -1 - index if self.many or index == 0 else FOREIGN  # one gradient: that of the first output
        return FOREIGN if read in self.inputs or read in self.watched else None

    def __repr__(self):
        return f"<operator {self.name}>"


Op.MAKERS = {
    "doc": lambda op: f"{op.summary}\n\n{facts(op)}" if op.pointwise else inspect.getdoc(op.kernel) or "",
    "parameters": Op._parameters,
    "saves": saves,
    "fn": Op._fn,
    "operator": Op._operator,
    "inplace_fn": Op._inplace_fn,
    "node_class": Op._node_class,
    "other_forms": lambda op: FORMS.get(op.name),
}


class Derivative:
    """Placeholder for a node's ``backward``: compiles the derivatives at the first use and is replaced by them."""

    def __init__(self, op, name, words):
        self.op, self.name, self.words = op, name, words

    def __get__(self, node, kind):
        namespace = derivative_words(self.op, self.words, kind.derivatives)
        source = backward_source(self.op, self.words is TENSORS, kind.derivatives)
        compiled(source, f"derivative of {self.op.name}", namespace)
        function = namespace[self.name]
        setattr(kind, self.name, function)
        return function.__get__(node, kind)


def _derivatives(op):
    """The placeholders of a node class for its derivatives on arrays and on tensors."""
    return {"backward": Derivative(op, "backward", ARRAYS), "backward_graph": Derivative(op, "backward_graph", TENSORS)}


def derivative_words(op, words, derivatives):
    """The namespace in which an operator's derivatives are compiled: the meanings of their words."""
    texts = [local(text, op, words is TENSORS) for text in (*derivatives.values(), *op.let.values())]
    return meanings({"filled", *(name for text in texts for name in words_of(text))}, words)


OR_THE_SAME = "or the same"
"""Of ``out=``: it lies apart from the inputs, or is one of them."""


def op(kernel=None, *, name=None, doc=None, **keywords):
    """Declare an operator.  Keywords are options of :class:`Op` or, for tensor parameters, derivatives.

    ``numbers`` says which operands of a pointwise operator may be Python numbers: a text of names, or a dictionary that
    gives the node's name in that case, or (name, derivative of the other operand).  ``types`` holds the supported kinds
    of dtypes ("W" is complex32), ``refusal`` exceptions for others (by kind) where PyTorch does not say '"NAME_cpu" not
    implemented', ``kernel_name`` the name in that message where it is not the operator's.
    ``out`` may be the error for an ``out=`` of another dtype than the result (a text), or of one that cannot hold it
    (an exception), and ``apart`` says that it must not lie in the memory of an input, or (``OR_THE_SAME``) not in part of it.
    ``takes_out`` is called with the operator's name, the input and ``out=`` before anything is computed: it may raise.
    ``keyword_variants`` maps a keyword, such as ``alpha``, to its usual value and the operator for all other values.
    ``mixing`` is called with two dtypes, and a number that is the second operand, before promotion: it may raise.
    ``pointwise`` promotes dtypes and broadcasts shapes (see :func:`pointwise`); ``floats`` computes integers in the
    default dtype.  ``inplace`` is True, or "method" where the in-place form is a method only; ``public`` is True, "function",
    "method", or False for an operator that only derivatives and composites call.
    ``into_dtype``: the target of a write, ``out=`` or the tensor itself, decides the ``dtype`` to compute in.
    ``keeps_dtype``: the in-place form refuses a number that would change the dtype.
    ``returns_bool`` says that the result is bool: PyTorch writes it into any ``out=``, even one that requires grad.
    ``outs`` names several outputs (``LIST``: any number); ``many`` gives each its own gradient (``g_NAME``, or the
    list ``gs``; zeros where none arrived, or None with ``partial``); ``returns`` names their
    tuple in torch.return_types; ``let`` names parts that several derivatives share; ``sequence`` names a parameter that is a list of tensors; ``watched`` are parameters that hold arrays, which
    must not change until the derivative has run.
    ``parallel`` says that the kernel works element by element and may be cut into blocks (see arrays/threads.py).
    ``view`` says the result shares the input's memory; ``node`` is PyTorch's node name; ``constant_edges`` counts the
    inputs that its node has before and after the declared ones.
    """
    if kernel is None:
        return lambda k: op(k, name=name, doc=doc, **keywords)
    name = name or kernel.__name__
    options = {k: keywords.pop(k) for k in OPTIONS & keywords.keys()}
    declared = Op(kernel, name, doc, keywords, options)
    declared.place = _place()
    claim(name)
    OPS[name] = declared
    ARRAYS[name] = parallel_kernel(kernel, len(declared.inputs)) if declared.parallel else kernel
    if declared.public in (True, "function"):
        PUBLIC[name] = declared
    if declared.public in (True, "method"):
        METHODS[name] = declared
        if declared.inplace:
            METHODS[f"{name}_"] = Inplace(declared)
            if declared.inplace is True:
                PUBLIC[f"{name}_"] = METHODS[f"{name}_"]
    return declared


class Inplace:
    """The in-place form of an operator, as an entry of the registry."""

    def __init__(self, op):
        self.op = op

    fn = property(lambda self: self.op.inplace_fn)


def composite(fn=None, *, function=True, method=True, inplace=False, out=False, apart=False):
    """Make ``fn``, a function of other operators, public: it has no derivative of its own.

    ``inplace`` adds ``NAME_`` and ``out`` the keyword ``out=``, which must lie ``apart`` from the inputs as at :func:`op`.
    """
    if fn is None:
        return lambda f: composite(f, function=function, method=method, inplace=inplace, out=out, apart=apart)
    name = fn.__name__
    if out:
        fn = with_out(fn, apart)
    named_for_users(fn)
    if function:
        PUBLIC[name] = fn
    if method:
        METHODS[name] = fn
    if inplace:
        METHODS[f"{name}_"] = PUBLIC[f"{name}_"] = inplace_composite(fn)
    return fn


def with_out(fn, apart=False):
    """``fn`` with the keyword ``out=``, which lies ``apart`` from the arguments."""
    name = fn.__name__

    @functools.wraps(fn)
    def function(*args, out=None, **options):
        if out is None:
            return fn(*args, **options)
        check_out(out, name, (*args, *options.values()))
        result = fn(*args, **options)
        if not isinstance(result, tuple):
            refuse_growth(out, result, args)
        inputs = (*args, *options.values()) if apart else ()
        return write_out(out, result, name, inputs=inputs, apart=apart is True)

    function.without_out = fn
    function.__signature__ = Later(lambda: with_keyword(inspect.signature(fn), "out"))
    return function


def with_keyword(signature, name):
    """The signature with one more keyword, None by default."""
    *parameters, last = signature.parameters.values()
    keyword = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
    tail = [keyword, last] if last.kind is last.VAR_KEYWORD else [last, keyword]
    return signature.replace(parameters=[*parameters, *tail])


def inplace_composite(fn):
    """The in-place form of a composite."""
    name = f"{fn.__name__}_"

    def function(input, *args, **options):
        return write_inplace(input, begin_write(input, *args, *options.values()), fn(input, *args, **options), name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = in_place_text(fn.__name__)
    function.__wrapped__ = getattr(fn, "without_out", fn)  # its signature
    function.passes_on = True
    return named_for_users(function)


def public(thing):
    """Put a class or function into the torch namespace under its own name."""
    PUBLIC[thing.__name__] = thing
    return thing


def function(entry):
    """The function behind an entry of ``PUBLIC`` or ``METHODS``."""
    return entry.fn if isinstance(entry, (Op, Inplace)) else entry


def guarded(entry, name):
    """The public form of an entry that is a Python function in PyTorch, too, with Python's error messages."""
    fn = function(entry)
    return watch(fn if isinstance(entry, (Op, Inplace)) else guarded_function(fn, name), python=True)


def public_object(entry, name, method=False, spoken=None):
    """The public object for an entry of ``PUBLIC`` or ``METHODS``; ``spoken`` is the name in messages."""
    if isinstance(entry, Inplace):
        return watch(entry.op.public_form(name, method, spoken, inplace=True))
    if isinstance(entry, Op):
        return watch(entry.public_form(name, method, spoken))
    python = (f"Tensor.{name}" if method else spoken or name) in PYTHON
    return watch(wrap_public(entry, name, method, spoken), python)


OPTIONS = frozenset(
    "node apart returns_bool into_dtype keeps_dtype outs returns let sequence types many partial view pointwise parallel "
    "floats inplace out public watched numbers keyword_variants refusal kernel_name mixing constant_edges takes_out".split()
)


def pointwise(kernel, doc, *, name=None, inplace=True, **keywords):
    """Declare an operator that works element by element: dtypes are promoted, shapes are broadcast."""
    options = {"pointwise": True, "parallel": True, "inplace": inplace}
    declared = op(kernel, name=name or kernel.__name__, doc=doc, **options, **keywords)
    declared.summary = declared.__dict__.pop("doc")  # the full docstring is made when it is read
    return declared


def _place():
    """File and line of the declaration."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


RETURN_TYPES: dict = {}  # the tuples made so far, as torch.return_types has them: name -> class


def return_type(name, fields):
    """The tuple with field names that an operator with several outputs returns, as ``torch.return_types.NAME``."""
    if name in RETURN_TYPES:
        return RETURN_TYPES[name]

    def show(self):
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self)) + ")"

    members = {f: property(lambda self, i=i: self[i]) for i, f in enumerate(fields)}
    members |= {"__slots__": (), "__repr__": show, "__match_args__": fields, "__module__": "torch.return_types"}
    members["__doc__"] = f"The results of ``{name}``: ({', '.join(fields)})."
    members["__reduce__"] = lambda self: (
        (type(self), (tuple(self), {})) if torch_is_tensh() else (_again, (name, fields, tuple(self)))
    )
    members["__new__"] = lambda cls, values, more=None: tuple.__new__(cls, values)  # a pickle says more: nothing
    RETURN_TYPES[name] = type(name, (tuple,), members)
    return RETURN_TYPES[name]


def _again(name, fields, values):
    return return_type(name, fields)(values)


def named_for_users(function):
    """Name a function's public module, not the one that defines it."""
    function.__module__ = "torch"
    return function


def operand(value):
    """True if a Python operator accepts ``value`` beside a tensor."""
    return isinstance(value, (Tensor, *NUMBERS, np.number, np.bool_))


def foreign(name, input, other):
    """A Python operator with an operand that is no tensor and no number: only ``==`` takes an array, as in PyTorch."""
    if name == "eq" and isinstance(other, ndarray) and other.dtype.kind in "biufc":
        return OPS[name].fn(input, wrap(other))
    if overrides(type(other)) and (answer := ports.answer_override(sys._getframe(1).f_code, (input, other), {})):
        return answer[0]
    return NotImplemented


def as_python_operator(fn):
    """A function of two operands as a Python operator: NotImplemented for what is no operand.

    A function may name its operator in the attribute ``operator``.
    """
    if hasattr(fn, "operator"):
        return fn.operator.operator

    def operator(input, other):
        taken = type(other) is Tensor or operand(other) or isinstance(other, ndarray) and hasattr(fn, "arrays")
        if taken:
            return fn(input, other)
        answer = ports.answer_override(operator, (input, other), {}) if overrides(type(other)) else ()
        return answer[0] if answer else NotImplemented

    operator.__name__ = fn.__name__
    return operator


def wanted(nodes):
    """True if any tensor of a sequence wants a gradient."""
    return nodes.count(None) != len(nodes)


def filled(node, parts):
    """The gradients of all outputs of ``node``; zeros where none arrived, or None for operators with ``partial``."""
    if node.op.partial:
        return [parts.get(i) for i in range(len(node.shape))]
    recorded = any(isinstance(g, Tensor) for g in parts.values())
    make = (lambda shape, dtype: wrap(np.zeros(shape, dtype))) if recorded else np.zeros
    return [parts[i] if i in parts else make(*facts) for i, facts in enumerate(node.shape)]


ARRAYS["filled"] = TENSORS["filled"] = filled


def not_differentiable(name):
    """The derivative of a function that has none in PyTorch: an error."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


ARRAYS["not_differentiable"] = TENSORS["not_differentiable"] = not_differentiable
ENVIRONMENT = {
    "Tensor": Tensor, "ndarray": ndarray, "asarray": asarray, "new": new, "wrap": wrap, "refresh_node": refresh_node,
    "record_view": record_view, "record_retyped_view": record_retyped_view, "MULTIPLE": MULTIPLE, "Output": Output,
    "mode": mode, "clock": clock, "tick": tick, "listeners": listeners, "announce": announce, "wrote": wrote,
    "take_operand": take_operand, "take_operands": take_operands, "mix": mix, "promote": promote, "WEAK": WEAK,
    "STRICT": STRICT, "SCALARS": SCALARS, "as_float": as_float, "write_out": write_out,
    "write_inplace": write_inplace, "begin_write": begin_write, "operand_node": operand_node, "check_out": check_out,
    "write_constant_out": write_constant_out, "require_own_dtype": require_own_dtype,
    "refuse_overlap_in_part": refuse_overlap_in_part, "refuse_growth": refuse_growth,
    "refuse_overlap": refuse_overlap, "keep_dtype": keep_dtype, "operand": operand, "foreign": foreign,
    "wanted": wanted, "REQUIRED": REQUIRED, "is_long": is_long, "missing": missing, "explained": explained, "refuse_dtype": refuse_dtype,
    "OPS": OPS, "NO_ARRAY": NO_ARRAY, "require_operand": require_operand, "refused_cast": refused_cast,
    "refused_write": refused_write, "ports": ports, "Lift": Lift, "PARALLEL": PARALLEL,
    "PARALLEL_LIGHT": PARALLEL_LIGHT, "parallel_map": parallel_map,
}  # fmt: skip
"""The one namespace in which all generated functions live."""
