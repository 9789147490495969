"""The operators of the table with their recorded samples."""

import numpy as np
import pytest

from tests.recorded.answers import read_answers
from tests.recorded.operators import families
from tests.recorded.operators.record import recorded
from tests.support.sampling import few_of

FAMILIES = families()


GOLDEN = {f.__name__: read_answers(recorded(f)) for f in FAMILIES}


SAMPLES = [(name, calls, GOLDEN[f.__name__][name]) for f in FAMILIES for name, calls in f.SAMPLES.items()]
NAMES = [name for name, *_ in SAMPLES]
each_operator = pytest.mark.parametrize(("name", "calls", "golden"), SAMPLES, ids=NAMES)
some_operators = pytest.mark.parametrize(("name", "calls", "golden"), few_of(SAMPLES, every=3), ids=NAMES)
"""A third of them, and in a thorough run the others."""


STEP = 1e-5


def product(one, two):
    """The real scalar product of two arrays, complex or not."""
    return float(np.sum((np.conj(one) * two).real))
