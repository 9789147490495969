"""A sequence of functions that change and return an object: the older manager of passes."""

import logging
from functools import wraps
from inspect import unwrap

from tensh.fx.passes.infra.pass_manager import Schedule, this_before_that_pass_constraint

__all__ = [
    "PassManager", "inplace_wrapper", "log_hook", "loop_pass", "these_before_those_pass_constraint",
    "this_before_that_pass_constraint",
]  # fmt: skip

logger = logging.getLogger(__name__)


def inplace_wrapper(fn):
    """Return a pass that returns its argument, which ``fn`` changes."""

    @wraps(fn)
    def change(gm, *args, **kwargs):
        fn(gm, *args, **kwargs)
        return gm

    return change


def log_hook(fn, level=logging.INFO):
    """Return a pass whose results are logged."""

    @wraps(fn)
    def call_and_log(*args, **kwargs):
        result = fn(*args, **kwargs)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, result)
        return result

    return call_and_log


def loop_pass(base_pass, n_iter=None, predicate=None):
    """Return a pass that repeats another ``n_iter`` times, or while ``predicate(result)`` is true.

    Raise AssertionError unless one of both is given.
    """
    if (n_iter is None) == (predicate is None):
        raise AssertionError("Exactly one of `n_iter`or `predicate` must be specified.")

    @wraps(base_pass)
    def repeat(source):
        if predicate is not None:
            while predicate(source):
                source = base_pass(source)
            return source
        if n_iter <= 0:
            raise RuntimeError(
                f"loop_pass must be given positive int n_iter (given {n_iter}) xor predicate (given {predicate})"
            )
        for _ in range(n_iter):
            source = base_pass(source)
        return source

    return repeat


def these_before_those_pass_constraint(these, those):
    """Return the constraint that ``these`` come before ``those``, whatever wraps them."""
    return lambda a, b: unwrap(a) != those or unwrap(b) != these


class PassManager(Schedule):
    """Calls ``passes`` one after the other; ``constraints`` say of two passes whether the first may come before the second.

    >>> from tensh.fx.passes.pass_manager import PassManager, inplace_wrapper
    >>> PassManager([inplace_wrapper(lambda names: names.append("a")), inplace_wrapper(list.reverse)])(["b"])
    ['a', 'b']
    """

    def __init__(self, passes=None, constraints=None):
        super().__init__(passes or [], constraints or [])

    @classmethod
    def build_from_passlist(cls, passes):
        """Return a manager of passes without constraints."""
        return cls(passes)

    def remove_pass(self, _passes):
        """Remove the passes with these names."""
        if _passes is not None:
            self.passes = [each for each in self.passes if each.__name__ not in _passes]
            self._validated = False

    def replace_pass(self, _target, _replacement):
        """Replace the passes with the name of one by another."""
        self.passes = [_replacement if each.__name__ == _target.__name__ else each for each in self.passes]
        self._validated = False

    def validate(self):
        """Raise RuntimeError if the order of the passes violates a constraint."""
        if self._validated:
            return
        for constraint in self.constraints:
            for i, a in enumerate(self.passes):
                for j, b in enumerate(self.passes[i + 1 :]):
                    if not constraint(a, b):
                        raise RuntimeError(
                            f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} and {b} at index{j} "
                            "in pass list."
                        )
        self._validated = True

    def __call__(self, source):
        """Call all passes, and return the result of the last."""
        self.validate()
        for each in self.passes:
            source = each(source)
        return source
