"""Functions of a matrix and numbers that vary between calls, written for either library: name -> (function, its numbers)."""


def make_functions(torch):
    """Return functions, the numbers of their calls, and the number of graphs."""
    floats = [(1.5,), (2.5,), (1.0,), (0.0,), (4.5,)]

    def default(x, n=3):
        return x * n

    def multiply(x, n):
        return (x * n).sin()

    def checkpoint(x, n):
        return torch.utils.checkpoint.checkpoint(multiply, x, n, use_reentrant=False)

    return {
        "product": (lambda x, s: x * s, floats, 2),
        "arithmetic": (lambda x, s: x * s + s**2 - 1, floats, 2),
        "comparison": (lambda x, s: x + 1 if s > 2 else x * s, [(1.5,), (2.5,), (3.5,)], 2),
        "keyword": (lambda x, s: torch.clamp(x, max=s), floats, 2),
        "returned": (lambda x, s: (x * 2, s), floats, 2),
        "both": (lambda x, s, n: x * s + n, [(1.5, 2), (2.5, 2), (3.5, 3), (4.5, 4)], 3),
        "whole": (lambda x, n: x * n, [(2,), (3,), (1,), (0,), (1,)], 2),
        "whole from zero": (lambda x, n: x * n, [(0,), (1,), (2,), (3,)], 2),
        "compared with one": (lambda x, n: x * 2 if n == 1 else x * n, [(2,), (1,), (3,), (0,), (4,)], 3),
        "filled": (lambda x, s: torch.full((2,), s) + x[0, 0], floats, 2),
        "checkpoint": (checkpoint, [(2,), (3,), (4,)], 2),
        "default": (default, [(), (4,), (5,), ()], 2),
    }


def run(torch, function, numbers, **options):
    """Return (the code of the graphs, the results of all calls)."""
    compiled, graphs = compile_function(torch, function, **options)
    x = torch.arange(6.0).view(2, 3)
    return graphs, [list_values(compiled(x, *each)) for each in numbers]


def run_held(torch, function, change, more, numbers, **options):
    """Return (the code of the graphs, the results of calls after ``change(number)``, with ``more`` arguments)."""
    (compiled, graphs), x, made = compile_function(torch, function, **options), torch.arange(6.0).view(2, 3), []
    for number in numbers:
        change(number)
        made.append(list_values(compiled(x, *more)))
    return graphs, made


def run_counting(torch, function, read, **options):
    """Return (the code of the graphs, for each call the results or the error, and what it has left)."""
    (compiled, graphs), x, made = compile_function(torch, function, **options), torch.arange(6.0).view(2, 3), []
    for _ in range(5):
        try:
            result = list_values(compiled(x))
        except ValueError as error:
            result = str(error)
        made.append((result, read(), type(read())))
    return graphs, made


def compile_function(torch, function, **options):
    """Return (the compiled function, a list that gets the code of its graphs)."""
    graphs = []

    def backend(module, inputs):
        graphs.append(module.code.replace("tensh", "torch"))
        return module.forward

    return torch.compile(function, backend=backend, **options), graphs


def list_values(result):
    """Return the parts of a result as numbers and lists."""
    return [
        each.tolist() if hasattr(each, "tolist") else each for each in (result if type(result) is tuple else [result])
    ]
