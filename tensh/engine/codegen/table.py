"""The table of operators: a declaration is a kernel on raw arrays and, per tensor input, the text of its derivative.

Three rules (see ARCHITECTURE.md):

1. The keyword is the input, its value is the derivative: the gradient to send there.  ``None`` means a tensor that is
   not differentiable.
2. A derivative may use ``g`` (the incoming gradient), ``out`` (or the names in ``outs``, then ``g_NAME``), any
   parameter, and any word of the vocabulary.  ``input.shape`` alone saves the shape, not the array.
3. What it reads is what is saved, and only if an input that needs it wants a gradient.
"""

import sys

from tensh.engine.arrays.threads import parallel_kernel
from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, claim

OR_THE_SAME = "or the same"
"""Value of ``apart``: ``out=`` lies apart from the inputs, or is one of them."""


def op(kernel=None, *, name=None, doc=None, **keywords):
    """Declare an operator.  Keywords are options of ``Op`` or, for tensor parameters, derivatives.

    ``numbers`` says which operands of a pointwise operator may be Python numbers: a text of names, or a dictionary that
    gives the node's name in that case, or (name, derivative of the other operand).  ``types`` holds the supported kinds
    of dtypes ("W" is complex32), ``refusal`` exceptions for others (by kind) where PyTorch does not say '"NAME_cpu" not
    implemented', ``kernel_name`` the name in that message where it is not the operator's.
    ``out`` may be the error for an ``out=`` of another dtype than the result (a text), or of one that cannot hold it
    (an exception), and ``apart`` says that it must not lie in the memory of an input, or (``OR_THE_SAME``) not in part of it.
    ``takes_out`` is called with the operator's name, the input and ``out=`` before anything is computed: it may raise.
    ``keyword_variants`` maps a keyword, such as ``alpha``, to its usual value and the operator for all other values.
    ``exact`` names operands that, where they are numbers or 0-d tensors beside float16 or bfloat16, are not rounded to it.
    ``mixing`` is called with two dtypes, and a number that is the second operand, before promotion: it may raise.
    ``pointwise`` promotes dtypes and broadcasts shapes (see ``pointwise``); ``floats`` computes integers in the
    default dtype.  ``inplace`` is True, or "method" where the in-place form is a method only; ``public`` is True, "function",
    "method", or False for an operator that only derivatives and composites call.
    ``into_dtype``: the target of a write, ``out=`` or the tensor itself, decides the ``dtype`` to compute in.
    ``keeps_dtype``: the in-place form refuses a number that would change the dtype.
    ``returns_bool`` says that the result is bool: PyTorch writes it into any ``out=``, even one that requires grad.
    ``outs`` names several outputs (``LIST``: any number); ``many`` gives each its own gradient (``g_NAME``, or the
    list ``gs``; zeros where none arrived, or None with ``partial``); ``returns`` names their
    tuple in torch.return_types; ``let`` names parts that several derivatives share; ``sequence`` names a parameter that
    is a list of tensors; ``watched`` are parameters that hold arrays, which must not change until the derivative has
    run. ``parallel`` says that the kernel works element by element and may be cut into blocks (see arrays/threads.py);
    it may be the function that writes the result into its first argument. ``fused`` says that the derivative is one
    kernel in PyTorch (UNRECORDED: unless it is recorded): of 16 bit numbers it is computed in float32, and rounded
    once; or it is the function that computes it for them, from the gradient and the saved values by name
    (``input_shape``). ``view`` says the result shares the input's memory; ``node`` is PyTorch's node name;
    ``constant_edges`` counts the inputs that its node has before and after the declared ones.
    """
    if kernel is None:
        return lambda k: op(k, name=name, doc=doc, **keywords)
    name = name or kernel.__name__
    options = {k: keywords.pop(k) for k in OPTIONS & keywords.keys()}
    declared = Op(kernel, name, doc, keywords, options)
    declared.place = _place()
    claim(name)
    OPS[name] = declared
    if callable(declared.parallel):
        kernel.write_into = declared.parallel
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


OPTIONS = frozenset(
    "node apart returns_bool into_dtype keeps_dtype outs returns let sequence types many partial view pointwise parallel "
    "floats inplace out public watched numbers exact keyword_variants refusal kernel_name mixing constant_edges takes_out fused".split()
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


def public(thing):
    """Put a class or function into the torch namespace under its own name."""
    PUBLIC[thing.__name__] = thing
    return thing
