"""Helpers for the comparisons with PyTorch's databases."""

import sys

import pytest

USERS = "torch.testing._internal.common_utils", "torch.testing._internal.opinfo.core"


@pytest.fixture(scope="session", autouse=True)
def samples_without_stacks():
    """Make samples without a search for the calling `unittest` case.

    To find one, PyTorch's databases read the source around every frame of the stack, four fifths of their time.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in filter(None, map(sys.modules.get, USERS)):
            patch.setattr(module, "extract_test_fn", lambda: None)
        yield
