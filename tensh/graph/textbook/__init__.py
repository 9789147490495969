"""The derivatives as in a textbook: for every differentiable function, the gradient of each operand as a formula.

``FAMILY.txt`` contain the formulas, ``table`` reads them, ``printing`` substitutes the user's names, and ``facts``
computes numbers that follow from shapes. The operators' declarations (``tensh.engine.operators``) are the same
derivatives for computation: they name kernels. ``tests/graph/test_textbook.py`` evaluates every formula and compares it
with the gradient.

The language of a formula is Python's, with few additions:

- ``g`` is the gradient that arrives, ``y`` the result; of several results each has its name, and its gradient ``g_NAME``.
- ``A.T`` is a matrix, or each of a stack of them, transposed; ``[condition]`` is 1 where it is true, and 0 elsewhere.
- Where operands were broadcast, a gradient is summed to the shape of its operand. ``sum`` and ``mean`` along a dimension,
  and the ``g`` and ``y`` of a reduction, keep that dimension with size 1.
- ``facts.WORDS`` explains the other words. The formula of what no expression says is a sentence in quotes.
- Formulas are of real numbers; those of complex ones have conjugates.
"""
