"""Frozen modules: their code has constants in place of members, and their files run in tensh and in PyTorch."""

import io

import numpy as np
import pytest

import tensh as torch

pytestmark = pytest.mark.filterwarnings("ignore")


def make_model(library):
    nn = library.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.dropout, self.k, self.flag = nn.Linear(2, 2), nn.Dropout(0.5), 3, True
            self.register_buffer("shift", library.ones(2))

        def forward(self, x):
            if self.flag:
                x = x + self.shift
            return self.dropout(self.linear(x)) * self.k

        @library.jit.export
        def other(self, x):
            return self.linear(x) - self.k

    library.manual_seed(0)
    return Model().eval()


def save(library, module):
    file = io.BytesIO()
    library.jit.save(module, file)
    file.seek(0)
    return file


@pytest.mark.parametrize("way", ["script", "trace"])
def test_frozen_modules_come_back_from_files(oracle, way):
    model = make_model(torch)
    made = torch.jit.script(model) if way == "script" else torch.jit.trace(model, torch.ones(1, 2))
    frozen = torch.jit.freeze(made)
    assert "self." not in frozen.code.partition("\n")[2] and "dropout" not in frozen.code
    for library in (torch, oracle):
        loaded = library.jit.load(save(torch, frozen))
        assert not list(loaded.parameters()) and not loaded.state_dict()
        np.testing.assert_allclose(loaded(library.ones(1, 2)).tolist(), model(torch.ones(1, 2)).tolist(), atol=1e-6)


def test_code_of_frozen_scripts_is_pytorchs(oracle):
    for kept in ([], ["other"], ["other", "k"]):
        ours, theirs = (
            library.jit.freeze(library.jit.script(make_model(library)), preserved_attrs=kept)
            for library in (torch, oracle)
        )
        assert ours.code == theirs.code
        if kept:
            assert ours.other.code == theirs.other.code
            loaded = oracle.jit.load(save(torch, ours))
            expected = make_model(torch).other(torch.ones(1, 2))
            np.testing.assert_allclose(loaded.other(oracle.ones(1, 2)).tolist(), expected.tolist(), atol=1e-6)
