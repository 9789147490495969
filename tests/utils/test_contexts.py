"""Contexts that change the state of a thread: it is restored also after an exception, and no other thread sees it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest

import tensh as torch
from tensh._guards import TracingContext, tracing
from tensh._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from tensh.overrides import _enable_torch_function, _is_torch_function_enabled
from tensh.support.naming import names_of_torch, writing
from tensh.utils._python_dispatch import TorchDispatchMode, _disable_current_modes, _get_current_dispatch_mode_stack

CONTEXTS = {
    "names": (nullcontext, names_of_torch, lambda: writing.names_torch),
    "overridden functions": (torch.DisableTorchFunction, _enable_torch_function, _is_torch_function_enabled),
    "fake tensors": (FakeTensorMode, unset_fake_temporarily, lambda: isinstance(torch.ones(1), FakeTensor)),
    "modes": (TorchDispatchMode, _disable_current_modes, lambda: len(_get_current_dispatch_mode_stack())),
}
"""For each name a context around, the context within it, and a function that reads the state which that changes."""


@pytest.mark.parametrize("name", CONTEXTS)
def test_state_is_restored_after_an_exception(name):
    around, enter, read = CONTEXTS[name]
    with around(), ThreadPoolExecutor(1) as another:
        before, elsewhere = read(), another.submit(read).result()
        with pytest.raises(KeyError), enter():
            assert read() != before
            assert another.submit(read).result() == elsewhere
            raise KeyError
        assert read() == before


def test_the_context_of_a_trace_is_restored_after_an_exception():
    outer, inner = TracingContext(), TracingContext()
    with tracing(outer):
        with pytest.raises(KeyError), tracing(inner) as entered:
            assert entered is inner is TracingContext.try_get()
            raise KeyError
        assert TracingContext.try_get() is outer
    assert TracingContext.try_get() is None
