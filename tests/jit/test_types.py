"""The types of scripts as text."""

import typing

import pytest

import tensh as torch
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
    kind = typing.Union.__getitem__(UNIONS[text])
    assert f"{name_of(kind)} {short_name_of(kind)}" == text


def test_lists_become_the_tuples_that_are_declared():
    def both(a: tuple[torch.Tensor, torch.Tensor], b: list[int]):
        return a, b

    scripted = torch.jit.script(both)
    one = torch.ones(1)
    assert scripted([one, one], (1, 2)) == ((one, one), [1, 2])
    with pytest.raises(RuntimeError, match="but instead found type 'list'"):
        scripted([one], [1])
