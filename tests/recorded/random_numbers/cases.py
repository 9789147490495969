"""Programs with random functions, and PyTorch's results for them (tests/recorded/random_numbers/random.json).

``python -m tests.recorded random_numbers`` records it anew, where PyTorch is installed.
"""

import base64
import hashlib
import itertools
import warnings
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("random.json")
SEEDS = (0, 42, 2**32 + 5, -1)

# Drawn without a logarithm, a cosine or an exponential: equal in all bits everywhere.
EXACT = [
    f"{call}" for size, dtype in itertools.product(("()", "(1,)", "(15,)", "(17,)", "(4, 5)", "(100,)"), ("float32", "float64"))
    for call in (f"torch.rand({size}, dtype=torch.{dtype})", f"torch.zeros({size}, dtype=torch.{dtype}).uniform_(-2, 5)",
                 f"torch.bernoulli(torch.full({size}, 0.3, dtype=torch.{dtype}))",
                 f"torch.zeros({size}, dtype=torch.{dtype}).bernoulli_(0.7)", f"torch.zeros({size}, dtype=torch.{dtype}).random_()")
] + """
torch.rand(40000)
torch.rand(5, dtype=torch.float16)
torch.rand(5, dtype=torch.bfloat16)
torch.rand(5, dtype=torch.complex64)
torch.zeros(40, dtype=torch.bfloat16).uniform_(0, 3)
torch.zeros(5000, dtype=torch.float64).uniform_(0.1, 0.7)
torch.zeros(50, dtype=torch.float64).uniform_(-1e308, 5e307)
torch.zeros(50).uniform_(-1e38, 2e38)
torch.randint(10, (20,))
torch.randint(-5, 5, (3, 4))
torch.randint(2**28, (5,))
torch.randint(2**28 - 1, (5,))
torch.randint(2**33, (17,))
torch.randint(-(2**62), 2**62, (5,))
torch.randint(100, (9,), dtype=torch.int32)
torch.randint(100, (9,), dtype=torch.float32)
torch.randint(2, (9,), dtype=torch.bool)
torch.randint(2**40, (5,), dtype=torch.uint64)
torch.randint_like(torch.zeros(7), 3, 20)
torch.zeros(9, dtype=torch.int64).random_(-2**63, None)
torch.zeros(9, dtype=torch.int64).random_(-7, None)
torch.zeros(9, dtype=torch.int64).random_()
torch.zeros(9, dtype=torch.int32).random_()
torch.zeros(9, dtype=torch.uint8).random_()
torch.zeros(9, dtype=torch.int8).random_()
torch.zeros(9, dtype=torch.bool).random_()
torch.zeros(9, dtype=torch.float16).random_()
torch.zeros(9, dtype=torch.bfloat16).random_(0, 300)
torch.zeros(9).random_(2**25)
torch.zeros(9, dtype=torch.float16).random_(0, 65504)
torch.randperm(0)
torch.randperm(1)
torch.randperm(10)
torch.randperm(256)
torch.randperm(257)
torch.randperm(20000)
torch.randperm(50, dtype=torch.int16)
torch.randperm(50, dtype=torch.float16)
torch.multinomial(torch.tensor([0.1, 0.2, 0.3, 0.4]), 3)
torch.multinomial(torch.ones(20), 20)
torch.multinomial(torch.tensor([1.0, 3.0, 6.0]), 1)
torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 50, replacement=True)
torch.multinomial(torch.tensor([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0]]), 2, replacement=True)
torch.multinomial(torch.tensor([2.0, 1.0], dtype=torch.float64), 9, True)
torch.poisson(torch.arange(0, 40, dtype=torch.float32))
torch.poisson(torch.full((30,), 900.0, dtype=torch.float64))
torch.binomial(torch.full((30,), 20.0), torch.arange(30) / 30)
torch.binomial(torch.full((30,), 500.0, dtype=torch.float64), torch.arange(30, dtype=torch.float64) / 30)
torch.zeros(40).geometric_(0.25)
torch.zeros(40, dtype=torch.int64).geometric_(0.01)
torch.bernoulli(torch.full((9,), 0.5), 0.25)
torch.zeros(20).bernoulli_(torch.arange(20) / 20)
torch.zeros(20, dtype=torch.int64).bernoulli_(torch.arange(20, dtype=torch.float64) / 20)
torch.rand(9, generator=torch.Generator().manual_seed(7))
(torch.rand(3, generator=torch.Generator().manual_seed(7)), torch.rand(3))
torch.rand(4, out=torch.zeros(2, 2))
torch.nn.functional.dropout(torch.ones(40), 0.4)
torch.nn.functional.dropout2d(torch.ones(4, 5, 3, 3))
torch.nn.functional.alpha_dropout(torch.ones(30), 0.3, training=True)
torch.nn.functional.feature_alpha_dropout(torch.ones(3, 4, 2), 0.3, training=True)
torch.nn.functional.rrelu(-torch.ones(30), training=True)
torch.native_dropout(torch.ones(9), 0.5, True)
(torch.autograd.gradgradcheck(torch.exp, torch.ones(4, dtype=torch.float64, requires_grad=True)), torch.rand(2))[1]
(torch.autograd.gradgradcheck(lambda a: (a * a, (1j * a).sum()), torch.ones(2, 2, dtype=torch.complex128, requires_grad=True), gen_non_contig_grad_outputs=True), torch.rand(2))[1]
(torch.autograd.gradcheck(torch.exp, torch.ones(4, dtype=torch.float64, requires_grad=True), check_batched_grad=True, check_forward_ad=True, check_batched_forward_grad=True), torch.rand(2))[1]
torch.zeros(5).random_(2**63 - 1)
torch.zeros(5, dtype=torch.bfloat16).random_(5, 2**63 - 1)
torch.zeros(5, dtype=torch.float64).random_(-(2**63), 2**63 - 1)
""".strip().split("\n")  # fmt: skip

# A logarithm or a cosine of another library rounds differently: equal to the last places.
CLOSE = [
    f"{call}" for size, dtype in itertools.product(("()", "(2,)", "(15,)", "(16,)", "(37,)"), ("float32", "float64"))
    for call in (f"torch.randn({size}, dtype=torch.{dtype})", f"torch.zeros({size}, dtype=torch.{dtype}).normal_(1.5, 0.5)",
                 f"torch.zeros({size}, dtype=torch.{dtype}).exponential_(2.0)")
] + """
torch.randn(20, dtype=torch.float16)
torch.randn(9, dtype=torch.complex64)
torch.randn(20, dtype=torch.complex64)
torch.zeros(17).cauchy_(1.0, 2.0)
torch.zeros(17, dtype=torch.float64).log_normal_(0.5, 0.25)
torch.normal(2.0, 3.0, (17,))
torch.normal(torch.arange(20.0), 0.5)
torch.normal(1.0, torch.arange(20.0))
torch.normal(torch.arange(20.0), torch.arange(20.0) + 1)
[torch.rand(3), torch.randn(1), torch.randn(1), torch.randn(20), torch.randint(7, (5,)), torch.randperm(6), torch.randn(3)]
torch.randn(20, out=torch.zeros(20))
torch._standard_gamma(torch.arange(40) / 8)
torch._standard_gamma(torch.arange(-2, 38, dtype=torch.float64).reshape(5, 8).T / 8)
torch._standard_gamma(torch.tensor([1e-40, 1e-3, float("nan"), 1e6, float("inf")]))
(torch.randn(3), torch._standard_gamma(torch.ones(4)), torch.randn(2))
torch._sample_dirichlet(torch.arange(24).reshape(4, 6) / 8)
torch._sample_dirichlet(torch.full((3, 5), 0.1, dtype=torch.float64))
torch._sample_dirichlet(torch.tensor(2.0))
torch._sample_dirichlet(torch.ones(3, 0))
torch.randn(16)
torch.randn(1000)
torch.randn(33, dtype=torch.float16)
torch.zeros(9, 5).normal_(1.5, 0.7)
""".strip().split("\n")  # fmt: skip

# Of these, what is made of polynomials of our own: equal in all bits to PyTorch on processors with AVX2.
POLYNOMIALS = CLOSE[-4:]

# Refused, in PyTorch's words, without anything drawn.
REFUSED = """
torch.zeros(4).uniform_(3, 1)
torch.zeros(4).uniform_(-1e39, 1)
torch.zeros(4).uniform_(-3e38, 3e38)
torch.zeros(4, dtype=torch.int64).uniform_()
torch.zeros(4).uniform_("a")
torch.zeros(4).uniform_(1, 2, 3)
torch.zeros(4).uniform_(generator=3)
torch.zeros(4).uniform_(other=3)
torch.zeros(4, requires_grad=True).uniform_()
torch.zeros(4).normal_(0, -1)
torch.zeros(4, dtype=torch.int64).normal_()
torch.zeros(4).random_(5, 3)
torch.zeros(4, dtype=torch.uint8).random_(257)
torch.zeros(4, dtype=torch.bool).random_(3)
torch.zeros(4, dtype=torch.int64).random_(2**63)
torch.zeros(4, dtype=torch.int64).random_(2.5)
torch.zeros(4, dtype=torch.float16).random_(70000)
torch.zeros(4, dtype=torch.int32).random_(-2**63, None)
torch.zeros(4).bernoulli_(1.5)
torch.zeros(4).bernoulli_(torch.full((4,), 1.5))
torch.zeros(4).bernoulli_(torch.full((3,), 0.5))
torch.zeros(4, dtype=torch.complex64).bernoulli_()
torch.zeros(4).bernoulli_(torch.ones(4, dtype=torch.int64))
torch.zeros(4).exponential_(0)
torch.zeros(4, dtype=torch.int64).exponential_()
torch.zeros(4).cauchy_(0, 0)
torch.zeros(4, dtype=torch.int64).cauchy_()
torch.zeros(4).geometric_()
torch.zeros(4).geometric_(1)
torch.zeros(4).log_normal_(0, 0)
torch.rand()
torch.rand(2.5)
torch.rand((2.5,))
torch.rand(2, -3)
torch.rand(2, dtype=torch.int64)
torch.rand(2, generator=3)
torch.rand(2, other=1)
torch.rand(2, device="cuda")
torch.rand(2, out=torch.zeros(2, dtype=torch.float64), dtype=torch.float32)
torch.rand(2, out=torch.zeros(2, requires_grad=True))
torch.randint(10)
torch.randint(10, 2)
torch.randint(0, (2,))
torch.randint(10.5, (2,))
torch.randint(10, (2,), dtype=torch.bool)
torch.randint(10, (2,), requires_grad=True)
torch.randperm(2.5)
torch.randperm(300, dtype=torch.uint8)
torch.randperm(2050, dtype=torch.float16)
torch.randperm(3, dtype=torch.bool)
torch.rand_like(3)
torch.randint_like(torch.zeros(2), torch.tensor([3]))
torch.bernoulli(torch.zeros(3) + 2)
torch.bernoulli(torch.zeros(3), "a")
torch.bernoulli(torch.zeros(3, dtype=torch.int64))
torch.normal(torch.zeros(4), torch.zeros(4) - 1)
torch.normal(torch.zeros(4), -2)
torch.normal(2.0, 3.0)
torch.normal(torch.zeros(4), torch.ones(3))
torch.normal(torch.zeros(4, dtype=torch.int64), 2)
torch.multinomial(torch.ones(4), 0)
torch.multinomial(torch.ones(4), 5)
torch.multinomial(torch.zeros(4), 2)
torch.multinomial(torch.zeros(4) - 1, 2, True)
torch.multinomial(torch.ones(4, dtype=torch.int64), 2)
torch.multinomial(torch.ones(1, 1, 4), 2)
torch.multinomial(torch.ones(4), 2, out=torch.zeros(2))
torch.poisson(torch.zeros(2) - 1)
torch.poisson(torch.zeros(2, dtype=torch.int64))
torch.binomial(torch.ones(2), torch.ones(2, dtype=torch.float64))
torch._standard_gamma(torch.ones(2, dtype=torch.float16))
torch._standard_gamma([1.0])
torch._standard_gamma(torch.ones(2), 3)
torch._sample_dirichlet(torch.ones(2, dtype=torch.bfloat16))
torch.nn.functional.dropout(torch.ones(3), 1.5)
torch.nn.functional.dropout(torch.ones(3, dtype=torch.int64))
torch.nn.functional.rrelu(torch.ones(3), 0.3, 0.1)
torch.Generator().manual_seed(2**64)
torch.Generator().manual_seed(1.0)
torch.Generator().set_state(torch.zeros(3))
torch.Generator().set_state(torch.zeros(3, dtype=torch.uint8))
torch.Generator().set_state(torch.zeros(5056, dtype=torch.uint8))
torch.set_rng_state([1])
torch.Generator(device="meta")
torch.Generator(3.5)
torch.Generator().get_offset()
""".strip().split("\n")


def run(torch, code, seed):
    """Return (the resulting arrays with their dtypes, the state afterwards) of a program."""
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = eval(code, {"torch": torch})
    tensors = result if isinstance(result, (tuple, list)) else (result,)
    return [described(torch, t) for t in tensors], state_of(torch)


def state_of(torch):
    """The default generator's state, without the eight bytes of the normal number it keeps, which may be rounded."""
    state = torch.get_rng_state().numpy().tobytes()
    return state[:5024] + state[5032:]


def described(torch, t):
    """Return (name of the dtype, values); bfloat16, which NumPy lacks, as float32."""
    return str(t.dtype), (t.to(torch.float32) if t.dtype is torch.bfloat16 else t).numpy()


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def packed(arrays, exact):
    """Arrays as text: a digest where every bit counts, the values otherwise."""
    pack = digest if exact else lambda data: base64.b64encode(data).decode()
    return [[dtype, list(array.shape), pack(array.tobytes())] for dtype, array in arrays]


def unpacked(data, like):
    """Recorded values as an array like another one."""
    return np.frombuffer(base64.b64decode(data), like.dtype).reshape(like.shape)


def refusal(torch, code):
    """Return (type, message) of the exception that a program raises, or None; and whether anything was drawn."""
    torch.manual_seed(0)
    before = state_of(torch)
    try:
        eval(code, {"torch": torch})
    except Exception as error:
        return [type(error).__name__, str(error)], state_of(torch) == before
    return None, False
