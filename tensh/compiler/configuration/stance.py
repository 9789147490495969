"""The stance of compiled functions: ``torch.compiler.set_stance``."""

import functools

DEFAULT = "default"
EAGER = "force_eager"
EAGER_ON_RECOMPILE = "eager_on_recompile"
FAIL_ON_RECOMPILE = "fail_on_recompile"
EAGER_THEN_COMPILE = "eager_then_compile"
STANCES = (DEFAULT, EAGER, EAGER_ON_RECOMPILE, FAIL_ON_RECOMPILE, EAGER_THEN_COMPILE, "aot_eager_then_compile")
"""The last one already describes the default: the first call of every kind runs unchanged."""


class Stance:
    """The stance of all compiled functions."""

    now, unknown = DEFAULT, None  # the second is the text of a stance that compiled functions refuse

    def refuse_unknown(self):
        """Raise RuntimeError in a stance of unknown name, in which ``now`` is "force_eager"."""
        if self.unknown is not None:
            raise RuntimeError(f"invalid torch.compile stance '{self.unknown}'")


stance = Stance()


class set_stance:
    """Set how compiled functions are called: from now on, in a ``with`` block, or in a decorated function.

    "force_eager" runs them unchanged, "eager_on_recompile" runs calls without a graph unchanged, "fail_on_recompile"
    raises RuntimeError for them; "eager_then_compile" runs the first call of a function unchanged; "default" captures
    them.  Calls raise RuntimeError in a stance of any other name.  Raise RuntimeError for a ``force_backend`` with one
    that is not the default; it has no effect.

    >>> import tensh as torch
    >>> f = torch.compile(lambda x: x * 2)
    >>> with torch.compiler.set_stance("force_eager"):
    ...     f(torch.ones(2))
    tensor([2., 2.])
    """

    __module__ = "torch.compiler"

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        if force_backend is not None and stance != DEFAULT:
            raise RuntimeError("non-default stance cannot have force_backend set")
        known = stance in STANCES
        now = STANCES[STANCES.index(stance)] if known else EAGER  # the constant itself, which is compared by identity
        text = f"DynamoStance(stance={stance!r}, skip_guard_eval_unsafe={skip_guard_eval_unsafe!r}, backend=None)"
        self.wanted = now, None if known else text
        self.__enter__()

    def __enter__(self):
        self.before = vars(self).get("before", (stance.now, stance.unknown))
        stance.now, stance.unknown = self.wanted

    def __exit__(self, *failure):
        stance.now, stance.unknown = self.before

    def __call__(self, function):
        self.__exit__()

        @functools.wraps(function)
        def call_so(*args, **kwargs):
            before = stance.now, stance.unknown
            stance.now, stance.unknown = self.wanted
            try:
                return function(*args, **kwargs)
            finally:
                stance.now, stance.unknown = before

        return call_so
