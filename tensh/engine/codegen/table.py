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
    """Declare an operator.  Keywords are the options below or, for tensor parameters, derivatives.

    Where the operator is public
        ``public``: True, "function", "method", or False for one that only derivatives and composites call.
        ``inplace``: True, or "method" where the in-place form is a method only.
        ``node``: PyTorch's name of the node; ``inplace_node``: that of the in-place form, where it is another.
        ``constant_edges``: how many inputs PyTorch's node has before and after the declared ones.

    Operands
        ``pointwise``: promote dtypes and broadcast shapes (see ``pointwise``).
        ``numbers``: operands of a pointwise operator that may be Python numbers: a text of names, or name -> the name
        of the node in that case, or (name of the node, derivative of the other operand).
        ``sequence``: a parameter that is a list of tensors.
        ``keyword_variants``: keyword, such as ``alpha`` -> (its usual value, the operator for all other values).

    Dtypes
        ``floats``: compute integers in the default dtype.
        ``types``: the supported kinds of dtypes, of those in ``LETTERS``.
        ``refusal``: kind of dtype -> exception, where PyTorch does not say '"NAME_cpu" not implemented'.
        ``kernel_name``: the NAME in that message, where it is not the operator's.
        ``exact``: operands that are not rounded to float16 or bfloat16, if they are numbers or 0-d tensors.
        ``mixing``: is called with two dtypes, and a number that is the second operand, before promotion; may raise.
        ``returns_bool``: the result is bool, which PyTorch writes into any ``out=``, even one that requires grad.

    Writes
        ``out``: the error for an ``out=`` of another dtype than the result (a text), or of one that cannot hold the
        result (an exception).
        ``apart``: ``out=`` must not lie in the memory of an input, or (``OR_THE_SAME``) not in part of it.
        ``takes_out``: is called with the operator's name, the inputs and ``out=`` before the computation; may raise.
        ``into_dtype``: the target of a write, ``out=`` or the tensor itself, decides the ``dtype`` to compute in.
        ``keeps_dtype``: the in-place form refuses a number that would change the dtype.
        ``view``: the result shares the input's memory.

    Results
        ``outs``: the names of several outputs (``LIST``: any number).
        ``many``: each output has its own gradient, ``g_NAME``, or the list ``gs``; zeros where none arrived.
        ``partial``: None in place of these zeros.
        ``returns``: the name of the tuple of outputs in torch.return_types.

    Computation
        ``parallel``: the kernel works element by element and may be cut into blocks (see arrays/threads.py); a
        function in its place writes the result into its first argument.
        ``let``: name -> text of a part that several derivatives share.
        ``watched``: parameters that hold arrays, which must not change until the derivative has run.
        ``fused``: the derivative is one kernel in PyTorch (UNRECORDED: unless it is recorded), which for 16 bit numbers
        computes in float32 and rounds once; a function in its place computes the derivative of such numbers, from
        the gradient and the saved values by name (``input_shape``).
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
    "node inplace_node apart returns_bool into_dtype keeps_dtype outs returns let sequence types many partial view pointwise parallel "
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
