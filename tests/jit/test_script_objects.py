"""Scripted functions and modules as objects: what they print, take, refuse and return is PyTorch's."""

# ruff: noqa: F811, UP006, UP007, UP035, UP045

import enum
import io
import pickle
import re
from typing import Dict, List, Optional, Tuple, Union

import pytest

import tensh as torch

pytestmark = pytest.mark.filterwarnings("ignore")


def plain(x: int, y: int = 2):
    return x - y


def by_name(x, *, k: int):
    return x * k


def facts(x):
    return x.dtype, x.layout, x.max(dim=0), [x.dtype]


def matching(x: int):
    match x:
        case 1:
            return 2
    return 3


class Unknown(Exception):
    pass


def raising(x: int):
    if x > 2:
        raise Unknown("big")
    return x


def make_modules(library):
    nn = library.nn

    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.count, self.flag, self.layers = 0, True, nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1)])
            self.table = library.jit.Attribute({}, Dict[str, int])

        def forward(self, x, key: str):
            self.table[key] = self.count
            return x * self.count, self.table

        @library.jit.export
        def other(self, n: int = 3) -> int:
            return n

    class Base(nn.Module):
        def step(self, x):
            return x + 1

    class Derived(Base):
        def step(self, x):
            return super().step(x) * 2

        def forward(self, x):
            return self.step(x)

    return Counter(), Derived()


def attempt(run):
    """Return what a function gives, as text, or the type of its exception and the first line of its text."""
    try:
        return re.sub(r"0x[0-9a-f]+|___torch_mangle_\d+\.", "", repr(run()))
    except Exception as error:
        lines = [each for each in str(error).splitlines() if each.strip()]
        return type(error).__name__, re.sub(r"___torch_mangle_\d+\.", "", lines[0] if lines else "")


def describe(library):
    """Return the text of what many uses of scripts give."""
    script = library.jit.script
    function, counter, ones = script(plain), script(make_modules(library)[0]), library.ones(2)
    frozen = library.jit.freeze(script(make_modules(library)[0].eval()), preserved_attrs=["other", "count"])
    uses = [
        lambda: function, lambda: type(function), lambda: (function.name, function.qualified_name), lambda: function(y=1, x=5),
        lambda: function(1, x=2), lambda: function(), lambda: function(1, 2, 3), lambda: function(1, z=2), lambda: function("a"),
        lambda: str(script(by_name).schema), lambda: script(by_name)(ones, k=2), lambda: script(by_name)(ones),
        lambda: script(facts)(ones), lambda: script(matching), lambda: script(raising)(3), lambda: script(raising).code,
        lambda: counter, lambda: counter(ones, "a"), lambda: setattr(counter, "count", 4), lambda: setattr(counter, "count", "a"),
        lambda: setattr(counter, "flag", "a"), lambda: setattr(counter, "new", 1), lambda: (counter.count, counter.new, counter.table),
        lambda: counter.register_forward_hook(print), lambda: counter.requires_grad_(), lambda: pickle.dumps(counter),
        lambda: counter.forward, lambda: type(counter.forward), lambda: str(counter.other.schema), lambda: counter.other(),
        lambda: script(make_modules(library)[1]), lambda: type(frozen).__name__, lambda: frozen.other(1), lambda: frozen.count,
        lambda: frozen.original_name, lambda: list(frozen.parameters()),
    ]  # fmt: skip
    return list(map(attempt, uses))


def test_uses_of_scripts_are_pytorchs(oracle):
    for place, (ours, theirs) in enumerate(zip(describe(torch), describe(oracle), strict=True)):
        assert (place, ours) == (place, theirs)


def test_uses_of_scripts_without_pytorch():
    found = describe(torch)
    assert found[4] == (
        "RuntimeError",
        "Argument 'x' specified both as positional and keyword argument. Schema: plain(int x, int y=2) -> int",
    )
    assert found[9] == "'by_name(Tensor x, *, int k) -> Tensor'"


def make_overloaded(library):
    Tensor = library.Tensor

    class Overloaded(library.nn.Module):
        @library.jit._overload_method
        def add(self, x: int) -> int:
            pass

        @library.jit._overload_method
        def add(self, x: Tensor) -> Tensor:
            pass

        def add(self, x):
            return x + 1

        def forward(self, x):
            return self.add(x), self.add(2)

    return library.jit.script(Overloaded())


def test_calls_of_overloaded_methods_name_the_declaration(oracle):
    ours, theirs = make_overloaded(torch), make_overloaded(oracle)
    assert ours.code == theirs.code and "(self).add__1(x, ), (self).add__0(2, )" in ours.code
    file = io.BytesIO()
    torch.jit.save(ours, file)
    for library in torch, oracle:
        loaded = library.jit.load(io.BytesIO(file.getvalue()))
        assert repr(loaded(library.ones(1))) == repr(theirs(oracle.ones(1)))


def in_library(made):
    """Return a function or class as one of a library whose name begins like that of torch."""
    made.__module__ = "torchlibrary.parts"
    return made


def added(x, y: int):
    return x + y


class Adding(torch.nn.Module):
    def forward(self, x, y: int):
        return x + y


def test_libraries_named_after_torch_are_scripted_like_programs():
    function, module = torch.jit.script(in_library(added)), torch.jit.script(in_library(Adding)())
    assert str(function.schema) == "added(Tensor x, int y) -> Tensor"
    assert function(torch.ones(1), 2).item() == module(torch.ones(1), 2).item() == 3
    assert "aten::add" in str(function.graph) and "aten::add" in str(module.graph)


class Doubling(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 2)

    @torch.jit.script_method
    def forward(self, x):
        return self.inner(x) * 2


def test_classes_of_script_modules_have_graphs_and_files():
    module = Doubling()
    assert "aten::mul" in str(module.graph) and "aten::linear" in str(module.inlined_graph)
    file = io.BytesIO()
    torch.jit.save(module, file)
    x = torch.ones(1, 2)
    for written in file.getvalue(), module.save_to_buffer():
        assert torch.jit.load(io.BytesIO(written))(x).equal(module(x))
    scripted = torch.jit.script(torch.nn.Linear(2, 2))
    assert torch.jit.load(io.BytesIO(scripted.save_to_buffer()))(x).equal(scripted(x))


def unions(x: Union[int, torch.Tensor], y: Union[List[int], torch.Tensor, Tuple[int, int], None] = None):
    return x


def numbers(x: Union[int, float, complex], y: Dict[str, Union[bool, int, None, str]]):
    return x


def defaults(x, f: float = 1, g: Optional[float] = 2, s: str = "a\n'\"", t: Tuple[float, int] = (1, 2), y=None):
    return x


DECLARED = {
    unions: "unions(Union(Tensor, int) x, Union(Tensor, (int, int), int[], NoneType) y=None) -> Union(Tensor, int)",
    numbers: "numbers(Scalar x, Dict(str, Union(int, NoneType, str, bool)) y) -> Scalar",
    defaults: 'defaults(Tensor x, float f=1., float? g=2., str s="a\\n\\\'\\"", (float, int) t=(1., 2), Tensor y=[ Tensor (undefined) ]) -> Tensor',
}
"""Function -> its declaration, as PyTorch writes it."""


@pytest.mark.parametrize("function", DECLARED)
def test_declarations_are_written_as_pytorch_writes_them(function):
    assert str(torch.jit.script(function).schema) == DECLARED[function]


class Shade(enum.Enum):
    DARK = 1
    LIGHT = 2


def test_enums_of_the_program_are_those_of_a_file(oracle):
    def shade(x, each: Shade):
        return x + 1 if each == Shade.LIGHT else x

    for library in (torch, oracle):
        file = io.BytesIO()
        library.jit.save(library.jit.script(shade), file)
        file.seek(0)
        loaded = library.jit.load(file)
        assert [loaded(library.ones(1), each).item() for each in Shade] == [1, 2]


def test_methods_name_their_own_class_while_it_is_decorated(oracle):
    for library in (torch, oracle):

        @library.jit.script
        class Stack:
            def __init__(self):
                self.items: List[int] = []

            def push(self, value: int):
                self.items.append(value)

            def same(self, other: "Stack") -> bool:
                return self.items == other.items

            def copy(self) -> "Stack":
                made = Stack()
                for each in self.items:
                    made.push(each)
                return made

        def compare(value: int):
            stack = Stack()
            stack.push(value)
            other = stack.copy()
            other.push(1)
            return stack.same(stack.copy()), stack.same(other)

        assert library.jit.script(compare)(3) == (True, False)


def test_methods_of_generated_code_belong_to_no_module_and_are_scripted():
    class Plus(torch.nn.Module):
        def forward(self, x):
            return x + 1

    Plus.forward.__module__ = None
    assert torch.jit.script(Plus())(torch.ones(2)).tolist() == [2, 2]
