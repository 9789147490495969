"""Functions whose graphs end within a statement, written for either library: name -> (function, number of graphs)."""


def make_functions(torch):
    """Return functions of a matrix of positive numbers."""

    @torch._dynamo.disable
    def apart(x, k=2):
        return x * k

    def alone(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    def within_sum(x):
        return apart(x + 1) + 1

    def among_arguments(x):
        a = x + 1
        b = torch.cat([apart(a), a.sin()])
        return b.sum()

    def item(x):
        y = x.sin()
        return y.cos() * y.sum().item()

    def first_operand(x):
        return x * x.sum().item() + 1

    def returned_condition(x):
        if x.sum() > 3:
            return x + 1
        return x - 1

    def inner(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos()

    def called(x):
        return inner(x + 1) * 2

    def draws(x):
        y = x + torch.rand(3)
        torch._dynamo.graph_break()
        return y + torch.rand(3)

    def writes(x):
        x.add_(1)
        torch._dynamo.graph_break()
        return x * 2

    def skipped(x):
        y = x + 1
        torch._dynamo.skip_frame("for a reason")
        return y * 2

    return {
        "alone": (alone, 2), "within a sum": (within_sum, 2), "among arguments": (among_arguments, 2), "item": (item, 2),
        "first operand": (first_operand, 2), "condition": (returned_condition, 2), "called": (called, 4), "draws": (draws, 2),
        "writes": (writes, 2), "lambda": (lambda x: apart(x + 1) + 1, 2),
        "skipped": (skipped, 0),
    }  # fmt: skip


def run(torch, function):
    """Return (the code of the graphs that the first call makes, the results of two calls, what they wrote)."""
    graphs = []

    def backend(module, inputs):
        graphs.append(module.code.replace("tensh", "torch"))
        return module.forward

    compiled, made = torch.compile(function, backend=backend), []
    for _ in range(2):
        torch.manual_seed(0)
        x = torch.arange(1.0, 7.0).view(2, 3)
        made += [compiled(x).tolist(), x.tolist(), torch.rand(1).item()]
        count = len(graphs)
    return graphs, count, made
