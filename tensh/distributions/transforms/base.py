"""Transform: an invertible map with the logarithm of its volume change, and its inverse as a transform."""

from tensh.distributions import constraints
from tensh.distributions.utils import formula


class Transform:
    """A map ``y = t(x)`` with an inverse ``t.inv`` and ``log_abs_det_jacobian(x, y)``, the logarithm of ``|dy/dx|``.

    A subclass declares ``domain`` and ``codomain`` (constraints), ``bijective`` and possibly ``sign`` (+1 or -1:
    increasing or decreasing), and defines ``_call``, ``_inverse`` and ``log_abs_det_jacobian``. If it is not bijective,
    its inverse has ``t(t.inv(t(x))) == t(x)``. ``cache_size=1`` keeps the last pair of input and output, so that
    ``t.inv(y)`` is the same object ``x`` from which ``y`` was computed. Raise ValueError unless ``cache_size`` is 0 or
    1.

    >>> import tensh as torch
    >>> t = torch.distributions.ExpTransform()
    >>> y = t(torch.tensor([0., 1.]))
    >>> y, t.inv(y), t.log_abs_det_jacobian(t.inv(y), y)
    (tensor([1.0000, 2.7183]), tensor([0.0000, 1.0000]), tensor([0.0000, 1.0000]))
    """

    bijective = False
    domain: constraints.Constraint
    codomain: constraints.Constraint

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached_x_y = None, None
        self._inv = None
        super().__init__()

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self):
        """The number of last dimensions that make up an event, if it is the same for inputs and outputs."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self):
        """The inverse transform; ``t.inv.inv is t``."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self):
        """The sign of the Jacobian determinant, if it is the same everywhere."""
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """Return a copy of the transform with a cache of another size."""
        return self if self._cache_size == cache_size else self._with_cache_size(cache_size)

    def _with_cache_size(self, cache_size):
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    def __call__(self, x):
        if not self._cache_size:
            return self._call(x)
        if x is not self._cached_x_y[0]:
            self._cached_x_y = x, self._call(x)
        return self._cached_x_y[1]

    def _inv_call(self, y):
        if not self._cache_size:
            return self._inverse(y)
        if y is not self._cached_x_y[1]:
            self._cached_x_y = self._inverse(y), y
        return self._cached_x_y[0]

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of ``|dy/dx|`` for an input and its output."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}()"

    def forward_shape(self, shape):
        """Return the shape of the output for an input shape."""
        return shape

    def inverse_shape(self, shape):
        """Return the shape of the input for an output shape."""
        return shape


class _InverseTransform(Transform):
    """The inverse of a transform, which has no state."""

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return self.__dict__.copy()

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    bijective = formula(lambda t: t._inv.bijective)
    sign = formula(lambda t: t._inv.sign)

    def with_cache(self, cache_size=1):
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


class Plain(Transform):
    """A transform without settings, equal to all others of its class."""

    def __eq__(self, other):
        return isinstance(other, type(self))


def require_dims(ndim, shape):
    """Return ``shape`` if it has enough dimensions; raise ValueError otherwise."""
    if len(shape) < ndim:
        raise ValueError("Too few dimensions on input")
    return shape
