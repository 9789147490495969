"""Models to export, and their programs as files."""

import io

import tensh as torch
from tests.support.zoo import make_models

MODELS = {name: (model.eval(), inputs) for name, (model, inputs) in make_models(torch).items()}


def same(a, b):
    if isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in b)
    if isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return torch.equal(a, b) if isinstance(b, torch.Tensor) else a == b


def saved(program):
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return file


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        self.register_buffer("shift", torch.zeros(4))
        self.scale = torch.ones(4)

    def forward(self, x, y=None):
        z = (self.linear(x) + self.shift) * self.scale + torch.tensor([1.0, 2.0, 3.0, 4.0])
        return {"z": z.view(x.shape[0] * 2, 2), "n": 3}


def make_counting(torch):
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.zeros(1))
            self.register_buffer("total", torch.zeros(1))
            self.register_buffer("scale", torch.ones(1), persistent=False)
            self.norm = torch.nn.BatchNorm1d(2)

        def forward(self, x, factor, *, name="a", more=(1, None)):
            self.steps.add_(1)
            self.total = self.total + factor
            x.mul_(2)
            return self.norm(x + torch.rand(2)) * self.scale * self.steps + self.total, x.max(1)

    return Counting()
