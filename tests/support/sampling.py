"""Cases of which a usual run tries a few, and a thorough run the others."""

import pytest


def few_of(cases, every=4):
    """Return the cases for ``parametrize``, all but one in ``every`` marked as thorough; a tuple is several arguments.

    >>> [case.marks != () for case in few_of("abcde", 3)]
    [False, True, True, False, True]
    """
    marks = [pytest.mark.thorough if number % every else () for number in range(len(cases))]
    return [
        pytest.param(*(case if isinstance(case, tuple) else [case]), marks=mark) for case, mark in zip(cases, marks)
    ]
