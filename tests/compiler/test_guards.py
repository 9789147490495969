"""When a graph of torch.compile is valid: arguments, values that a function reads, types, sizes and stances."""

import argparse
import copy
import types
import warnings

import numpy as np
import pytest

import tensh as torch
from tensh import nn
from tensh.compiler.capture import frames


def test_another_shape_dtype_or_constant_makes_another_graph():
    @torch.compile
    def f(x, scale=1.0, names=("a",)):
        return dict.fromkeys(names, x * scale)

    x = torch.ones(3)
    for count, call in enumerate(
        [lambda: f(x), lambda: f(x, 2.0), lambda: f(torch.ones(4)), lambda: f(x.double()), lambda: f(x, names=("a", "b")),
         lambda: f(x.requires_grad_())], 1,
    ):  # fmt: skip
        for _ in range(2):
            assert list(call()) == ["a", "b"][: 1 + (count == 5)]
        assert len(f.compiled.graphs) == count
    with torch.no_grad():
        assert not f(x)["a"].requires_grad
    assert f(x)["a"].requires_grad


WHOLE_READS = {
    "__dict__": lambda value: len(value.__dict__),
    "a name in __dict__": lambda value: "b" in value.__dict__,
    "vars": lambda value: sum(vars(value).values()),
    "dir": lambda value: len(dir(value)),
    "repr": lambda value: len(repr(value)),
    "in": lambda value: "b" in value,
}


class Settings:
    """Attributes of a class of the program."""

    def __init__(self, **given):
        self.__dict__.update(given)

    def __contains__(self, name):
        return name in self.__dict__


@pytest.mark.parametrize("make", [Settings, argparse.Namespace])
@pytest.mark.parametrize("name", WHOLE_READS)
def test_attributes_that_are_read_as_a_whole_are_guarded(name, make):
    value, read, x = make(a=1), WHOLE_READS[name], torch.ones(2)

    @torch.compile
    def f(x):
        return x * read(value)

    for change in (
        lambda: None,
        lambda: setattr(value, "b", 22),
        lambda: setattr(value, "c", 333),
        lambda: delattr(value, "a"),
    ):
        change()
        for _ in range(2):
            assert f(x).equal(x * read(value))


def test_what_a_function_reads_is_guarded():
    settings, module = {"factor": 2.0}, nn.Linear(2, 2)
    module.extra, module.mask = 1.0, torch.ones(2)

    @torch.compile
    def f(x):
        return module(x) * settings["factor"] * module.extra * module.mask

    def plain():
        return module(x) * settings["factor"] * module.extra * module.mask

    x = torch.ones(2)

    def check():
        for _ in range(2):
            assert f(x).equal(plain())

    check()
    settings["factor"] = 3.0
    check()
    module.extra = 2.0
    check()
    module.mask = torch.zeros(2)
    check()
    module.weight = nn.Parameter(torch.ones(2, 2))
    check()
    with torch.no_grad():
        module.bias.fill_(7.0)
    check()
    assert f.compiled.reason is None


def test_what_installed_libraries_read_is_guarded(tmp_path, monkeypatch):
    """Packages are installed in a folder below that of the standard library, in virtual environments, too."""
    place = tmp_path / "site-packages"
    place.mkdir()
    (place / "scaling_library.py").write_text("FACTOR = 2\ndef scale(x): return x * FACTOR\n")
    monkeypatch.setattr(frames, "STANDARD", (*frames.STANDARD, str(tmp_path)))
    monkeypatch.syspath_prepend(str(place))
    import scaling_library

    compiled = torch.compile(lambda x: scaling_library.scale(x) + 1)
    x = torch.ones(2)
    assert [compiled(x).tolist() for _ in range(3)] == [[3.0, 3.0]] * 3
    scaling_library.FACTOR = 5
    assert compiled(x).tolist() == [6.0, 6.0]


def test_attributes_of_classes_are_guarded():
    class Scaled:
        factor, offset = 1.0, 2.0

        def scale(this, x):
            return x * this.factor

        def run(this, x):
            return this.scale(x) + this.offset

    scaled, x = Scaled(), torch.ones(2)
    f = torch.compile(scaled.run)
    for factor, offset in ((1.0, 2.0), (1.0, 2.0), (3.0, 2.0), (3.0, 4.0)):
        Scaled.factor, Scaled.offset = factor, offset
        assert f(x).tolist() == [factor + offset] * 2
    assert len(f.compiled.graphs) == 3


def test_train_and_eval_and_autocast():
    module = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    compiled, x = torch.compile(module), torch.randn(4, 3)
    for mode in (True, False, True):
        compiled.train(mode)
        other = copy.deepcopy(module)
        for seed in range(2):
            torch.manual_seed(seed)
            ours = compiled(x)
            torch.manual_seed(seed)
            assert ours.equal(other(x))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert compiled(x).dtype == compiled(x).dtype == module(x).dtype
    assert compiled.compiled.reason is None


def test_only_differences_of_kind_make_new_graphs_and_too_many_are_given_up():
    @torch.compile
    def f(x):
        return x * 2

    with pytest.warns(UserWarning, match="8 graphs were compiled"):
        for dims in range(1, 12):
            assert f(torch.ones([2] * dims)).sum() == 2 * 2**dims
    torch.compiler.reset()
    assert not f.compiled.graphs and not f.compiled.off


def test_every_size_gets_a_graph_and_other_kinds_have_a_limit():
    f, g = torch.compile(lambda x: x * 2 + 1), torch.compile(lambda x, n: x * n)
    fixed = torch.compile(lambda x: x * 2 + 1, dynamic=False)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        for size in range(1, 13):
            for each in (f, fixed):
                assert each(torch.ones(size)).tolist() == [3] * size
            assert g(torch.ones(2), size).tolist() == [size] * 2
    assert len(f.compiled.graphs) == 12 and len(g.compiled.graphs) == len(fixed.compiled.graphs) == 8
    assert ["8 graphs were compiled" in str(each.message) for each in notes] == [True, True]
    assert torch.compile(lambda x: x, dynamic=True)(torch.ones(1)).item() == 1


def test_a_stance_decides_whether_functions_are_compiled():
    calls = []
    f = torch.compile(lambda x: x * 2 + 1)
    x = torch.ones(2)
    with torch.compiler.set_stance("force_eager"):
        f(x)
    assert not f.compiled.graphs
    f(x)
    with torch.compiler.set_stance("fail_on_recompile"):
        f(x)
        with pytest.raises(RuntimeError, match="Detected recompile when torch.compile stance is 'fail_on_recompile'"):
            f(torch.ones(3))

    @torch.compiler.set_stance("eager_on_recompile")
    def call():
        calls.append(f(torch.ones(3)))

    call()
    assert len(calls) == len(f.compiled.graphs) == 1
    f(torch.ones(3))
    assert len(f.compiled.graphs) == 2


def test_the_number_of_classes_is_that_of_each_call():
    classes = torch.compile(nn.functional.one_hot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [tuple(classes(torch.tensor(each)).shape) for each in ([0, 1], [0, 1], [2, 3], [0, 0])] == [
            (2, 2), (2, 2), (2, 4), (2, 1)
        ]  # fmt: skip


@pytest.mark.filterwarnings("ignore:torch.compile runs")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("function", [lambda x, s: x.mul(other=s), lambda x, s: torch.div(x, s, rounding_mode=None)])
def test_a_tensor_of_one_number_is_no_constant_of_the_backward_pass(function, dtype):
    compiled, x = torch.compile(function), torch.ones(4, dtype=dtype, requires_grad=True)
    for number in (2.0, 3.0, 5.0):
        slopes = [torch.autograd.grad(f(x, torch.tensor(number)).sum(), x)[0] for f in (function, compiled)]
        assert torch.equal(*slopes)


class Scaled:
    factor = 2.0


class ScaledModule(nn.Module):
    factor = 2.0

    def forward(self, x):
        return x * self.factor


def test_an_attribute_may_hide_that_of_a_class():
    scaled, module = Scaled(), ScaledModule()
    for f, owner in ((torch.compile(lambda x: x * scaled.factor), scaled), (torch.compile(module), module)):
        for number in (2.0, 5.0, 7.0):
            if number > 2:
                owner.factor = number
            for _ in range(2):
                assert f(torch.ones(1)).item() == number


READS = {
    "text": lambda x: f"{x} {x!s} {x!r}",
    "is_leaf": lambda x: x.is_leaf,
    "grad_fn": lambda x: x.grad_fn is None,
    "data_ptr": lambda x: x.data_ptr(),
    "requires_grad": lambda x: x.requires_grad,
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_what_python_learns_of_a_tensor_is_guarded(read):
    compiled, leaf = torch.compile(lambda x: (x * 2, read(x))), torch.tensor([2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x in (torch.ones(1), torch.full((1,), 2.0), leaf, leaf * 2, leaf.detach()):
            for recording in (True, False):
                with torch.set_grad_enabled(recording):
                    assert compiled(x)[1] == read(x)


GENERATOR = np.random.default_rng(0)
DRAWS = {
    "module": lambda: np.random.rand(),
    "generator": lambda: GENERATOR.normal(),
    "imported": lambda: __import__("numpy").random.rand(),
    "variable": (lambda numpy: lambda: numpy.random.rand())(np),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_random_numbers_of_numpy_are_drawn_in_every_call(draw):
    compiled = torch.compile(lambda x: x * float(draw()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len({compiled(torch.ones(1)).item() for _ in range(5)}) == 5


class Settings:
    scale = 2.0
    deep = types.SimpleNamespace(offset=1)


def test_libraries_named_after_torch_are_guarded_like_programs(monkeypatch):
    monkeypatch.setattr(Settings, "__module__", "torchlibrary.settings")
    compiled = torch.compile(lambda x: x * Settings.scale)
    assert [compiled(torch.ones(1)).item() for _ in range(2)] == [2.0] * 2
    monkeypatch.setattr(Settings, "scale", 3.0)
    assert compiled(torch.ones(1)).item() == 3.0


FACTOR = 1


def test_values_may_become_those_of_another_kind(monkeypatch):
    module = ScaledModule()
    module.factor, x = 2, torch.tensor([3])
    compiled, plain = torch.compile(module), torch.compile(lambda x: x * Settings.scale + Settings.deep.offset + FACTOR)
    assert [compiled(x).dtype for _ in range(2)] == [torch.int64] * 2
    module.factor = 2.0
    assert compiled(x).dtype is torch.float32
    assert [plain(x).tolist() for _ in range(2)] == [[8.0]] * 2
    monkeypatch.setattr(Settings.deep, "offset", 5)
    assert plain(x).tolist() == [12.0]
    monkeypatch.setitem(globals(), "FACTOR", torch.tensor([1.0, 2.0]))
    assert [plain(x).tolist() for _ in range(2)] == [[12.0, 13.0]] * 2


class PrivatelyScaled(nn.Module):
    def __init__(self):
        super().__init__()
        self._factor, self._settings = 2.0, {"offset": 0.0}

    def forward(self, x):
        return x * self._factor + self._settings["offset"]


def test_private_attributes_that_are_read_are_guarded():
    module = PrivatelyScaled()
    compiled = torch.compile(module)
    assert [compiled(torch.ones(1)).item() for _ in range(2)] == [2.0] * 2
    module._factor = 3.0
    assert compiled(torch.ones(1)).item() == 3.0
    module._settings["offset"] = 1.0
    assert compiled(torch.ones(1)).item() == 4.0
