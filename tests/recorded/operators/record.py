"""PyTorch's answers to the calls of each operator.

Of every call the results, and the gradients of its leaves for fixed weights on the
results; of a name's first call also the results in other dtypes, or the type of the error.
"""

import warnings
from pathlib import Path

import numpy as np

from tests.recorded.answers import format_answers
from tests.recorded.operators import families, resolve, tensor

HERE = Path(__file__).parent
DTYPES = "bool uint8 int32 int64 float16 bfloat16 float32 complex64".split()
CARRIER = {"bfloat16": "float32", "complex32": "complex64"}  # NumPy has no such dtype
DIGITS = {"float16": 5, "bfloat16": 4, "float32": 8, "complex32": 5, "complex64": 8}


def recorded(family):
    """Where the answers of a family are kept."""
    return HERE / f"{family.__name__.rpartition('.')[2]}.json"


def flat(m, value):
    """A result as a list of tensors; numbers and bools stay what they are."""
    if isinstance(value, (tuple, list)):
        return [each for part in value for each in flat(m, part)]
    return [value]


def plain(m, value):
    """A tensor as [dtype, shape, numbers], as many digits as the dtype has; anything else as it is."""
    if not isinstance(value, m.Tensor):
        return value
    name = str(value.dtype).rpartition(".")[2]
    value = value.detach()
    if hasattr(value, "resolve_conj"):
        value = value.resolve_conj()
    if name in CARRIER:
        value = value.to(getattr(m, CARRIER[name]))
    array = value.numpy(force=True)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    numbers = array.ravel().tolist()
    digits = DIGITS.get(name, 11)
    return [name, list(value.shape), [float(f"{n:.{digits}g}") if isinstance(n, float) else n for n in numbers]]


def weights(m, value):
    """Fixed weights for one differentiable result."""
    steps = np.arange(int(np.prod(tuple(value.shape)))).reshape(tuple(value.shape))
    real = np.cos(1.3 * steps) + 0.5
    name = str(value.dtype).rpartition(".")[2]
    return tensor(m, np.asarray(real + 1j * np.sin(steps) if name.startswith("complex") else real), name)


def answer(m, name, call, tested="float64"):
    """Return the results and gradients of one call in ``m``."""
    made = call.arrays(tested, name)
    tensors = [tensor(m, array, dtype) for _, dtype, array in made]
    leaves = []
    if tested == "float64":
        leaves = [
            t.requires_grad_() for t, (argument, _, _) in zip(tensors, made, strict=True) if argument.differentiable
        ]
    args, kwargs = call.filled(tensors)
    results = flat(m, resolve(m, name)(*args, **kwargs))
    found = {"results": [plain(m, r) for r in results]}
    roots = [r for r in results if isinstance(r, m.Tensor) and r.requires_grad]
    if roots:
        try:
            grads = m.autograd.grad(roots, leaves, [weights(m, r) for r in roots], allow_unused=True)
            found["gradients"] = [plain(m, g) for g in grads]
        except RuntimeError as error:
            found["gradients"] = type(error).__name__
    return found


def in_dtypes(m, name, call):
    """The results of a call in every dtype, or the type of the error."""
    found = {}
    for dtype in DTYPES:
        try:
            found[dtype] = answer(m, name, call, dtype)["results"]
        except Exception as error:
            found[dtype] = type(error).__name__
    return found


def answers(m, family):
    """Everything that is recorded of a family."""
    return {
        name: {"calls": [named_answer(m, name, each) for each in calls], "dtypes": in_dtypes(m, name, calls[0])}
        for name, calls in family.SAMPLES.items()
    }


def named_answer(m, name, call):
    """The answer to a call; an error says which call it was."""
    try:
        return answer(m, name, call)
    except Exception as error:
        error.add_note(f"in a sample of {name}: {call}")
        raise


def record(wanted):
    import torch

    warnings.simplefilter("ignore")
    for family in families():
        if wanted(recorded(family).stem):
            yield recorded(family), format_answers(answers(torch, family), depth=3)
