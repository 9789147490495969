"""Correct modules."""

# ruff: noqa

from typing import Dict, Final, List, Optional


def make(torch):
    """Return name -> module."""
    F, Tensor, nn = torch.nn.functional, torch.Tensor, torch.nn

    class Net(nn.Module):
        limit: Final[int]
        names: List[str]

        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
            self.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
            self.norm = nn.LayerNorm(2)
            self.drop = nn.Dropout(0.1)
            self.weight = nn.Parameter(torch.ones(2))
            self.register_buffer("count", torch.zeros(1))
            self.register_parameter("bias", None)
            self.k, self.scale, self.limit, self.names, self.flag = 3, 2.0, 5, ["a"], True
            self.maybe: Optional[int] = None
            self.table = {"b": 1}

        def helper(self, x, k: int):
            return x * k + self.scale

        def forward(self, x, mask: Optional[Tensor] = None):
            x = self.layers(x)
            for block in self.blocks:
                x = x + F.relu(block(x))
            for i, block in enumerate(self.blocks):
                x = x + i * block(x)
            if self.training:
                x = self.drop(x)
            if self.bias is not None:
                x = x + self.bias
            self.count += 1
            self.k = self.k + 1
            if mask is not None:
                x = x.masked_fill(mask, 0.0)
            if self.flag and self.limit > 3:
                x = self.helper(x, self.k)
            self.table["a"] = 1
            return self.norm(x) * self.weight, self.names[0], self.layers[0].weight.shape[0], self.blocks[1](x)

        @torch.jit.export
        def more(self, k: int) -> int:
            return self.k + k

        @torch.jit.ignore
        def python(self, x):
            return missing

        @torch.jit.unused
        def never(self, x):
            return missing

    class Rnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(2, 3)
            self.gru = nn.GRU(2, 3)
            self.cell = nn.LSTMCell(2, 3)
            self.embed = nn.Embedding(5, 2)
            self.attention = nn.MultiheadAttention(2, 1)

        def forward(self, x):
            y, (h, c) = self.lstm(x)
            z, g = self.gru(x)
            a, w = self.attention(x, x, x)
            h1, c1 = self.cell(x[0])
            return y, h + c, z, g, a, h1, c1

    class Conv(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3, padding=1)
            self.norm = nn.BatchNorm2d(4)
            self.pool = nn.MaxPool2d(2)
            self.last = nn.AdaptiveAvgPool2d((1, 1))
            self.act = nn.GELU()
            self.up = nn.Upsample(scale_factor=2)

        def forward(self, x, sizes: List[int]):
            y = self.act(self.norm(self.conv(x)))
            y = self.up(self.pool(y))
            return torch.flatten(self.last(y), 1), y.shape[-2:], y.view(sizes)

    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.loss = nn.CrossEntropyLoss()
            self.mse = nn.MSELoss(reduction="sum")

        def forward(self, x, y):
            return self.loss(x, y) + self.mse(x, x)

    class Hybrid(nn.Module):
        def __init__(self):
            super().__init__()
            self.nets = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()})

        def forward(self, x):
            for name, net in self.nets.items():
                x = net(x)
            for net in self.nets.values():
                x = net(x)
            return self.nets["a"](x)

    return {each.__name__: each() for each in (Net, Rnn, Conv, Loss, Hybrid)}
