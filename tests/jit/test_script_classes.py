"""Classes of the program and enums in scripts: graphs, code and files are PyTorch's, and so are the errors of annotations."""

# ruff: noqa: UP006, UP035, UP045

import dataclasses
import io
import re
from typing import Callable, Dict, List, Optional, Tuple

import pytest

import tensh as torch
from tests.jit.scripted_classes import CASES, DATACLASSES, Color, Pair, Stack, Version, compares_dataclasses
from tests.jit.test_script_graphs import normalize

pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = [each.__name__ for each in CASES]


def script_both(oracle, function):
    for library in (torch, oracle):
        for cls in DATACLASSES:
            library.jit.script(cls)
    return torch.jit.script(function), oracle.jit.script(function)


def without_mangling(text):
    return re.sub(r"___torch_mangle_\d+\.", "", text)


@pytest.mark.parametrize("function", CASES, ids=NAMES)
def test_code_graphs_and_values_are_pytorchs(oracle, function):
    ours, theirs = script_both(oracle, function)
    assert ours.code == without_mangling(theirs.code)
    assert normalize(ours.graph) == normalize(theirs.graph)
    assert repr(ours(*CASES[function])) == repr(theirs(*CASES[function]))


@pytest.mark.parametrize("function", CASES, ids=NAMES)
def test_files_hold_classes(oracle, function):
    ours, theirs = script_both(oracle, function)
    expected = repr(theirs(*CASES[function]))
    for writer, script in ((torch, ours), (oracle, theirs)):
        file = io.BytesIO()
        writer.jit.save(script, file)
        for reader in (torch, oracle):
            assert repr(reader.jit.load(io.BytesIO(file.getvalue()))(*CASES[function])) == expected


def make_module(library):
    class Keeper(library.nn.Module):
        def __init__(own):
            super().__init__()
            own.stack, own.color, own.colors = Stack(), Color.RED, [Color.RED, Color.GREEN]

        def forward(own, n: int):
            own.stack.push(n)
            if own.color == own.colors[n]:
                return own.stack.items, own.color.name
            return own.stack.items, "other"

    return library.jit.script(Keeper())


def test_modules_hold_instances_and_members_of_enums(oracle):
    ours, theirs = make_module(torch), make_module(oracle)
    assert ours.code == without_mangling(theirs.code) and ours.code.startswith("def forward(own,")
    expected = [repr(theirs(n)) for n in (0, 1)]
    assert [repr(ours(n)) for n in (0, 1)] == expected
    for library, script in ((torch, make_module(torch)), (oracle, make_module(oracle))):
        file = io.BytesIO()
        library.jit.save(script, file)
        for reader in (torch, oracle):
            loaded = reader.jit.load(io.BytesIO(file.getvalue()))
            assert [repr(loaded(n)) for n in (0, 1)] == expected
            assert str(loaded) == "RecursiveScriptModule(original_name=Keeper)"
            assert without_mangling(loaded.code) == ours.code


def test_loaded_instances_and_enums_are_saved_again():
    first = io.BytesIO()
    torch.jit.save(make_module(torch), first)
    loaded, second = torch.jit.load(io.BytesIO(first.getvalue())), io.BytesIO()
    loaded(1)
    torch.jit.save(loaded, second)
    again = torch.jit.load(io.BytesIO(second.getvalue()))
    assert again.stack.items == [1] and again.color.name == "RED" and again(0) == ([1, 0], "RED")


def test_schemas_name_classes_and_enums(oracle):
    def take(pair: Pair, colors: List[Color], table: Dict[str, Pair], maybe: Optional[Pair], color: Color = Color.RED):
        return pair.x

    ours, theirs = script_both(oracle, take)
    assert without_mangling(str(theirs.schema)) == ours.schema


def unsupported_in_dict(x: Dict[str, set]):
    return 1


def unsupported_in_nested_dict(x: List[Dict[str, bytes]]):
    return 1


def unsupported_key(x: Dict[Tuple[int, int], int]):
    return 1


def enum_as_key(x: Dict[Color, int]):
    return 1


def unsupported_in_tuple(x: Tuple[int, set]):
    return 1


def callable_in_dict(x: int) -> Dict[str, Callable]:
    return {}


REFUSED = [
    unsupported_in_dict, unsupported_in_nested_dict, unsupported_key, enum_as_key, unsupported_in_tuple, callable_in_dict,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=[each.__name__ for each in REFUSED])
def test_annotations_that_are_no_types_are_refused(oracle, function):
    found = []
    for library in torch, oracle:
        with pytest.raises((RuntimeError, ValueError)) as raised:
            library.jit.script(function)
        found.append((raised.type, str(raised.value).splitlines()[0]))
    assert found[0] == found[1]


def test_scripts_compile_what_dataclasses_generate():
    assert torch.jit.script(Version) is Version
    script = torch.jit.script(compares_dataclasses)
    assert script(1) == compares_dataclasses(1)
    assert "(one).__lt__(other, )" in script.code


@dataclasses.dataclass
class Growing:
    items: List[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Fixed:
    size: int


def makes_fixed(n: int):
    return Fixed(n).size


def test_generated_methods_that_scripts_cannot_compile_are_refused():
    with pytest.raises(
        NotImplementedError, match="^Default factory initializers are not supported in TorchScript dataclasses$"
    ):
        torch.jit.script(Growing)
    with pytest.raises(OSError, match="^Can't get source for <function Fixed.__(set|del)attr__ at"):
        torch.jit.script(Fixed)
    with pytest.raises(
        OSError, match=r"^Failed to get source for <function Fixed\.__\w+__ at .* using inspect.getsource$"
    ):
        torch.jit.script(makes_fixed)
