"""torch.__config__: PyTorch's build information; here NumPy's."""


def show():
    """Describe the NumPy and BLAS that compute, as text.

    >>> import tensh as torch
    >>> torch.__config__.show().splitlines()[0]
    'tensh, in place of PyTorch, built with:'
    """
    import numpy

    from tensh import VERSION

    return f"tensh, in place of PyTorch, built with:\n  - tensh {VERSION}\n  - NumPy {numpy.__version__}\n  - no CUDA\n"


def parallel_info():
    """Describe the numbers of threads, as text."""
    from tensh import get_num_threads

    return f"ATen/Parallel:\n\tat::get_num_threads() : {get_num_threads()}\n"
