"""The random number generator: PyTorch's CPU generator, the same Mersenne Twister with the same state."""

import os
from operator import length_hint

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.device import cpu, device
from tensh.engine.dtypes.dtype import uint8
from tensh.engine.random.words import KEY_SIZE, Words
from tensh.support.locks import make_shared_lock
from tensh.support.naming import OfTorch, torch_is_tensh

DEFAULT_SEED = 67280421310721  # PyTorch's seed of every new Generator

SEEDING = make_shared_lock()  # held by the thread whose draw is the first after seeding

# The bytes of get_state(): PyTorch keeps the layout of the time when words were stored in 64 bits.
STATE = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("key", "<u8", KEY_SIZE),
        ("unused_x", "<f8"),
        ("normal", "<f8"),
        ("unused_rho", "<f8"),
        ("has_normal", "<i4"),
        ("gap", "<i4"),
        ("float_normal", "<f4"),
        ("has_float_normal", "?"),
        ("end", "V3"),
    ]
)


class Generator(metaclass=OfTorch):
    """A source of random numbers, with its state; the same seed gives PyTorch's numbers.

    Raise RuntimeError for a device other than the CPU.

    >>> import tensh as torch
    >>> g = torch.Generator().manual_seed(7)
    >>> torch.rand(2, generator=g)
    tensor([0.5349, 0.1988])
    """

    # stream: the words; untouched: no word has been drawn since seeding; normal: the second number of a pair of
    # normal numbers, kept for the next call; float_normal: the same in single precision, used only in states.
    before_draw = None  # called before every draw, after the first use of vmap: see vmap/levels.py
    __slots__ = ("stream", "first_seed", "untouched", "normal", "float_normal", "__weakref__")
    __module__ = "torch._C"

    @shows("self, device=None", "")
    def __init__(self, *args, **given):
        if args or given:
            _require_cpu(bind("Generator", ("(torch.device device = None)",), args, given)["device"])
        self.stream = None
        self._start(DEFAULT_SEED)

    def _start(self, seed):
        """Start the stream of ``seed``; the first draw seeds the twister."""
        self.first_seed, self.untouched, self.normal, self.float_normal = seed, True, None, None

    def _touch(self):
        with SEEDING:
            if not self.untouched:
                return
            if self.stream is None:
                self.stream = Words()
            self.stream.seed(self.first_seed & 0xFFFFFFFF)
            self.untouched = False

    # ── the stream ───────────────────────────────────────────────────────────
    def open(self):
        """Return the stream of words, for a draw."""
        if self.before_draw is not None:
            self.before_draw()
        if self.untouched:
            self._touch()
        return self.stream

    def word(self):
        """Return the next 32-bit word, as an int."""
        return int(self.open().take(1)[0])

    def words(self, n):
        """Return the next ``n`` 32-bit words as a new array: of uint64 if there are few, of uint32 otherwise."""
        return self.open().take(n) if n else np.empty(0, np.uint32)

    def words64(self, n):
        """Return the next ``n`` 64-bit words as a new uint64 array."""
        return self.open().take64(n) if n else np.empty(0, np.uint64)

    # ── public methods ───────────────────────────────────────────────────────
    @property
    def device(self):
        """The device of the generator: the CPU."""
        return cpu

    def manual_seed(self, seed, /):
        """Set the seed, an int from -2**63 to 2**64 - 1 (2**64 is added to negative ones), and return the generator.

        Raise RuntimeError for anything but an int, ValueError for an int out of range.
        """
        if type(seed) is not int and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer))):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._start(int(seed) % 2**64)
        return self

    def seed(self):
        """Set a new seed from the operating system, and return it."""
        self._start(fresh_seed())
        return self.first_seed

    def initial_seed(self):
        """Return the last seed."""
        return self.first_seed

    def get_state(self):
        """Return the state as a tensor of 5056 bytes, which are those of PyTorch's generator after the same draws."""
        return wrap(np.frombuffer(bytearray(self._state().tobytes()), np.uint8))

    def _state(self):
        state = np.zeros((), STATE)
        key, taken = self._seed_state() if self.untouched else self.stream.state()
        state["seed"], state["seeded"], state["key"] = self.first_seed, 1, key
        # PyTorch counts down the words until the key is renewed, starting with one more than exist.
        state["left"], state["next"] = (1, 0) if self.untouched else (KEY_SIZE + 1 - taken, taken)
        if self.normal is not None:
            state["normal"], state["has_normal"] = self.normal, 1
        if self.float_normal is not None:
            state["float_normal"], state["has_float_normal"] = self.float_normal, True
        return state

    def _seed_state(self):
        """Return the stream's state before its first word; the generator stays untouched."""
        self._touch()
        self.untouched = True
        return self.stream.state()

    @without_interrupts
    def set_state(self, new_state, /):
        """Restore a state returned by ``get_state``, here or in PyTorch.

        Raise RuntimeError for other bytes.
        """
        self._take(_state_bytes(new_state))
        return self

    def _take(self, state):
        left, taken = int(state["left"]), int(state["next"])
        if not (state["seeded"] and 0 < left <= KEY_SIZE and taken <= KEY_SIZE):
            raise RuntimeError("Invalid mt19937 state")
        seed = int(state["seed"])
        self._start(seed)
        key = state["key"].astype(np.uint32)
        if taken or key[0] != seed & 0xFFFFFFFF:  # otherwise the state follows from the seed
            self._touch()
            self.stream.restore(key, KEY_SIZE + 1 - left)
        self.normal = float(state["normal"]) if state["has_normal"] else None
        self.float_normal = float(state["float_normal"]) if state["has_float_normal"] else None

    def clone_state(self):
        """Return a new generator in the same state."""
        copy = Generator()
        copy._take(self._state())
        return copy

    __copy__ = clone_state

    def __deepcopy__(self, memo):
        return self.clone_state()

    def __reduce__(self):
        if torch_is_tensh():
            return Generator, (self.device,), (self.initial_seed(), None, self.get_state())
        return rebuild_generator, (self._state().tobytes(),)

    def __setstate__(self, state):
        self.set_state(state[2])

    def get_offset(self):
        """Raise RuntimeError: only generators of other devices have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset, /):
        """Raise RuntimeError: only generators of other devices have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def graphsafe_get_state(self):
        """Raise NotImplementedError: CPU generators do not support it."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state, /):
        """Raise NotImplementedError: CPU generators do not support it."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")


MOST = 64  # numbers that are drawn ahead
LOW53 = np.uint64(2**53 - 1)


class Uniforms:
    """Numbers in [0, 1) with 53 bits, one at a time, for algorithms that need an unknown number of them.

    They are drawn in blocks; ``finish`` returns unused ones to the stream.
    """

    def __init__(self, generator):
        self.generator, self.rest = generator, iter(())
        self.take = self._blocks().__next__

    def _blocks(self):
        while True:
            words, self.end = self.generator.open().take_rest(MOST)
            self.rest = iter(((words & LOW53) * 2.0**-53).tolist())
            yield from self.rest

    def finish(self):
        """Give unused numbers back to the stream."""
        left = length_hint(self.rest)
        if left:
            self.generator.stream.give_back(2 * left, self.end)


def fresh_seed():
    """Return a seed from the operating system."""
    return int.from_bytes(os.urandom(8), "little")


def rebuild_generator(data):
    """Make a generator from the bytes of a state, for unpickling."""
    generator = Generator()
    generator._take(np.frombuffer(data, STATE)[0])
    return generator


from_state = rebuild_generator  # the name in pickles of earlier versions


WITHOUT = {  # kind of device -> PyTorch's refusal where the device exists, but not in this build
    "cuda": "Cannot get CUDA generator without ATen_cuda library.",
    "xpu": "Cannot get XPU generator without ATen_xpu library.",
    "xla": "Cannot get XLA generator without torch_xla library.",
    **{kind: f"Cannot execute getNewGenerator() without {kind.upper()} backend." for kind in ("mps", "mtia")},
    **dict.fromkeys(("hip", "hpu"), "Backend doesn`t support getNewGenerator()"),
    "privateuseone": "Please register PrivateUse1HooksInterface by `RegisterPrivateUse1HooksInterface` first.",
}


def _require_cpu(where):
    if where is None or where == "cpu":
        return
    kind = device(where).type
    if kind in WITHOUT:
        raise RuntimeError(WITHOUT[kind])
    if kind != "cpu":
        raise RuntimeError(f"{kind.upper()} device type not an accelerator.")


def _state_bytes(tensor):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type_name(tensor)}")
    if tensor.dtype is not uint8:
        raise TypeError("RNG state must be a torch.ByteTensor")
    if not tensor.array.flags.c_contiguous:
        raise RuntimeError("RNG state must be contiguous")
    if tensor.array.size != STATE.itemsize:
        raise RuntimeError(
            f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state size to be "
            f"{tensor.array.size}"
        )
    return tensor.array.reshape(-1).view(STATE)[0]


default_generator = Generator()
default_generator.seed()


def is_generator(value):
    """Return True if ``value`` is a generator."""
    return isinstance(value, Generator)
