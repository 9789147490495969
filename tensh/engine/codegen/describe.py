"""Sentences for the docstring of a pointwise operator, derived from its declaration."""

KINDS = {"b": "bools", "i": "integers", "f": "floating point numbers", "c": "complex numbers"}
REFUSALS = ("not_differentiable(", "no_derivative(")  # words for the derivatives that PyTorch lacks


def describe_inplace(name):
    """Return the documentation of the in-place version of a function."""
    return f"In-place version of {name}.  Shape: [*], kept. Raise RuntimeError if the result does not fit."


def facts(op):
    """Shapes, dtypes and differentiability of a pointwise operator."""
    return " ".join([*_operands(op), *_dtypes(op), _derivative(op)])


def _operands(op):
    names = list(op.inputs)
    if len(names) > 1:
        numbers = [f"``{name}``" for name in names if name in op.numbers]
        yield "Shapes are broadcast and dtypes promoted" + (
            f"; {' or '.join(numbers)} may be a number." if numbers else "."
        )


def _dtypes(op):
    taken = [words for kind, words in KINDS.items() if kind in op.types]
    if len(taken) < len(KINDS):
        yield f"Accepts {taken[0] if len(taken) == 1 else ', '.join(taken[:-1]) + ' and ' + taken[-1]}."
    if op.floats:
        yield "Integers are converted to the default dtype."


def _derivative(op):
    if not op.derivatives:
        return "Not differentiable."
    known = {name: text for name, text in op.derivatives.items() if not text.startswith(REFUSALS)}
    if not known:
        return "As in PyTorch, its derivative is not implemented: RuntimeError in the backward pass."
    if set(known.values()) == {"nothing(g)"}:
        return "Its derivative is zero."
    if len(known) < len(op.inputs):
        return f"Differentiable in {' and '.join(f'``{name}``' for name in known)} alone, as in PyTorch."
    return "Differentiable."
