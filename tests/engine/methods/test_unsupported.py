"""Names that PyTorch has and tensh lacks say so, and why."""

import importlib
from fnmatch import fnmatchcase

import pytest

import tensh
from tensh.alias import torch_is_tensh
from tensh.engine.methods import unsupported
from tensh.engine.methods.unsupported.reasons import REASONS
from tests.support.sampling import few_of

LACKING = {
    "a function": ("torch.quantize_per_tensor", lambda: tensh.quantize_per_tensor),
    "a module": ("torch.nativert", lambda: tensh.nativert),
    "a method": ("torch.Tensor.int_repr", lambda: tensh.ones(2).int_repr()),
    "a property, asked of the class": ("torch.Tensor.qscheme", lambda: tensh.Tensor.qscheme),
    "a name of a namespace": ("torch.nn.functional.assert_int_or_pair", lambda: tensh.nn.functional.assert_int_or_pair),
}


@pytest.mark.parametrize("path, ask", LACKING.values(), ids=LACKING)
def test_a_name_that_is_lacking_says_so(path, ask):
    with pytest.raises(NotImplementedError, match="exists in PyTorch but not in tensh.*tensh api --missing"):
        ask()


@pytest.mark.parametrize(
    "thing, name", [(tensh, "nativert"), (tensh.nn.functional, "assert_int_or_pair"), (tensh.ones(1), "int_repr")]
)
def test_programs_that_ask_first_are_answered(thing, name):
    assert not hasattr(thing, name)
    assert getattr(thing, name, "default") == "default"
    assert name not in dir(thing)


@pytest.mark.parametrize("thing", [tensh, tensh.fft, tensh.nn, tensh.autograd, tensh.ones(1)])
def test_a_name_that_nobody_has_is_an_attribute_error(thing):
    with pytest.raises(AttributeError, match="has no attribute 'nobody'") as caught:
        thing.nobody  # noqa: B018
    assert not isinstance(caught.value, NotImplementedError)


@pytest.mark.parametrize(
    "line",
    ["import torch.nativert", "from torch import nativert", "from torch.nn.functional import assert_int_or_pair"],
)
def test_imports_of_what_is_lacking_say_so(line):
    with torch_is_tensh(), pytest.raises(NotImplementedError, match="not in tensh") as caught:
        exec(line, {})
    assert isinstance(caught.value, ImportError)


@pytest.mark.parametrize("line", ["import torch.nobody", "from torch import nobody"])
def test_imports_of_what_nobody_has_are_refused_as_ever(line):
    with torch_is_tensh(), pytest.raises(ImportError) as caught:
        exec(line, {})
    assert not isinstance(caught.value, NotImplementedError)


@pytest.mark.parametrize(
    "code",
    few_of(["torch.nativert", "from torch import nativert", "import torch.nativert", "torch.ones(1).int_repr()"]),
)
def test_a_program_that_needs_it_ends_with_a_status_of_its_own(code, tensh_command):
    done = tensh_command("-c", code)
    assert done.returncode == 4
    assert "NotImplementedError: torch." in done.stderr and "did you mean" not in done.stderr


def lacks():
    """The path of every name that tensh lacks."""
    for space in unsupported.namespaces():
        try:
            parent, _, name = space.rpartition(".")
            holder = importlib.import_module(f"tensh{parent[5:]}") if name in ("Tensor", "Size", "Generator") else None
            thing = getattr(holder, name) if holder else importlib.import_module(f"tensh{space[5:]}")
        except ImportError:
            thing = None
        yield from (
            f"{space}.{name}"
            for name in unsupported.read_recorded_names(space)
            if thing is None or not hasattr(thing, name)
        )


def test_every_lacking_name_has_a_reason():
    assert [path for path in lacks() if unsupported.reason(path) is None] == []


def test_every_pattern_of_a_reason_fits_a_name():
    names = [
        f"{space}.{name}".removeprefix("torch.")
        for space in unsupported.namespaces()
        for name in unsupported.read_recorded_names(space)
    ]
    patterns = [pattern for each in REASONS for pattern in each.patterns]
    assert [p for p in patterns if not any(fnmatchcase(name, p) for name in names)] == []
