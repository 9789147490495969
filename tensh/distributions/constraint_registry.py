"""torch.distributions.constraint_registry: transforms from the real numbers to a constraint.

``biject_to(constraint)`` is bijective and has a log_abs_det_jacobian, as sampling needs. ``transform_to(constraint)``
need not be: it may have more inputs than necessary, and prefers to act on each coordinate separately, which suits
optimization. The two differ for the simplex and for matrices.
"""

from tensh.distributions import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Factories of transforms, by the class of a constraint.

    >>> from tensh.distributions import ExpTransform, constraints
    >>> from tensh.distributions.constraint_registry import ConstraintRegistry
    >>> registry = ConstraintRegistry()
    >>> @registry.register(constraints.positive)
    ... def to_positive(constraint):
    ...     return ExpTransform()
    >>> registry(constraints.positive)
    ExpTransform()
    """

    def __init__(self):
        self._registry = {}
        super().__init__()

    def register(self, constraint, factory=None):
        """Use ``factory(constraint)`` for all constraints of a class, given as the class or one of its instances.

        Without a factory, return a decorator for it. Raise TypeError unless ``constraint`` is one.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, constraints.Constraint)):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint):
        """Return the transform for a constraint; raise NotImplementedError if its class is not registered."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _everywhere(*kinds):
    """Register a factory in both registries; it receives the registry, to look up constraints within a constraint."""

    def register(factory):
        for registry in (biject_to, transform_to):
            for kind in kinds:
                registry.register(kind, lambda constraint, registry=registry: factory(constraint, registry))
        return factory

    return register


@_everywhere(constraints.real)
def _to_real(constraint, registry):
    return transforms.identity_transform


@_everywhere(constraints.greater_than, constraints.greater_than_eq)
def _map_above(constraint, registry):
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@_everywhere(constraints.less_than)
def _map_below(constraint, registry):
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


@_everywhere(constraints.interval, constraints.half_open_interval)
def _map_between(constraint, registry):
    low, high = constraint.lower_bound, constraint.upper_bound
    if all(isinstance(bound, int | float) for bound in (low, high)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@_everywhere(constraints.corr_cholesky)
def _corr_cholesky(constraint, registry):
    return transforms.CorrCholeskyTransform()


@_everywhere(constraints.independent)
def _independent(constraint, registry):
    return transforms.IndependentTransform(registry(constraint.base_constraint), constraint.reinterpreted_batch_ndims)


@_everywhere(constraints.cat)
def _cat(constraint, registry):
    return transforms.CatTransform([registry(each) for each in constraint.cseq], constraint.dim, constraint.lengths)


@_everywhere(constraints.stack)
def _stack(constraint, registry):
    return transforms.StackTransform([registry(each) for each in constraint.cseq], constraint.dim)


@biject_to.register(constraints.simplex)
def _broken_stick(constraint):
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _softmax(constraint):
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _lower_cholesky(constraint):
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _positive_definite(constraint):
    return transforms.PositiveDefiniteTransform()
