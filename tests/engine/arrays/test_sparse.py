"""Sums into places by SciPy's loops are those of NumPy, to the last bit; without SciPy nothing changes."""

import subprocess
import sys
import types

import numpy as np
import pytest

import tensh as torch
from tensh.engine.arrays import scattering, sparse
from tests.support.project import ROOT, plain_environment

CASES = [  # shape of the target, number of values, their dtype, the dtype of the index
    ((1000,), 100_000, "f4", "i8"),
    ((3,), 10_000, "f8", "i8"),
    ((70_000,), 5000, "f4", "i4"),
    ((40, 7), 3000, "f4", "i8"),
    ((5000, 64), 900, "f8", "i4"),
    ((9, 2, 3), 1000, "i8", "i8"),
    ((300,), 10_000, "u1", "i8"),
    ((2, 500), 100, "f4", "i8"),
]
# a scatter that SciPy's loops would do, and its result
PROGRAM = (
    "import tensh as torch; from tensh.engine.arrays import sparse; i = torch.arange(10000) % 4; "
    "print(torch.zeros(4).scatter_add(0, i, torch.ones(10000)).tolist(), sparse.loops())"
)


def drawn(shape, number, dtype, index):
    rng = np.random.default_rng(0)
    out, values = ((rng.random(size) * 100).astype(dtype) for size in (shape, (number, *shape[1:])))
    return out, rng.integers(0, shape[0], number).astype(index), values


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_sums_are_those_of_numpy(case):
    pytest.importorskip("scipy")
    out, index, values = drawn(*case)
    expected = out.copy()
    np.add.at(expected, index, values)
    assert sparse.add_at(out, index, values)
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_sums_are_the_same_without_scipy(case, monkeypatch):
    out, index, values = drawn(*case)
    first, second = out.copy(), out.copy()
    scattering.add_at(first, index, values)
    monkeypatch.setattr(sparse, "loops", lambda: None)
    scattering.add_at(second, index, values)
    assert first.tobytes() == second.tobytes() != out.tobytes()


def test_numbers_that_are_not_finite():
    index = torch.arange(6000) % 3
    values = torch.ones(6000)
    values[3], values[4], values[7] = float("nan"), float("inf"), float("-inf")
    assert torch.zeros(3).scatter_add(0, index, values)[:2].isnan().all()
    values[7] = 1
    assert torch.zeros(3).scatter_add(0, index, values).tolist()[1:] == [float("inf"), 2000]


@pytest.mark.parametrize("values", ["c8", "?", "f2"])
def test_other_dtypes_are_left_to_numpy(values):
    out = np.zeros(3, values)
    assert not sparse.add_at(out, np.zeros(5000, np.int64), np.ones(5000, values))
    assert not out.any()


@pytest.mark.thorough
@pytest.mark.parametrize("content", [None, b"", b"no library"])
def test_a_scipy_that_cannot_be_used_is_left_alone(tmp_path, content):
    folder = tmp_path / "scipy" / "sparse"
    folder.mkdir(parents=True)
    (tmp_path / "scipy" / "__init__.py").write_text("raise SystemExit('must not be imported')")
    if content is not None:
        (folder / "_sparsetools.abi3.so").write_bytes(content)
        (folder / "_sparsetools.pyd").write_bytes(content)
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT, env=plain_environment() | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout == "[2500.0, 2500.0, 2500.0, 2500.0] None\n"


def test_a_module_that_only_bears_the_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", types.ModuleType("scipy"))
    sparse.loops.cache_clear()
    try:
        assert sparse.loops() is None
    finally:
        sparse.loops.cache_clear()
