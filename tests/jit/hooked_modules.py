"""Modules to script with hooks, with members that may be None, lists of constants, and methods that scripts must not call."""

# ruff: noqa: UP006, UP035, UP045

from typing import Optional, Tuple


def make_hooked_modules(torch):
    """Return name -> module of a tensor."""
    nn, Tensor = torch.nn, torch.Tensor

    class Scale(nn.Module):
        def forward(self, x, k: int):
            return x * k

    class Clip(nn.Module):
        def forward(self, x):
            return x.relu()

    class Hooked(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.relu = Scale(), Clip()

            def double(mod, inp: Tuple[Tensor, int]) -> Tuple[Tensor, int]:
                return inp[0] * 2, inp[1]

            def look(mod, inp: Tuple[Tensor, int], out: Tensor):
                assert out.dim() == 2

            def shift(mod, inp: Tuple[Tensor, int], out: Tensor) -> Tensor:
                return out + inp[1]

            def triple(mod, inp: Tuple[Tensor]) -> Tensor:
                return inp[0] * 3

            self.scale.register_forward_pre_hook(double)
            self.scale.register_forward_hook(shift)
            self.scale.register_forward_hook(look)
            self.relu.register_forward_pre_hook(triple)

        def forward(self, x):
            return self.relu(self.scale(x, 3))

    class Keeping(nn.Module):
        kept: Optional[Tensor]

        def __init__(self):
            super().__init__()
            self.kept = None

        def forward(self, x):
            if self.kept is None:
                self.kept = x
            kept = self.kept
            assert kept is not None
            return kept + x

    class Choosing(nn.Module):
        __constants__ = ["sizes"]

        def __init__(self):
            super().__init__()
            self.sizes, self.layers = [1, 2], nn.ModuleList([nn.ReLU(), nn.Tanh()])
            self.others = nn.ModuleList([nn.Sigmoid(), nn.ReLU()])

        @torch.jit.unused
        def other(self, x: Tensor) -> Tensor:
            return x

        def forward(self, x, flag: bool = False):
            if flag:
                return self.other(x)
            for size in self.sizes:
                x = x + size
            for one, two in zip(self.layers, self.others):
                x = two(one(x))
            return self.layers[0](x)

    models = Hooked(), Keeping(), Choosing()
    return {type(each).__name__: each for each in models}
