"""Functions that make tensors from data and that modes do not intercept: their results are constants of a trace."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import copy_of
from tensh.engine.dispatch.override.templates import code_of
from tensh.engine.methods.creation.legacy import construct
from tensh.engine.methods.creation.sharing import from_numpy, frombuffer

FILE = "<tensh makers>"
CODE = """
def made(*args, **options):
    answer = "ANSWER"
    return answer("MAKE", args, options)
"""
NAMES = {from_numpy: "torch.from_numpy", frombuffer: None, construct: "torch.Tensor"}
"""Function -> its name in PyTorch's warning, or None."""


class Makers:
    """A context that reports the results of these functions to a recorder."""

    def __init__(self, recorder):
        self.recorder = recorder

    def __enter__(self):
        self.codes = [(function, function.__code__) for function in NAMES]
        for function, code in self.codes:
            make, name = copy_of(function), NAMES[function]
            answer = self.watch(name)
            function.__code__ = code_of(CODE, FILE, len(code.co_freevars), {"ANSWER": answer, "MAKE": make})
        return self

    def __exit__(self, *failure):
        for function, code in self.codes:
            function.__code__ = code

    def watch(self, name):
        """Wrap a function; ``name`` is its name in warnings."""

        def answer(make, args, options):
            old = make.__name__ == "construct"  # (class, arguments, options, dtype or None)
            data, warned = (args[1], name if len(args) < 4 else None) if old else (args, name)
            made = self.recorder.free_value(make(*args, **options), warned)
            of_tensor = old and len(data) == 1 and isinstance(data[0], Tensor)
            return self.recorder.run("alias", data[0]) if of_tensor else made

        return answer
