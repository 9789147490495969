"""Files of nested tensors, which hold places as numbers of tensors, and of modules: what no file of `torch.save` says."""

import io

import pytest

import tensh as torch
from tensh.serialization.writing import JAGGED, NESTED


class Made:
    """What a file makes by a call of a function."""

    def __init__(self, *reduced):
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced


def loaded(value, **options):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)


def parts(count):
    """Arguments of a nested tensor whose parts lie in the same place; the numbers that say so have one place each, too."""
    one = torch.tensor([[1]])
    return torch.ones(1), one.expand(count, 1), one.expand(count, 1), torch.tensor([0]).expand(count)


def lengths(count):
    facts = {"values": torch.ones(1), "offsets": torch.tensor([0]).expand(count), "lengths": None, "_ragged_idx": 1}
    return facts | {"_metadata_cache": {}, "requires_grad": False}


pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
MANY = {
    "strided": lambda count: [Made(NESTED, parts(count))],
    "strided, again and again": lambda count: [
        Made(NESTED, given) for given in [parts(20)] for _ in range(count // 20)
    ],
    "jagged": lambda count: [Made(JAGGED, (lengths(count),))],
}


@pytest.mark.parametrize("make", MANY.values(), ids=MANY.keys())
def test_parts_of_nested_tensors_are_counted(make, monkeypatch):
    monkeypatch.setattr("tensh.serialization.unpickling.NUMBERS", 0)
    assert loaded(make(20))
    with pytest.raises(
        RuntimeError, match="damaged: its nested tensors have more parts than a file of its length can hold"
    ):
        loaded(make(20_000))


def test_a_module_without_its_state_is_refused():
    with pytest.raises(RuntimeError, match="damaged: it contains a module without its state"):
        loaded([Made(torch.nn.Linear, ())], weights_only=False)
    assert isinstance(loaded([torch.nn.Linear(1, 1)], weights_only=False)[0], torch.nn.Linear)
