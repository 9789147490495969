"""Modules whose methods have wrong types."""

# ruff: noqa

from typing import Optional


def make(torch):
    """Return name -> module; each method becomes the ``forward`` of one."""
    Tensor, nn = torch.Tensor, torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.k = 3
            self.lin = nn.Linear(2, 2)
            self.names = ["a"]
            self.nothing = None

        def helper(self, x, k: int):
            return x * k

        def broken(self, x):
            return x + missing

    def unknown_member(self, x):
        return self.foo(x)

    def unknown_value(self, x):
        return x + self.missing

    def assigns_a_float(self, x):
        self.k = 2.0
        return x

    def assigns_to_none(self, x):
        self.nothing = x
        return x

    def assigns_a_new_member(self, x):
        self.new = 1
        return x

    def calls_method_wrong(self, x):
        return self.helper(x, "a")

    def calls_method_with_few(self, x):
        return self.helper(x)

    def calls_broken(self, x):
        return self.broken(self.lin(x))

    def unknown_member_of_layer(self, x):
        return self.lin.wight

    def layer_of_number(self, x):
        return self.lin(3)

    def layer_of_two(self, x):
        return self.lin(x, x)

    def layer_of_optional(self, x: Optional[Tensor]):
        return self.lin(x)

    def number_and_text(self, x):
        return self.k + "a"

    def texts_and_number(self, x):
        return self.names + 1

    def calls_a_number(self, x):
        return self.k(x)

    def result_of_method(self, x):
        y = self.helper(x, 2)
        return y + [1]

    methods = {name: each for name, each in locals().items() if name not in ("torch", "Tensor", "nn", "Net")}
    return {name: type("Net", (Net,), {"forward": each})() for name, each in methods.items()}
