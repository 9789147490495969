"""Declarations of dynamic dimensions: what they give, what programs demand of them, and what is refused, as in PyTorch.

``declarations.txt`` has a paragraph for each case: what the program computes of x and y, sizes of the example, the declaration,
then sizes of other calls, and PyTorch's answers.
"""

import dataclasses
import io
from pathlib import Path

import pytest

import tensh as torch

CASES = [
    case.split("\n") for case in Path(__file__).with_name("declarations.txt").read_text(encoding="utf-8").split("\n\n")
]


def read_sizes(text):
    return [tuple(map(int, each.split(","))) for each in text.split()]


def tell(torch, text):
    """Describe the program of a case, or how it is refused, then the results of its other calls."""
    body, sizes, shapes, *calls = (each.strip() for each in text.split("|"))
    Dim = torch.export.Dim
    names = {name: Dim(name) for name in "abc"} | {
        "AUTO": Dim.AUTO,
        "DYNAMIC": Dim.DYNAMIC,
        "STATIC": Dim.STATIC,
        "Dim": Dim,
    }
    function = eval(f"lambda x, y=None: {body}", {"torch": torch})

    class Model(torch.nn.Module):
        def forward(self, x, y=None):
            return function(x, y)

    try:
        program = torch.export.export(
            Model(), tuple(map(torch.ones, read_sizes(sizes))), dynamic_shapes=eval(shapes, names)
        )
    except Exception as error:
        return f"{type(error).__name__}: {error}".split("\n\n")[0].rstrip().split("\n")
    head = next(line.strip() for line in str(program).split("\n") if "def forward" in line)
    found = [head, str(program.range_constraints)]
    for call in calls:
        try:
            program.module()(*map(torch.ones, read_sizes(call)))
            found.append("accepted")
        except AssertionError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize(("case", "answer"), [(case, answer) for case, *answer in CASES])
def test_declarations_are_answered_as_by_pytorch(case, answer):
    assert tell(torch, case) == [line for line in answer if line]


@pytest.mark.parametrize("case", [case for case, *_ in CASES])
def test_the_answers_are_pytorchs(oracle, case):
    assert tell(torch, case) == tell(oracle, case)


def make_containers(torch):
    """Return a data class and a class registered by functions, with a model that takes and returns them."""

    @dataclasses.dataclass
    class Pair:
        first: torch.Tensor
        second: torch.Tensor | None = None
        factor: int = 2

    class Point:
        def __init__(self, x, y):
            self.x, self.y = x, y

    tree = torch.utils._pytree
    torch.export.register_dataclass(Pair, serialized_type_name=f"tests.Pair{id(Pair)}")
    tree.register_pytree_node(
        Point,
        lambda point: ([point.x, point.y], None),
        lambda values, _: Point(*values),
        serialized_type_name=f"tests.Point{id(Point)}",
        flatten_with_keys_fn=lambda point: ([(tree.GetAttrKey("x"), point.x), (tree.GetAttrKey("y"), point.y)], None),
    )

    class Model(torch.nn.Module):
        def forward(self, pair, *, point):
            return Point(pair.first * pair.factor, point.x), {"pair": Pair(point.y, factor=3)}

    return Pair, Point, Model()


def tell_of_containers(torch, again=lambda program: program):
    """Describe a program on registered containers, and calls of it with other sizes and other structures."""
    Pair, Point, model = make_containers(torch)
    n = torch.export.Dim("n", max=9)
    args, kwargs = (Pair(torch.ones(3)),), {"point": Point(torch.ones(3), torch.ones(2))}
    shapes = {"pair": [{0: n}, None], "point": [{0: n}, None]}
    program = again(torch.export.export(model, args, kwargs, dynamic_shapes=shapes))
    module = program.module()
    found = [str(program.graph_signature), str(program.range_constraints), repr(program.call_spec), module.code]
    for first, x, y, factor in ((5, 5, 2, 2), (5, 4, 2, 2), (10, 10, 2, 2), (5, 5, 3, 2), (5, 5, 2, 4)):
        try:
            point, rest = module(Pair(torch.ones(first), factor=factor), point=Point(torch.ones(x), torch.ones(y)))
            found.append([type(point).__name__, point.x.tolist(), rest["pair"].factor, rest["pair"].second])
        except AssertionError as error:
            found.append(str(error))
    with pytest.raises(ValueError, match="Trying to flatten user inputs with exported input tree spec"):
        module(Pair(torch.ones(3), torch.ones(3)), point=kwargs["point"])
    return found


def read_again(torch):
    """Return a function that writes a program to a file, and reads it."""

    def again(program):
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        return torch.export.load(file)

    return again


def test_registered_containers_are_arguments_and_results(oracle):
    assert tell_of_containers(torch) == tell_of_containers(oracle)


def test_registered_containers_come_back_from_files():
    assert tell_of_containers(torch) == tell_of_containers(torch, read_again(torch))


def test_decisions_on_sizes_come_back_from_files():
    class Even(torch.nn.Module):
        def forward(self, x):
            return x * 2 if x.shape[0] % 2 == 0 else x

    program = torch.export.export(Even(), (torch.ones(4),), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    for each in program, read_again(torch)(program), program.run_decompositions():
        assert each.module()(torch.ones(6)).tolist() == [2.0] * 6
        with pytest.raises(AssertionError, match=r"Guard failed: x.size\(\)\[0\] % 2 == 0"):
            each.module()(torch.ones(7))


def tell_of_unknown_classes(torch):
    """The errors of arguments and results of classes that are not registered, and of other wrong calls."""

    @dataclasses.dataclass
    class Unknown:
        x: object

    class Takes(torch.nn.Module):
        def forward(self, x):
            return x.x

    class Gives(torch.nn.Module):
        def forward(self, x):
            return Unknown(x)

    class Plain:
        pass

    x, found = torch.ones(2), []
    for call in (
        lambda: torch.export.export(Takes(), (Unknown(x),)),
        lambda: torch.export.export(Gives(), (x,)),
        lambda: torch.export.register_dataclass(Plain),
        lambda: torch.export.export(Gives(), (x, x)),
        lambda: torch.export.export(Gives(), (), {"y": x}),
        lambda: torch.export.export(Gives(), x),
    ):
        with pytest.raises(Exception) as raised:
            call()
        found.append(f"{type(raised.value).__name__}: {raised.value}")
    return found


def test_unknown_classes_are_refused_as_by_pytorch(oracle):
    assert tell_of_unknown_classes(torch) == tell_of_unknown_classes(oracle)


def tell_of_collections(torch):
    """Declarations by tensor, and from examples."""
    n, (x, y) = torch.export.Dim("n"), (torch.ones(3), torch.ones(3))

    class Sum(torch.nn.Module):
        def forward(self, parts, more):
            return parts["x"] + more[0]

    args = ({"x": x}, [y, 3])
    shapes = torch.export.ShapesCollection()
    shapes[x], shapes[y] = {0: n}, [n]
    more = torch.export.AdditionalInputs()
    more.add(({"x": torch.ones(5)}, [torch.ones(5), 3]))
    found = [len(shapes), repr(shapes[x])]
    for each in shapes, more:
        program = torch.export.export(Sum(), args, dynamic_shapes=each)
        found += [repr(each.dynamic_shapes(Sum(), args)), str(program.range_constraints)]
    more.verify(program)
    more.add(({"x": torch.ones(5)}, [torch.ones(6), 3]))
    shapes[torch.ones(1)] = {}
    for call in (
        lambda: more.verify(program),
        lambda: shapes.dynamic_shapes(Sum(), args),
        lambda: shapes.__setitem__(x, {0: 3}),
        lambda: shapes.__setitem__(3, {0: 3}),
        lambda: more.add([x]),
    ):
        with pytest.raises((AssertionError, RuntimeError, ValueError)) as raised:
            call()
        found.append(str(raised.value))
    return found


def test_collections_of_declarations_are_pytorchs(oracle):
    assert tell_of_collections(torch) == tell_of_collections(oracle)


def tell_of_fixes(torch):
    """Declarations with the fixes that a refused export suggests."""
    refine = torch.export.dynamic_shapes.refine_dynamic_shapes_from_suggested_fixes
    a, b = map(torch.export.Dim, "ab")
    found = []
    for text in (
        "b = a",
        "b = a + 1",
        "a = Dim('a', min=3, max=8)",
        "a = 4",
        "_a = Dim('_a', min=1, max=oo)\n  a = 2*_a",
    ):
        for shapes in ({"x": {0: a}, "y": {0: b}}, ({0: a}, {0: 2 * a, 1: None})):
            try:
                found.append(repr(refine(f"...\nSuggested fixes:\n  {text}\n", shapes)))
            except AssertionError as error:
                found.append(str(error))
    with pytest.raises(RuntimeError, match="Suggested fixes not found"):
        refine("nothing", {})
    return found


def test_suggested_fixes_are_applied_as_by_pytorch(oracle):
    assert tell_of_fixes(torch) == tell_of_fixes(oracle)
