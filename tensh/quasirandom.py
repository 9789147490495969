"""torch.quasirandom: points that fill a cube more evenly than random ones."""

from tensh.engine.arguments.kinds import NO_FIT, take_int
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import float32, float64, int64
from tensh.engine.errors.messages import too_large
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.engine.random import sobol
from tensh.engine.random.generator import Generator

__all__ = ["SobolEngine"]


class SobolEngine:
    """A Sobol sequence of points in the unit cube of ``dimension`` dimensions, up to 2**30 of them.

    ``scramble`` multiplies the bits of the directions by random matrices and shifts all points by a random one, which
    preserves the uniformity of the sequence; ``seed`` makes the scrambling reproducible. Beyond 64 dimensions, the
    direction numbers are read from SciPy, which must be installed. Points are rows: [n, dimension]. Raise ValueError
    for dimensions below 1 or above 21201.

    >>> import tensh as torch
    >>> engine = torch.quasirandom.SobolEngine(dimension=2)
    >>> engine.draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT, MAXDIM = sobol.MAXBIT, sobol.MAXDIM

    def __init__(self, dimension, scramble=False, seed=None):
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self.sobolstate = PUBLIC["zeros"](dimension, self.MAXBIT, dtype=int64)
        self.sobolstate.array[...] = sobol.directions(dimension)
        self.shift = self._scramble() if scramble else PUBLIC["zeros"](dimension, dtype=int64)
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def _scramble(self):
        """Scramble the directions; return the point by which all points are shifted."""
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        randint, dimension, bits = PUBLIC["randint"], self.dimension, self.MAXBIT
        shift = randint(2, (dimension, bits), generator=generator)
        matrices = randint(2, (dimension, bits, bits), generator=generator).tril()
        self.sobolstate.array[...] = sobol.scramble_directions(self.sobolstate.array, matrices.array)
        return wrap(shift.array @ (1 << sobol.BITS))

    def draw(self, n=1, out=None, dtype=None):
        """Return the next ``n`` points, (n, dimension), in the default dtype or ``dtype`` (float32 or float64).

        ``out`` is resized and filled.
        """
        dtype = PUBLIC["get_default_dtype"]() if dtype is None else dtype
        first = self.num_generated == 0
        result = self._first_point.to(dtype) if first else None
        if not first or n != 1:
            drawn = self._next(n - 1 if first else n, dtype)
            result = OPS["cat"].fn([result, drawn], -2) if first else drawn
        self.num_generated += n
        return result if out is None else out.resize_as_(result).copy_(result)

    @property
    def _number(self):
        """Return the index of the last point."""
        return max(self.num_generated - 1, 0)

    def _next(self, count, dtype):
        """Return the points after the last one."""
        count = require_int(count, "_sobol_engine_draw")
        if count < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {count}: {[count, self.dimension]}")
        if dtype not in (float32, float64):
            raise NotImplementedError(f"\"_sobol_engine_draw\" not implemented for '{dtype.title}'")
        try:
            points = sobol.points(self.quasi.array, self.sobolstate.array, self._number, count)
            numbers = points.astype(dtype.numpy) * dtype.numpy.type(2.0**-self.MAXBIT)
        except MemoryError as error:
            raise too_large(error) from None
        if count:
            self.quasi = wrap(points[-1].copy())
        return wrap(numbers)

    def draw_base2(self, m, out=None, dtype=None):
        """Return the next ``2**m`` points; raise ValueError unless the total number is a power of two."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1) != 0:
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points have "
                f"been previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to do this, "
                "please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def fast_forward(self, n):
        """Skip ``n`` points, and return the engine."""
        count = require_int(n if self.num_generated else n - 1, "_sobol_engine_ff_")
        self.quasi.copy_(wrap(sobol.further(self.quasi.array, self.sobolstate.array, self._number, count)))
        self.num_generated += n
        return self

    def reset(self):
        """Start over, and return the engine."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def __repr__(self):
        settings = {"dimension": self.dimension, "scramble": self.scramble or None, "seed": self.seed}
        shown = ", ".join(f"{name}={value}" for name, value in settings.items() if value is not None)
        return f"{type(self).__name__}({shown})"


def require_int(count, name):
    """Convert a value to int, or raise PyTorch's error."""
    number = take_int(count)
    if number is NO_FIT:
        raise TypeError(f"{name}(): argument 'n' (position 2) must be int, not {type_name(count)}")
    return number


__getattr__ = unsupported_lookup("torch.quasirandom")
