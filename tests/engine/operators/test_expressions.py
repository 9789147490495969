"""Expressions: values, strides, history, views, writes, indices and errors are PyTorch's recorded answers."""

import pytest

import tensh
from tests.recorded.expressions.cases import NAMES, answers, lines, plain_outcome


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in NAMES for text in lines(name)])
def test_an_expression_gives_what_pytorch_gives(name, text):
    assert plain_outcome(tensh, text) == answers(name)[text]


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_belongs_to_an_expression(name):
    assert [*answers(name)] == lines(name)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_expressions_are_what_pytorch_answers(oracle, name):
    assert {text: plain_outcome(oracle, text) for text in lines(name)} == answers(name)
