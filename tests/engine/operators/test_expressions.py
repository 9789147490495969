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


def is_answered_here(oracle, text):
    """True unless PyTorch computes the expression by a library that needs another processor: convolutions in bfloat16."""
    return not ("conv" in text and "bfloat16" in text) or oracle.ops.mkldnn._is_mkldnn_bf16_supported()


@pytest.mark.parametrize("name", NAMES)
def test_recorded_expressions_are_what_pytorch_answers(oracle, name):
    texts = [text for text in lines(name) if is_answered_here(oracle, text)]
    assert texts and {text: plain_outcome(oracle, text) for text in texts} == {
        text: answers(name)[text] for text in texts
    }
