"""The choice of a function for a divergence: the one registered for the nearest classes of p and q."""

import warnings

_KL_REGISTRY = {}  # (class of p, class of q) -> function
_KL_MEMOIZE = {}  # (class of p, class of q) -> the function found for them


def register_kl(type_p, type_q):
    """Return a decorator that registers a function ``kl_divergence(p, q)`` for classes of p and q and their subclasses.

    The function for the nearest classes is used; where p and q disagree, a RuntimeWarning names the pair to register.
    ``type_p`` and ``type_q`` are the classes.

    >>> import tensh as torch
    >>> from tensh.distributions import Normal, kl_divergence, register_kl
    >>> class Mine(Normal):
    ...     pass
    >>> @register_kl(Mine, Mine)
    ... def between(p, q):
    ...     return p.loc - q.loc
    >>> kl_divergence(Mine(3., 1.), Mine(1., 1.)), kl_divergence(Mine(3., 1.), Normal(1., 1.))
    (tensor(2.), tensor(2.))
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(function):
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()  # the new one may be nearer
        return function

    return decorator


def _dispatch_kl(type_p, type_q):
    """Return the function for two classes, or NotImplemented."""
    near_p, near_q = type_p.__mro__, type_q.__mro__
    fitting = [(p, q) for p, q in _KL_REGISTRY if p in near_p and q in near_q]
    if not fitting:
        return NotImplemented
    by_p = min(fitting, key=lambda pair: (near_p.index(pair[0]), near_q.index(pair[1])))
    by_q = min(fitting, key=lambda pair: (near_q.index(pair[1]), near_p.index(pair[0])))
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({by_p[0].__name__}, {by_q[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[by_p]


def kl_divergence(p, q):
    """Return the Kullback-Leibler divergence, the mean of ``log(p(x) / q(x))`` over x of p; shape ``batch_shape``.

    Raise NotImplementedError if no function is registered for their classes.

    >>> import tensh as torch
    >>> from tensh.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(torch.tensor([0., 1.]), 1.), Normal(0., 1.))
    tensor([0.0000, 0.5000])
    """
    kinds = type(p), type(q)
    function = _KL_MEMOIZE.get(kinds)
    if function is None:
        function = _KL_MEMOIZE[kinds] = _dispatch_kl(*kinds)
    if function is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {kinds[0].__name__} and q type {kinds[1].__name__}"
        )
    return function(p, q)
