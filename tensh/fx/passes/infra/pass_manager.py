"""A sequence of passes in an order that satisfies their constraints, repeated a given number of times."""

from inspect import isfunction

from tensh.fx.graph_module import GraphModule
from tensh.fx.passes.infra.pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def pass_result_wrapper(fn):
    """Turn a function of a graph module, which returns None or a module, into a pass."""
    if fn is None or hasattr(fn, "call"):
        return fn

    def wrapped(module):
        result = fn(module)
        return result if isinstance(result, PassResult) else PassResult(module if result is None else result, True)

    wrapped.__name__ = getattr(fn, "__name__", type(fn).__name__)
    return wrapped


def this_before_that_pass_constraint(this, that):
    """Return the constraint that ``this`` comes before ``that`` if both are among the passes."""

    def holds(a, b):
        return not (a == that and b == this)

    return holds


def name_of(each):
    """Return the name of a pass: that of a function, or of its class."""
    return each.__name__ if isfunction(each) else type(each).__name__


class Schedule:
    """A list of ``passes``, and the ``constraints`` on their order."""

    def __init__(self, passes, constraints):
        self.passes, self.constraints, self._validated = passes, constraints, False

    def add_pass(self, _pass):
        """Append a pass."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint):
        """Add a constraint."""
        self.constraints.append(constraint)
        self._validated = False


class PassManager(Schedule):
    """Runs ``passes`` one after the other, the whole list ``steps`` times or until nothing changes any more.

    ``constraints`` are functions of two passes that return True if the first may come before the second. Raise
    RuntimeError if no order satisfies them. ``run_checks_after_each_pass`` calls the added checks.
    """

    def __init__(
        self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False, suppress_check_failures=False
    ):
        super().__init__(list(passes or []), list(constraints or []))
        self.steps = 1 if steps is None else steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._checks = []

    def add_checks(self, check):
        """Add a function that raises if the graph module is invalid."""
        self._checks.append(check)

    def check(self, module):
        """Call the checks."""
        for each in self._checks:
            each(module)

    def solve_constraints(self):
        """Sort the passes to satisfy the constraints.  Raise RuntimeError if that is impossible."""
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
        """Raise RuntimeError if the order of the passes violates a constraint."""
        for place, each in enumerate(self.passes):
            for other in self.passes[place + 1 :]:
                if not all(rule(each, other) for rule in self.constraints):
                    raise RuntimeError(
                        f"pass schedule constraint violated. Expected {each} before {other} but found {each} at index {place}"
                    )
        self._validated = True

    def run(self, each, module):
        """Run a pass, and check its result.  Raise TypeError for a result of another type."""
        result = each(module)
        if not isinstance(result, PassResult):
            raise TypeError(
                f"The result of the pass {name_of(each)} should be type PassResult.Please wrap it with pass_result_wrapper()"
            )
        if isinstance(result.graph_module, GraphModule):
            result.graph_module.recompile()
        if self.run_checks_after_each_pass:
            self.check(result.graph_module)
        return result

    def __call__(self, module):
        """Run all passes; return a ``PassResult``.  Raise Exception, caused by the failure of a pass, which it names."""
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        modified = False
        for _ in range(self.steps):
            changed = False
            for place, each in enumerate(self.passes):
                try:
                    result = self.run(each, module)
                except Exception as error:
                    before = [name_of(each) for each in self.passes[:place]]
                    raise Exception(
                        f"An error occurred when running the '{name_of(each)}' pass after the following passes: {before}"
                    ) from error
                module, changed = result.graph_module, changed or result.modified
            modified = modified or changed
            if not changed:
                break
        return PassResult(module, modified)
