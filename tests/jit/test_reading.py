"""Warnings of traces whose program reads tensors, beside PyTorch's."""

import warnings

import pytest

import tensh as torch


def add_rows(x):
    total = 0
    for row in x:
        total = total + row
    return total


def take_apart(x):
    a, b = x
    return a * b


PROGRAMS = {
    "loop": add_rows, "two names": take_apart, "list": lambda x: x * list(x)[0], "sum": lambda x: x + sum(x), "length": lambda x: len(x) * x,
    "branch": lambda x: x * 2 if x.sum() > 0 else x, "index": lambda x: x[int(x[0, 0])], "enumerate": lambda x: [i * row for i, row in enumerate(x)][1],
    "unbind": lambda x: x.unbind()[0], "rows of rows": lambda x: sum(each for row in x for each in row), "split": lambda x: x.split(1)[0],
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_warnings_are_pytorchs(oracle, name):
    found = []
    for library in torch, oracle:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            library.jit.trace(PROGRAMS[name], library.ones(2, 2), check_trace=False)
        found.append([str(each.message) for each in caught if each.category is library.jit.TracerWarning])
    assert found[0] == found[1]
