"""Derivatives of derivatives, and errors of refused calls: recorded answers of PyTorch."""

import json

import pytest

import tensh as torch
from tests.recorded.expressions import cases as expressions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        each
        for name in ("derivatives", "refusals", "sizes", "calls", "formats", "choices")
        for each in expressions.answers(name).items()
    ],
)
def test_an_expression_gives_what_pytorch_gives(text, expected):
    assert json.loads(json.dumps(expressions.outcome(torch, text))) == expected
