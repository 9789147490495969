"""Sobol sequences: PyTorch's points, scrambled or not, however they are asked for."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import tensh as torch
from tensh.engine.random import sobol

DIMENSIONS = (1, 2, 3, 17, 64)
ENGINES = ["", ", scramble=True, seed=5", ", True, 2**40"]

# What is done with an engine ``e``; all that it gives is compared.
PROGRAMS = """
e.draw()
e.draw(7)
[e.draw(), e.draw(), e.draw(5), e.draw(0), e.draw(1)]
[e.draw(3, dtype=module.float64), e.draw(3, dtype=module.float32)]
e.draw(1, dtype=module.float16)
[e.draw_base2(2), e.draw_base2(2), e.draw_base2(3)]
e.draw_base2(3, dtype=module.float64)
[e.fast_forward(1).draw(2), e.fast_forward(10).draw(2), e.fast_forward(0).draw(2), e.num_generated]
[e.fast_forward(0).draw(2), e.num_generated]
[e.draw(4), e.reset().draw(3), e.reset().fast_forward(4).draw(3)]
e.fast_forward(10003).draw(3)
e.draw(4, out=module.zeros(7, dtype=module.float64))
e.draw(4, out=module.zeros(2, dtype=module.int32))
e.draw(module.tensor(3))
[e.sobolstate, e.shift, e.quasi, e.draw(9), e.quasi]
e.draw(3000)
repr(e)
""".strip().split("\n")


def plain(module, value):
    if isinstance(value, list):
        return [plain(module, each) for each in value]
    if isinstance(value, module.Tensor):
        return str(value.dtype), value.is_contiguous(), value.numpy().tolist()
    return value


def run(module, dimension, options, program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of outputs that are resized
        engine = eval(f"module.quasirandom.SobolEngine({dimension}{options})", {"module": module})
        return plain(module, eval(program, {"module": module, "e": engine}))


@pytest.mark.parametrize("options", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_points_are_those_of_pytorch(oracle, program, options):
    for dimension in DIMENSIONS:
        assert run(torch, dimension, options, program) == run(oracle, dimension, options, program)


@pytest.mark.parametrize("dimension", [65, 300])
@pytest.mark.parametrize("options", ENGINES)
def test_more_dimensions_are_read_from_scipy(oracle, dimension, options):
    pytest.importorskip("scipy")
    assert run(torch, dimension, options, "e.draw(50)") == run(oracle, dimension, options, "e.draw(50)")


def test_all_directions_are_those_of_pytorch(oracle):
    pytest.importorskip("scipy")
    expected = oracle.quasirandom.SobolEngine(sobol.MAXDIM).sobolstate.numpy()
    assert np.array_equal(sobol.directions(sobol.MAXDIM), expected)


def test_the_default_generator_scrambles_where_there_is_no_seed(oracle):
    def run(module):
        module.manual_seed(3)
        return module.quasirandom.SobolEngine(3, scramble=True).draw(4).tolist(), module.rand(2).tolist()

    assert run(torch) == run(oracle)


def test_the_first_point_is_rounded_to_the_default_dtype(oracle):
    def run(module):
        module.set_default_dtype(module.float64)
        try:
            return plain(module, module.quasirandom.SobolEngine(3, True, 5).draw(3))
        finally:
            module.set_default_dtype(module.float32)

    assert run(torch) == run(oracle)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_copies_go_on_where_the_engine_was(again):
    engine = torch.quasirandom.SobolEngine(3, scramble=True, seed=1)
    engine.draw(5)
    other = again(engine)
    assert other.draw(4).tolist() == engine.draw(4).tolist() and repr(other) == repr(engine)


def test_points_fill_the_cube_evenly():
    for options in ({}, {"scramble": True, "seed": 0}):
        points = torch.quasirandom.SobolEngine(5, **options).draw_base2(8)
        for each in points.T:
            assert sorted((each * 256).long().tolist()) == list(range(256))


REFUSED = """
S(0)
S(21202)
S("a")
S(2.5)
S(3, scramble=True, seed=1.5)
S(3).draw(-1)
S(3).draw(0)
S(3).fast_forward(3).draw(-2)
S(3).draw(2.0)
S(3).fast_forward(2.5)
S(3).draw(2, dtype=module.float16)
S(3).draw(2, dtype=module.int64)
S(3).draw(2, dtype=module.complex64)
S(3).fast_forward(3).draw_base2(2)
S(3).draw_base2(1.0)
""".strip().split("\n")


@pytest.mark.parametrize("code", REFUSED)
def test_wrong_arguments_of_sobol_engines(oracle, code):
    def refusal(module):
        with pytest.raises(Exception) as caught:
            eval(code, {"module": module, "S": module.quasirandom.SobolEngine})
        return type(caught.value).__name__, str(caught.value)

    assert refusal(torch) == refusal(oracle)


def test_a_sequence_has_an_end():
    engine = torch.quasirandom.SobolEngine(2).fast_forward(2**30 - 1)
    last = engine.draw(dtype=torch.float64) * 2**30
    assert last.tolist() == [[1, 858993459]]
    with pytest.raises(ValueError, match=r"a Sobol sequence has 2\*\*30 points"):
        engine.draw()


@pytest.mark.parametrize("missing", [None, "another"])
def test_without_the_table_of_scipy(monkeypatch, tmp_path, missing):
    (tmp_path / "stats").mkdir()
    if missing:
        table = tmp_path / "stats" / "_sobol_direction_numbers.npz"
        np.savez(table, poly=np.arange(sobol.MAXDIM), vinit=np.ones((sobol.MAXDIM, 18), np.int64))

    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(sobol, "find_spec", lambda name: Spec)
    assert torch.quasirandom.SobolEngine(64).draw(2).shape == (2, 64)
    with pytest.raises(ModuleNotFoundError, match=r"64 dimensions; more are read from SciPy: pip install"):
        torch.quasirandom.SobolEngine(65)
