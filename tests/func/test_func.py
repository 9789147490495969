"""torch.func, dual tensors and their uses: programs compared with PyTorch's recorded answers."""

import importlib

import pytest

import tensh as torch
from tests.recorded.transforms import cases as transforms

NAMES = sorted(path.stem for path in transforms.FOLDER.glob("*.txt"))
each_program = pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name in NAMES for text in transforms.programs(name)]
)


@each_program
def test_programs_show_what_pytorch_shows(name, text):
    """It shows what PyTorch shows."""
    assert transforms.outcome(torch, text) == transforms.answers(name)[text]


@pytest.mark.oracle
@each_program
def test_recorded_transforms_are_what_pytorch_shows(name, text):
    """What is recorded is what PyTorch shows."""
    oracle = pytest.importorskip("torch")
    importlib.import_module("torch.func")
    assert transforms.outcome(oracle, text) == transforms.answers(name)[text]


def test_libraries_can_ask_whether_a_tensor_is_batched():
    from tensh.switched_off import module

    functorch, seen = module("torch._C._functorch"), []

    def look(x):
        seen.append((functorch.is_batchedtensor(x), functorch.maybe_get_level(x), functorch.maybe_get_bdim(x)))
        return x

    torch.vmap(look)(torch.ones(2, 3))
    torch.vmap(look, 1)(torch.ones(2, 3))
    torch.vmap(torch.vmap(look))(torch.ones(2, 3, 4))
    look(torch.ones(2))
    assert seen == [(True, 1, 0), (True, 1, 1), (True, 2, 0), (False, -1, -1)]


class Sized:
    """Tensors that share their leading dimensions, which it knows itself, as a TensorDict does."""

    def __init__(self, tensors, shape):
        self.tensors, self.shape, self.ndim = tensors, tuple(shape), len(shape)
        assert all(t.shape[: self.ndim] == self.shape for t in tensors)

    def _add_batch_dim(self, *, in_dim, vmap_level):
        inner = [torch._C._functorch._add_batch_dim(t, in_dim, vmap_level) for t in self.tensors]
        return Sized(inner, self.shape[:in_dim] + self.shape[in_dim + 1 :])

    def _maybe_remove_batch_dim(self, funcname, *, vmap_level, batch_size, out_dim):
        outer = [torch._C._functorch._remove_batch_dim(t, vmap_level, batch_size, out_dim) for t in self.tensors]
        return Sized(outer, (*self.shape[:out_dim], batch_size, *self.shape[out_dim:]))


@pytest.mark.parametrize(("in_dim", "out_dim"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_a_collection_of_tensors_hides_the_dimension_of_each_itself(in_dim, out_dim):
    given = Sized([torch.arange(24.0).view(2, 3, 4), torch.ones(2, 3)], (2, 3))
    seen = []

    def double(each):
        seen.append(each.shape)
        return Sized([t * 2 for t in each.tensors] + [torch.zeros(each.shape)], each.shape)

    result = torch.vmap(double, (in_dim,), (out_dim,))(given)
    assert seen == [(3,) if in_dim == 0 else (2,)]
    expected = given.tensors[0].mul(2).movedim(in_dim, out_dim)
    assert result.shape == expected.shape[:2] and torch.equal(result.tensors[0], expected)
    assert [t.shape[:2] for t in result.tensors] == [result.shape] * 3


def test_former_names_of_branches_and_loops():
    from tensh.functorch.experimental import control_flow, functionalize

    rows = control_flow.map(lambda row, y: row + y, torch.zeros(3, 2), torch.ones(2))
    assert torch.equal(rows, torch.ones(3, 2)) and control_flow.cond is torch.cond
    assert functionalize(lambda x: x.clone().add_(1))(torch.ones(1)).item() == 2
