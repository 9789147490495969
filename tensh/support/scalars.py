"""Numbers that a program reports step by step, for those who watch it: ``SummaryWriter.add_scalar`` tells them."""

import contextlib

watchers = []  # functions (name, number, step)


def tell(name, number, step):
    """Tell all watchers of a number."""
    for watch in [*watchers]:
        watch(name, number, step)


@contextlib.contextmanager
def watching(watch):
    """A context in which a function receives the reported numbers."""
    watchers.append(watch)
    try:
        yield
    finally:
        watchers.remove(watch)
