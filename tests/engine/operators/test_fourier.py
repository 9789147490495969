"""Fourier transforms: what samples and sessions do not show."""

import doctest

import numpy as np
import pytest

import tensh as torch

NAMES = [name for name in dir(torch.fft) if "fft" in name]


@pytest.mark.parametrize("name", NAMES)
def test_examples_of_transforms_run(name):
    """The transforms are declared in a table, and so are their docstrings."""
    text = getattr(torch.fft, name).__doc__
    report = []
    doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, {}, name, None, 0), out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 12, 17, 1000])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_the_inverse(size, dtype, norm):
    """A transform and its inverse give the input back, to the precision of its dtype."""
    x = torch.linspace(-1, 1, size).to(getattr(torch, dtype))
    back = torch.fft.ifft(torch.fft.fft(x, norm=norm), norm=norm)
    assert back.dtype is x.dtype.to_complex()
    np.testing.assert_allclose(back.numpy(), x.numpy(), atol=1e-12 if dtype in ("float64", "complex128") else 1e-6)
    if not x.is_complex():
        half = torch.fft.rfft(x, norm=norm)
        np.testing.assert_allclose(torch.fft.irfft(half, size, norm=norm).numpy(), x.numpy(), atol=1e-6)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8])
def test_the_mirrored_half(size):
    """The transform of real numbers equals its mirror in all bits."""
    y = torch.fft.fft(torch.linspace(-1, 2, 3 * size).reshape(3, size)).numpy()
    mirrored = y[:, (-np.arange(size)) % size].conj()
    assert (y == mirrored).all()
    half = torch.fft.rfft(torch.linspace(-1, 2, 3 * size).reshape(3, size)).numpy()
    np.testing.assert_array_equal(y[:, : size // 2 + 1], half)


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "fftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
def test_an_empty_batch(name):
    """No signals have no transforms."""
    result = getattr(torch.fft, name)(torch.ones(0, 4), **({} if name[-1] == "t" else {"dim": (1,)}))
    assert result.shape[0] == 0 and result.shape[1] in (3, 4, 6)


def test_the_input_is_not_written():
    x = torch.ones(3, 6, dtype=torch.complex64)
    torch.fft.ifft2(x), torch.fft.irfftn(x), torch.fft.fft(x.t())
    assert (x == 1).all()


@pytest.mark.oracle
@pytest.mark.parametrize("size", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_same_bits_at_small_sizes(oracle, size, dtype):
    """At small sizes sums are computed in PyTorch's order, that of its library in several threads and without AVX-512."""
    if (dtype, size) == ("float32", 8) and oracle.backends.cpu.get_cpu_capability() == "AVX512":
        pytest.skip("PyTorch's library adds in another order on this processor")
    rng = np.random.default_rng(size)
    x = rng.uniform(-1, 1, (20, size)).astype(dtype)
    if dtype.startswith("complex"):
        x += 1j * rng.uniform(-1, 1, (20, size)).astype(x.real.dtype)
    oracle.set_num_threads(2)
    expected = oracle.fft.fft(oracle.from_numpy(x)).numpy()
    oracle.set_num_threads(1)
    np.testing.assert_array_equal(torch.fft.fft(torch.from_numpy(x)).numpy(), expected)


@pytest.mark.oracle
@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 4)])
def test_results_of_transforms_have_pytorchs_strides(oracle, shape):
    """Transformed dimensions come innermost, as in PyTorch."""
    for name in ("fft", "rfft", "irfft", "fftn", "rfftn", "irfftn"):
        for dim in range(len(shape)):
            for order in (list(range(len(shape))), list(range(len(shape)))[::-1]):
                strides = [
                    getattr(m.fft, name)(m.ones(shape).permute(order), dim=(dim,) if name[-1] == "n" else dim).stride()
                    for m in (oracle, torch)
                ]
                assert strides[0] == strides[1], (name, dim, order)
