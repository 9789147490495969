"""Modules to script: the Python that TorchScript takes."""

# ruff: noqa: B007, UP006, UP035, UP045

from typing import Dict, Optional, Tuple

from tests.jit.scripted_programs import make_modules


def make_scripted_modules(torch):
    """Return name -> module."""
    nn, F, Tensor = torch.nn, torch.nn.functional, torch.Tensor

    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.times = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU()), 2

        def forward(self, x):
            h = self.first(x)
            if self.training:
                h = F.dropout(h, 0.5)
            return self.second(h) * self.times

    class Layers(nn.Module):
        __constants__ = ["scale"]
        size: torch.jit.Final[int]

        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
            self.table = nn.ModuleDict({"act": nn.ReLU()})
            self.scale, self.size, self.nothing, self.numbers = 3, 4, None, [1, 2]
            self.weight = nn.Parameter(torch.zeros(3))
            self.register_buffer("count", torch.zeros(3))

        def helper(self, x, k: int = 2):
            return x * k

        def forward(self, x):
            y = self.helper(x)
            for i, layer in enumerate(self.layers):
                y = layer(y) + i
            if self.nothing is None:
                y = y + self.scale + self.size
            self.count += 1
            for name, layer in self.table.items():
                y = layer(y)
            return self.layers[0](y + self.weight), self.numbers[0]

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.rnn, self.norm = nn.Embedding(5, 3), nn.LSTM(3, 4), nn.LayerNorm(4)

        def forward(self, i: Tensor, state: Optional[Tuple[Tensor, Tensor]] = None):
            out, (h, c) = self.rnn(self.embedding(i), state)
            return self.norm(out), h, c

    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.loss, self.weights = nn.CrossEntropyLoss(), {"a": 1.0}

        def forward(self, x, targets: Dict[str, Tensor]):
            total = torch.zeros([])
            for name, target in targets.items():
                if name in self.weights:
                    total += self.loss(x, target) * self.weights[name]
            return total

    class Ignoring(nn.Module):
        @property
        def half(self) -> float:
            return 0.5

        @torch.jit.unused
        @property
        def described(self):
            return object()

        @torch.jit.ignore
        def python(self, x, k: int) -> Tensor:
            return x * k

        @torch.jit.ignore
        def note(self, x) -> None:
            pass

        def forward(this, x):
            this.note(x)
            return this.python(x, 3) * this.half

    models = Gated(), Layers(), Recurrent(), Loss(), Ignoring()
    return {type(each).__name__: each for each in models} | make_modules(torch)
