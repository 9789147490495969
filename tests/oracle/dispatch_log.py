"""A record of the operators that a dispatch mode sees."""

from importlib import import_module


def make_log(m, show):
    """Return a dispatch mode of ``m`` whose context is the list of what ``show(operator, args, options)`` says of calls."""

    class Log(import_module(f"{m.__name__}.utils._python_dispatch").TorchDispatchMode):
        def __enter__(self):
            self.seen = []
            super().__enter__()
            return self.seen

        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            self.seen.append(show(operator, args, kwargs or {}))
            return operator(*args, **(kwargs or {}))

    return Log()
