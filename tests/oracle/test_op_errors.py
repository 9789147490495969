"""Every wrong call in PyTorch's own database of operators raises PyTorch's error, type and text."""

import pytest

import tensh
from tests.support.databases import convert, oracle, outcome, said, seed

environ, binding, scope = (pytest.importorskip(f"harness.{name}") for name in ("environ", "binding", "scope"))


def entries():
    for op in scope.selected(environ.load_op_db()):
        if op.error_inputs_func is not None:
            yield pytest.param(op, id=scope.op_id(op))


def refusals(op):
    """Yield (the call in words, PyTorch's error, tensh's error) for each convertible error input that PyTorch refuses."""
    seed()
    for case in op.error_inputs("cpu"):
        sample = case.sample_input
        found = []
        for m in (oracle, tensh):
            try:
                first, args, kwargs = convert.Importer(m, grad=True)((sample.input, sample.args, sample.kwargs))
            except (convert.Unsupported, ValueError):  # NumPy has no 65 dimensions
                break
            seed()
            found.append(said(outcome(binding.function(m, op), first, *args, **kwargs)[1]))
        if len(found) == 2 and found[0] is not None:
            yield sample.summary()[:200], *found


@pytest.mark.parametrize("op", list(entries()))
def test_error_inputs_are_refused_as_in_pytorch(op):
    wrong = [f"{call}: {actual} instead of {expected}" for call, expected, actual in refusals(op) if actual != expected]
    assert not wrong, "\n".join(wrong)
