"""A sequence of passes in an order that their constraints allow, repeated a given number of times."""

from tensh.fx.graph_module import GraphModule
from tensh.fx.passes.infra.pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def pass_result_wrapper(fn):
    """A function of a graph module, which returns nothing or a module, as a pass."""
    if fn is None or hasattr(fn, "call"):
        return fn

    def wrapped(module):
        result = fn(module)
        return result if isinstance(result, PassResult) else PassResult(module if result is None else result, True)

    wrapped.__name__ = getattr(fn, "__name__", type(fn).__name__)
    return wrapped


def this_before_that_pass_constraint(this, that):
    """A constraint: where both are among the passes, ``this`` comes before ``that``."""

    def holds(a, b):
        return not (a == that and b == this)

    return holds


class PassManager:
    """Runs ``passes`` one after the other, the whole list ``steps`` times or until nothing changes any more.

    ``constraints`` are functions of two passes that say whether the first may come before the second. Raise RuntimeError where no
    order fits. ``run_checks_after_each_pass`` calls the checks that were added.
    """

    def __init__(
        self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False, suppress_check_failures=False
    ):
        self.passes, self.constraints = list(passes or []), list(constraints or [])
        self.steps = 1 if steps is None else steps
        self.run_checks_after_each_pass, self.suppress_check_failures = (
            run_checks_after_each_pass,
            suppress_check_failures,
        )
        self._checks, self._validated = [], False

    def add_pass(self, _pass):
        """Add a pass at the end."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint):
        """Add a constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def add_checks(self, check):
        """Add a function of the graph module that raises where something is wrong."""
        self._checks.append(check)

    def check(self, module):
        """Call the checks."""
        for each in self._checks:
            each(module)

    def solve_constraints(self):
        """Put the passes into an order that the constraints allow.  Raise RuntimeError if there is none."""
        left, ordered = list(self.passes), []
        while left:
            first = next(
                (
                    each
                    for each in left
                    if all(rule(each, other) for rule in self.constraints for other in left if other is not each)
                ),
                None,
            )
            if first is None:
                raise RuntimeError(
                    f"Circular dependency detected among the following passes: {[getattr(each, '__name__', each) for each in left]}"
                )
            left.remove(first)
            ordered.append(first)
        self.passes, self._validated = ordered, True

    def validate_constraints(self):
        """Raise RuntimeError where the passes are not in an order that the constraints allow."""
        for place, each in enumerate(self.passes):
            for other in self.passes[place + 1 :]:
                if not all(rule(each, other) for rule in self.constraints):
                    raise RuntimeError(
                        f"pass schedule constraint violated. Expected {each} before {other} but found {each} at index {place}"
                    )
        self._validated = True

    def __call__(self, module):
        """The ``PassResult`` of all passes."""
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        modified = False
        for _ in range(self.steps):
            changed = False
            for each in self.passes:
                result = each(module)
                if not isinstance(result, PassResult):
                    raise TypeError(
                        f"The result of the pass {getattr(each, '__name__', type(each).__name__)} should be type PassResult. Please wrap it with pass_result_wrapper()"
                    )
                module, changed = result.graph_module, changed or result.modified
                if isinstance(module, GraphModule):
                    module.recompile()
                if self.run_checks_after_each_pass:
                    self.check(module)
            modified = modified or changed
            if not changed:
                break
        return PassResult(module, modified)
