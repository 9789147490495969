"""The operators of the table with their recorded samples."""

import numpy as np
import pytest

from tests.recorded.answers import read_answers
from tests.recorded.operators import families
from tests.recorded.operators.record import recorded

FAMILIES = families()


GOLDEN = {f.__name__: read_answers(recorded(f)) for f in FAMILIES}


each_operator = pytest.mark.parametrize(
    ("name", "calls", "golden"),
    [(name, calls, GOLDEN[f.__name__][name]) for f in FAMILIES for name, calls in f.SAMPLES.items()],
    ids=[name for f in FAMILIES for name in f.SAMPLES],
)


STEP = 1e-5


def product(one, two):
    """The real scalar product of two arrays, complex or not."""
    return float(np.sum((np.conj(one) * two).real))
