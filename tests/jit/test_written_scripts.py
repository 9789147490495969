"""Scripts that are written as text: compilation units, and methods that a scripted module gets."""

import io

import pytest

import tensh as torch

pytestmark = pytest.mark.filterwarnings("ignore")
UNIT = """
def count(n: int):
    total = 0
    for i in range(n):
        total += i
    return total

def scale(x, factors: List[int], k: Optional[int] = None) -> Tensor:
    if k is None:
        return x * factors[0]
    return x * k + count(k)
"""
METHODS = """
def forward(self, x):
    return self.twice(x) + 1

def twice(self, x, k: int = 2):
    return x * k
"""


def test_functions_of_a_unit_are_pytorchs(oracle):
    codes = []
    for library in (torch, oracle):
        unit = library.jit.CompilationUnit(UNIT)
        assert unit.scale(library.ones(1), [3]).item() == 3 and unit.scale(library.ones(1), [3], k=4).item() == 10
        assert unit.count(4) == 6 and unit.find_function("missing") is None
        assert [each.name for each in unit.get_functions()] == ["count", "scale"]
        with pytest.raises(RuntimeError, match="method 'count' already defined"):
            unit.define("def count(x):\n  return x\n")
        with pytest.raises(AttributeError, match="'CompilationUnit' has no attribute 'missing'"):
            _ = unit.missing
        codes.append((unit.count.code, str(unit.scale.schema)))
    assert codes[0] == codes[1]


def test_methods_that_a_module_gets_are_pytorchs(oracle):
    codes = []
    for library in (torch, oracle):
        module, linear = library.jit.ScriptModule(), library.jit.script(library.nn.Linear(2, 2))
        module.define(METHODS)
        linear.define("def doubled(self, x):\n  return self.forward(x) + self.forward(x)\n")
        file, x = io.BytesIO(), library.ones(2)
        library.jit.save(linear, file)
        file.seek(0)
        assert module(x).tolist() == [3, 3] and module.twice(x, 3).tolist() == [3, 3]
        assert linear.doubled(x).tolist() == library.jit.load(file).doubled(x).tolist() == (linear(x) * 2).tolist()
        codes.append((module.code, linear.doubled.code))
    assert codes[0] == codes[1]


def test_names_of_operators_of_scripts_are_pytorchs(oracle):
    names = []
    for library in (torch, oracle):

        class Model(library.nn.Module):
            def forward(self, x, k: int):
                for i in range(k):
                    if bool(x.sum() > i):
                        x = x + i * k
                return x.relu(), [1, 2][k]

        names.append(library.jit.export_opnames(library.jit.script(Model())))
    assert names[0] == names[1]
