"""A value in a few words, as `tensh.show` says it."""

from tensh.show.describe import brief, dtype, duration, is_array, shape, size

__all__ = ["brief", "dtype", "duration", "is_array", "shape", "size"]
