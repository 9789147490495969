"""The documentation of every public name has a summary, shapes, errors, arguments and an example."""

from types import SimpleNamespace

import pytest

import tensh
from tensh.cli.session.help import names
from tests.documents import docstrings


@pytest.mark.thorough
@pytest.mark.parametrize("space", names.spaces())
def test_names_of_a_namespace_lack_nothing(space):
    lacking = [f"{name.path}: {', '.join(parts)}" for name, parts in docstrings.lacking() if name.space == space]
    assert not lacking


# ── the checks themselves ────────────────────────────────────────────────────
def entry(function, doc=None, kind="function"):
    """A Name, in the form that the checks take."""
    return SimpleNamespace(
        entry=function, value=function, kind=kind, doc=doc or function.__doc__ or "", space="torch", name="f"
    )


@pytest.mark.parametrize(
    ("doc", "good"),
    [
        ("Add two numbers.", True),
        ("The sum of all elements.\n\nDifferentiable.", True),
        ("", False),
        ("Add two numbers", False),
        ("Is this a number?", False),
        ("Add two\nnumbers.", False),
        ("It adds two numbers.", False),
        ("Returns the sum.", False),
        ("The same for images.", False),
    ],
)
def test_a_missing_summary_is_found(doc, good):
    assert docstrings.has_summary(entry(len, doc or " ")) == good


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rows [N, C, L] to [N, C, L'].", True),
        ("A matrix [n, m].", True),
        ("Any shape: [*].", True),
        ("Batches [..., n, n].", True),
        ("A scalar: [].", True),
        ("``[N, C]``", True),
        ("Values in [0, 1].", False),
        ("It is input[target].", False),
        ("No word of it.", False),
    ],
)
def test_shapes_are_recognised(text, found):
    assert bool(docstrings.SHAPE.search(text)) == found


def refuse(x):
    """A function that raises."""
    if x < 0:
        raise ValueError(f"expected a positive number, got {x}")


def refuse_below(x):
    """A function that calls one that raises."""
    refuse(x)


def refuse_kinds(x):
    """A function that raises for another type."""
    raise TypeError(x)


class Refusing:
    """A class that raises."""

    def __init__(self, x):
        self._check(x)

    def _check(self, x):
        raise RuntimeError(x)


class Inheriting(Refusing):
    """A class whose public base raises."""


@pytest.mark.parametrize(
    ("thing", "raises"),
    [(refuse, True), (refuse_below, True), (refuse_kinds, False), (Refusing, True), (Inheriting, False)],
)
def test_errors_that_are_not_named_are_found(thing, raises):
    assert docstrings.raises(entry(thing)) == raises
    assert docstrings.has_errors(entry(thing)) != raises


def test_errors_that_are_told():
    assert docstrings.has_errors(entry(refuse, "Refuse a negative number.\n\nRaises ValueError if x is negative."))


class Scaled(tensh.nn.Module):
    def __init__(self, factor, inplace=False):
        super().__init__()


@pytest.mark.parametrize(("doc", "good"), [("Multiply by ``factor``.", True), ("Multiply by factors.", False)])
def test_arguments_that_are_not_named_are_found(doc, good):
    assert docstrings.has_arguments(entry(Scaled, doc, kind="class")) is good


def test_signatures_of_stars_alone_are_found():
    assert docstrings.has_signature(entry(lambda x, **more: x))
    assert not docstrings.has_signature(entry(lambda *args, **kwargs: args))


@pytest.mark.parametrize(
    ("path", "depends"),
    [
        ("torch.exp", False),
        ("torch.add", False),
        ("torch.nn.ReLU", False),
        ("torch.nn.Sequential", False),
        ("torch.optim.SGD", False),
        ("torch.mm", True),
        ("torch.sum", True),
        ("torch.gather", True),
        ("torch.linalg.svd", True),
        ("torch.nn.Linear", True),
        ("torch.nn.MSELoss", True),
        ("torch.nn.functional.cross_entropy", True),
    ],
)
def test_names_whose_shapes_matter(path, depends):
    assert docstrings.depends_on_shapes(names.find_name(path)) == depends


def test_documentation_of_a_base_does_not_count():
    class Silent(tensh.nn.Linear):
        pass

    assert not docstrings.has_summary(entry(Silent, "Its base has a summary.", kind="class"))
