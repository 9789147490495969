"""Hundreds of programs run here, one after the other: the parts of tensh are renamed for the first and after the last."""

import pytest

import tensh.explain
from tensh.alias import torch_is_tensh


@pytest.fixture(autouse=True, scope="module")
def named_torch_throughout():
    with torch_is_tensh():
        yield


@pytest.fixture(autouse=True)
def no_explanation_fails(monkeypatch):
    """Fail for an explanation that raises, which users would not notice because it is left out."""
    failed, explain = [], tensh.explain.explain

    def watch(error, traceback, place):
        try:
            return explain(error, traceback, place)
        except Exception as fault:
            failed.append(fault)
            raise

    monkeypatch.setattr(tensh.explain, "explain", watch)
    yield
    assert not failed
