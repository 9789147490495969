"""Scripted lists and dictionaries have PyTorch's methods, errors and text, and are shared with scripts that get them."""

# ruff: noqa: UP006, UP035

import re
from typing import Dict, List

import pytest

import tensh as torch

pytestmark = pytest.mark.filterwarnings("ignore")
LISTS = ([1, 2, 3], [1.0, 2.5], ["a", "b"], [True], [None, 1], [(1, 2)], [[1], [2]], [{"a": 1}], [1j], [])
DICTS = ({"a": 1, "b": 2}, {1: 2.5}, {1: "x"}, {"a": [1, 2]}, {"a": (1, 2)}, {"a": {"b": 1}}, {})
STEPS = [
    lambda r: r.append(5), lambda r: r.append("s"), lambda r: r[0], lambda r: r[9], lambda r: r[-1], lambda r: r["a"], lambda r: r[0:2],
    lambda r: r.__setitem__(0, 7), lambda r: r.__setitem__(0, "s"), lambda r: r.__setitem__(9, 1), lambda r: r.__setitem__(slice(0, 2), [7, 8]),
    lambda r: r.pop(), lambda r: r.pop(0), lambda r: r.pop(9), lambda r: r.remove(77), lambda r: r.remove(3), lambda r: r.count(3),
    lambda r: r.count("a"), lambda r: r.insert(0, 4), lambda r: r.insert(0, "a"), lambda r: r.extend([5, 6]), lambda r: r.extend(["a"]),
    lambda r: r == [1, 2, 3], lambda r: r == r, lambda r: bool(r), lambda r: 1 in r, lambda r: "a" in r, lambda r: list(r), lambda r: sum(r),
    lambda r: sorted(r), lambda r: isinstance(r, list), lambda r: r.__delitem__(0), lambda r: r.__delitem__(slice(0, 1)), lambda r: r.clear(),
]  # fmt: skip
DICT_STEPS = [
    lambda r: r["a"], lambda r: r["z"], lambda r: r.__setitem__("c", 3), lambda r: r.__setitem__("c", "x"), lambda r: r.__setitem__(1, 1),
    lambda r: "a" in r, lambda r: "z" in r, lambda r: 1 in r, lambda r: list(r.keys()), lambda r: list(r.items()), lambda r: list(r),
    lambda r: r.__delitem__("a"), lambda r: r.__delitem__("z"), lambda r: r == {"a": 1, "b": 2}, lambda r: len(r), lambda r: bool(r),
]  # fmt: skip
REFUSED = ([1, "a"], [1, 2.0], [{1}], {"a": 1, "b": "c"}, {(1, 2): 1}, {"a": object})


def attempt(run):
    """Return what a function gives, as text, or the type and the text of its exception."""
    try:
        return repr(run())
    except Exception as error:
        return type(error).__name__, re.sub(r"0x[0-9a-f]+", "", str(error))


def follow(library, start, steps):
    made = library.jit.script(start)
    return [(attempt(lambda each=each: each(made)), str(made), len(made)) for each in steps]


def test_steps_on_lists_are_pytorchs(oracle):
    assert follow(torch, [1, 2, 3], STEPS) == follow(oracle, [1, 2, 3], STEPS)


def test_steps_on_dictionaries_are_pytorchs(oracle):
    assert follow(torch, {"a": 1, "b": 2}, DICT_STEPS) == follow(oracle, {"a": 1, "b": 2}, DICT_STEPS)


@pytest.mark.parametrize("value", [*LISTS, *DICTS], ids=str)
def test_text_and_elements_are_pytorchs(oracle, value):
    ours, theirs = (library.jit.script(value) for library in (torch, oracle))
    assert str(ours) == str(theirs) and str(type(ours)) == str(type(theirs))
    assert repr([ours[each] for each in ours] if isinstance(value, dict) else list(ours)) == repr(
        [theirs[each] for each in theirs] if isinstance(value, dict) else list(theirs)
    )


@pytest.mark.parametrize("value", REFUSED, ids=str)
def test_values_without_a_type_are_refused(oracle, value):
    assert attempt(lambda: torch.jit.script(value)) == attempt(lambda: oracle.jit.script(value))


def add_element(values: List[int]):
    values.append(9)
    return values


def add_key(table: Dict[str, List[int]]):
    table["z"] = [1]
    table["a"].append(2)
    return table


def test_scripts_share_scripted_containers_and_copy_others(oracle):
    found = []
    for library in torch, oracle:
        plain, scripted = [1], library.jit.script([1])
        table, scripted_table = {"a": [0]}, library.jit.script({"a": [0]})
        results = [library.jit.script(add_element)(each) for each in (plain, scripted)]
        results += [library.jit.script(add_key)(each) for each in (table, scripted_table)]
        found.append((results, [type(each) for each in results], plain, str(scripted), table, str(scripted_table)))
    assert found[0] == found[1]
    assert found[0][2:] == ([1], "[1, 9]", {"a": [0]}, "{a: [0, 2], z: [1]}")


def test_lists_that_modules_return_are_copies():
    class Keeper(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.items = [0]

        def forward(self, x: int):
            self.items.append(x)
            return self.items

    keeper = torch.jit.script(Keeper())
    assert keeper(1) == [0, 1]
    first = keeper(2)
    first.append(5)
    assert keeper(3) == [0, 1, 2, 3] and first == [0, 1, 2, 5]
