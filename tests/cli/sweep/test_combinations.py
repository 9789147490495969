"""The values and combinations of `--set` and `--random`."""

import pytest

from tensh.cli.programs.options import UsageError
from tensh.cli.sweeping.combinations import combine, read_settings

VALUES = {  # option -> the values
    "rate=0.1,0.01": ["0.1", "0.01"],
    "rate=1": ["1"],
    "width=16:64:16": ["16", "32", "48", "64"],
    "width=16:60:16": ["16", "32", "48"],
    "rate=0.1:0.3:0.1": ["0.1", "0.2", "0.3"],
    "rate=3:1:-1": ["3", "2", "1"],
    "n=3:3:1": ["3"],
    "rate=1e-3:3e-3:1e-3,5": ["0.001", "0.002", "0.003", "5"],
    "n=1,1,2": ["1", "2"],
    "sizes=[1,2],(3,{4,5})": ["[1,2]", "(3,{4,5})"],
    "name='a,b',c": ["'a,b'", "c"],
    "name=a:b:c": ["a:b:c"],
    "name=": [""],
    "name=x=y": ["x=y"],
    "odd=],1": ["]", "1"],
}
REFUSED = ["rate", "rate=1:2:0", "rate=2:1:1", "rate=0:1:1e-9"]


@pytest.mark.parametrize("setting", VALUES)
def test_values_of_a_setting(setting):
    assert [*read_settings([setting]).values()] == [VALUES[setting]]


@pytest.mark.parametrize("setting", REFUSED)
def test_refused_settings(setting):
    with pytest.raises(UsageError, match="--set"):
        read_settings([setting])
    with pytest.raises(UsageError, match="twice"):
        read_settings(["a=1", "a=2"])


def test_all_combinations_in_order():
    found = combine({"a": ["1", "2"], "b": ["x", "y"]})
    assert [(each["a"], each["b"]) for each in found] == [("1", "x"), ("1", "y"), ("2", "x"), ("2", "y")]
    assert combine({}) == [{}]


def test_a_choice_is_the_beginning_of_a_larger_one():
    values = {name: [*map(str, range(10))] for name in "abcdefgh"}
    few, more = combine(values, 20), combine(values, 50)
    assert more[:20] == few and len({tuple(each.items()) for each in more}) == 50
    assert sorted(combine({"a": ["1", "2"]}, 9), key=repr) == [{"a": "1"}, {"a": "2"}]
    with pytest.raises(UsageError, match="--random"):
        combine(values)
