"""The types of scripts as text."""

import typing

import numpy as np
import pytest

import tensh as torch
from tensh.jit.language.converting import Unfit, convert
from tensh.jit.language.types import name_of, short_name_of

UNIONS = {
    "Union[Tensor, List[int], int] Union(Tensor, int[], int)": (int, torch.Tensor, list[int]),
    "Union[float, str, bool] Union(float, str, bool)": (str, float, bool),
    "Union[Tuple[int, int], Dict[str, int], int] Union((int, int), Dict(str, int), int)": (dict[str, int], tuple[int, int], int),
    "Union[int, NoneType, str] Union(int, NoneType, str)": (int, str, type(None)),
    "Union[List[Tensor], List[int], List[str]] Union(Tensor[], int[], str[])": (list[str], list[int], list[torch.Tensor]),
    "Union[Tensor, str, Device] Union(Tensor, str, Device)": (torch.Tensor, torch.device, str),
    "number Scalar": (float, int, complex),
}  # fmt: skip


@pytest.mark.parametrize("text", UNIONS)
def test_the_types_of_a_union_have_pytorchs_order(text):
    kind = typing.Union[UNIONS[text]]  # noqa: UP007 (of a tuple)
    assert f"{name_of(kind)} {short_name_of(kind)}" == text


def test_lists_become_the_tuples_that_are_declared():
    def both(a: tuple[torch.Tensor, torch.Tensor], b: list[int]):
        return a, b

    scripted = torch.jit.script(both)
    one = torch.ones(1)
    assert scripted([one, one], (1, 2)) == ((one, one), [1, 2])
    with pytest.raises(RuntimeError, match="but instead found type 'list'"):
        scripted([one], [1])


CONVERTED = [
    (bool, 1.5, True), (bool, None, False), (bool, torch.tensor([0]), False), (bool, 1j, True), (bool, np.bool_(True), True),
    (int, True, 1), (int, torch.tensor(1.5), 1), (int, np.int8(3), 3), (int, np.bool_(True), 1),
    (float, 1, 1.0), (float, True, 1.0), (float, torch.tensor([2]), 2.0), (float, np.float16(1), 1.0), (float, np.array(2), 2.0),
    (complex, 2, 2 + 0j), (complex, torch.tensor(1.5), 1.5 + 0j), (int | float | complex, 1, 1),
    (float | None, 1, 1.0), (float | None, None, None), (list[int] | float, [1], [1]),
    (list[float], (1, torch.tensor(2)), [1.0, 2.0]), (list[int], range(2), [0, 1]), (list[int], np.arange(2), [0, 1]),
    (list[bool], [1, 0], [True, False]), (list[tuple[float, int]], [[1, True]], [(1.0, 1)]),
    (dict[str, list[float]], {"a": (1,)}, {"a": [1.0]}), (torch.device, "cpu", torch.device("cpu")),
]  # fmt: skip


@pytest.mark.parametrize("kind, value, expected", CONVERTED, ids=[f"{kind} {value}" for kind, value, _ in CONVERTED])
def test_arguments_become_values_of_the_declared_type(kind, value, expected):
    assert repr(convert(value, kind)) == repr(expected)


REFUSED = [
    (bool, "x"), (bool, [1]), (bool, torch.tensor([1, 2])), (int, 1.5), (int, None), (int, np.float64(2)), (int, 2**63), (int, "1"),
    (float, "1"), (float, None), (float, 1j), (float, torch.tensor([1.0, 2.0])), (float, 10**400), (complex, "1"),
    (int | float | complex, torch.tensor(1)), (float | str, 1), (list[float] | int, [1]), (list[int], [0.5]),
    (list[int], torch.tensor([1])), (list[int], 1), (list[str], "ab"), (dict[str, int], {1: 1}), (tuple[int, int], (1,)),
]  # fmt: skip


@pytest.mark.parametrize("kind, value", REFUSED, ids=[f"{kind} {value}" for kind, value in REFUSED])
def test_arguments_of_other_types_are_refused(kind, value):
    with pytest.raises(Unfit):
        convert(value, kind)


def test_scripts_compute_with_arguments_and_defaults_of_the_declared_type():
    def scale(input, factor: float, shift: float = 1):
        return input * factor + shift, shift

    scaled, shift = torch.jit.script(scale)(torch.tensor([2]), 3)
    assert str(scaled) == "tensor([7.])" and repr(shift) == "1.0"
