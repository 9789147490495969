"""Scripts that call traced functions and modules."""

# ruff: noqa: UP006, UP035

from typing import List


def make_scripts_of_traces(torch):
    """Return name -> function or module of a tensor of two columns."""
    nn, F, trace, ones = torch.nn, torch.nn.functional, torch.jit.trace, torch.ones(1, 2)
    torch.manual_seed(0)
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

    def scale(x):
        return x @ weight + torch.tensor(2.0)

    def add_pair(p):
        return p[0] + p[1]

    def multiply_list(l):
        return l[0] * l[1]

    def subtract_entries(d):
        return d["a"] - d["b"]

    @torch.jit.script
    def branch(x):
        if bool(x.sum() > 0):
            return x * 2
        return -x

    def call_script(x):
        return branch(x) + 1

    def give_two(x):
        return x + 1, x * 2

    scaled, two, scripted = trace(scale, ones), trace(give_two, ones), trace(call_script, ones)
    paired, listed = trace(add_pair, ((ones, ones),)), trace(multiply_list, ([ones, ones],))
    entries = trace(subtract_entries, ({"a": ones, "b": ones},))
    linear = trace(nn.Linear(2, 2), ones)

    def f_constants(x):
        return scaled(x) * scaled(-x)

    def f_pair(x):
        return paired((x, x))

    def f_list(x):
        return listed([x, x])

    def f_entries(x):
        return entries({"a": x, "b": x * 3})

    def f_script(x):
        return scripted(x) + branch(-x)

    def f_two(x):
        a, b = two(x)
        return a * b

    def f_loop(x):
        for _ in range(3):
            x = scaled(x)
        return x

    def f_by_name(x):
        return scaled(x=x)

    class Branch(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2)
            self.traced = trace(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2)), ones)

        def forward(self, x):
            if x.sum() > 0:
                return self.traced(self.first(x))
            return self.traced(x)

    class Listed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([trace(nn.Linear(2, 2), ones) for _ in range(2)])
            self.table = nn.ModuleDict({"a": trace(nn.Linear(2, 2), ones)})
            self.both = nn.Sequential(trace(nn.Linear(2, 2), ones), nn.ReLU())

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.both(self.table["a"](x))

    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = self.other = linear

        def forward(self, x):
            return self.one(x) + self.other(x)

    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.register_buffer("count", torch.ones(2))

        def forward(self, x):
            return self.linear(x) + self.count

        def other(self, x):
            return self.linear(x) * 2

    class Methods(nn.Module):
        def __init__(self):
            super().__init__()
            self.traced = torch.jit.trace_module(Two(), {"forward": ones, "other": ones})
            self.extra = nn.Parameter(torch.ones(2))

        def forward(self, x):
            words: List[str] = ["a"]
            if "a" in words:
                x = x * self.extra
            return self.traced(x) + self.traced.other(x)

    class Same(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = trace(nn.Linear(2, 2), ones)
            self.other = nn.Linear(2, 2)
            self.third = trace(nn.Linear(2, 2), ones)

        def forward(self, x):
            return self.one(x) + self.other(x) + self.third(x) + F.linear(x, self.one.weight, self.one.bias)

    class Choice(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))

        def forward(self, x):
            if bool(x.sum() > 0):
                return x * self.weight
            return x - 1

    class AfterChoice(nn.Module):
        def __init__(self):
            super().__init__()
            self.choice, self.linear = torch.jit.script(Choice()), nn.Linear(2, 2)

        def forward(self, x):
            return self.linear(self.choice(x)) + self.choice(-x)

    class TracedChoice(nn.Module):
        def __init__(self):
            super().__init__()
            self.traced = trace(AfterChoice(), ones)

        def forward(self, x):
            return self.traced(x) * self.traced(-x)

    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.methods, self.shared = Methods(), Shared()

        def forward(self, x):
            return self.shared(self.methods(x))

    functions = {name: each for name, each in locals().items() if name.startswith("f_")}
    return functions | {each.__name__: each() for each in (Branch, Listed, Shared, Methods, Same, TracedChoice, Deep)}
