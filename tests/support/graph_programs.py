"""Small programs whose graphs, values and derivatives are compared with PyTorch's (tests/oracle/test_graph_programs.py).

A program is one or several statements; the last is an expression, whose value is differentiated. Every program
gets new leaves:

    s, t      numbers without a dimension          c, d, e   complex: two (2, 3), one number
    u, v      (3,)                                 f         float32 (2, 3)
    x, y      (2, 3)                               i         int64 [2, 0, 2], no gradient
    p         (2, 3), positive                     m         bool (2, 3), no gradient
    A, B, C   (3, 4), (2, 3, 4), (2, 4, 5)         q         (2, 3), no gradient
    S, P      (3, 3): any, positive definite       E         (0, 3)
    image, kernel, bias                            (1, 2, 5, 5), (2, 2, 3, 3), (2,)

and the function ``grad(y, x)`` (the gradient of y to x, recorded) and the classes of ``FUNCTIONS``.

``graph_programs.txt`` has one program on each line. Before a program, ``~`` says that the graph of its gradient differs for
the same values, ``=`` that its own graph does.
"""

from pathlib import Path

LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
PROGRAMS = [line for line in LINES if line and not line.startswith("#")]

FUNCTIONS = """
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        out = a.exp()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return g * out


class Mul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b if isinstance(b, torch.Tensor) else None)
        ctx.number = b
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * (ctx.number if b is None else b), g * a if ctx.needs_input_grad[1] else None


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2, a * a

    @staticmethod
    def backward(ctx, g, h):
        (a,) = ctx.saved_tensors
        return g * 2 + h * 2 * a


class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a

    @staticmethod
    def backward(ctx, g):
        return g * 1


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Separate(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, factor):
        ctx.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None
"""
