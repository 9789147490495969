"""Functions to script as programs have them: containers, refined types, elements as lists, loops over parameters."""

# ruff: noqa: C416, UP006, UP007, UP035, UP045

from typing import Any, Dict, Final, List, Optional, Tuple, Union


def make_functions(torch):
    """Return name -> function of typed arguments."""
    Tensor = torch.Tensor

    def p_lists_of_elements(x):
        whole: List[List[float]] = x.tolist()
        total: float = x.sum().tolist()
        return whole, total

    def p_instance_of_list(x: Any):
        if torch.jit.isinstance(x, List[int]):
            return x[0]
        return 0

    def p_no_sizes(x):
        zero = torch.zeros((), dtype=x.dtype, device=x.device)
        return zero + torch.full((), 2.0), x.sum(()), x.new_zeros(()), x[0].expand(()), x[0].permute(())

    def p_list_of_range(n: int):
        return list(range(n)), [i for i in range(1, n)], [x for x in torch.ones(2)]

    def p_sizes_of_scalars(x):
        none = ()
        scalar = torch.zeros((), dtype=x.dtype) + torch.full((), 2.0) + torch.ones(none)
        return scalar, scalar.view(()), scalar.expand(()), x.sum(()), x.new_zeros(size=()), scalar.permute(())

    def p_any_number(x, y: Union[int, float, complex]):
        return x * y, y

    def p_search(scores: Tensor, k: int) -> Tuple[List[int], float]:
        best: List[int] = []
        total = 0.0
        for t in range(scores.size(0)):
            values, places = scores[t].topk(k)
            best.append(int(places[0]))
            total += float(values[0])
        return best, total

    def p_optional_elements(xs: List[Optional[int]]) -> int:
        total = 0
        for x in xs:
            if x is not None:
                total += x
        return total

    def p_optional_values(d: Dict[str, Optional[Tensor]]):
        x = d["a"]
        if x is not None:
            return x
        return torch.zeros(1)

    def p_least():
        return min(1, 2.5), max(2, 1.5)

    def s_break_and_continue(x: int):
        s = 0
        for i in range(10):
            if i == 2:
                continue
            if i > x:
                break
            s += i
        return s

    def s_break_and_continue_over_lists(x: list[list[int]]):
        s = 0
        for v in x:
            for w in v:
                if w == 0:
                    break
                if w < 0:
                    continue
                s += w
            if s > 20:
                break
        return s

    return {name: each for name, each in locals().items() if name.startswith(("p_", "s_"))}


def make_modules(torch):
    """Return name -> module."""
    nn, F = torch.nn, torch.nn.functional

    class Weights(nn.Module):
        SIZE: Final[int] = 3
        __constants__ = ["sizes", "name"]

        def __init__(self):
            super().__init__()
            self.weights = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))])
            self.sizes, self.name, self.activation = [1, 2], "n", torch.tanh

        def forward(self, x):
            for weight in self.weights:
                x = x + weight
            return self.activation(x).view(self.sizes) * self.SIZE, self.name

    class Attention(nn.Module):
        def __init__(self, width: int, heads: int):
            super().__init__()
            self.query, self.heads, self.scale = nn.Linear(width, width), heads, width**-0.5

        def forward(self, x, mask: Optional[torch.Tensor] = None):
            b, n, d = x.shape
            q = self.query(x).view(b, n, self.heads, d // self.heads).transpose(1, 2)
            w = torch.matmul(q, q.transpose(-2, -1)) * self.scale
            if mask is not None:
                w = w.masked_fill(mask == 0, float("-inf"))
            return F.softmax(w, dim=-1)

    return {"Weights": Weights(), "Attention": Attention(4, 2)}
