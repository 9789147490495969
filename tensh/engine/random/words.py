"""The words of PyTorch's CPU generator, drawn from NumPy's Mersenne Twister.

Note [Words] Every distribution reads one stream of 32-bit words.  NumPy's ``MT19937`` produces that stream if it is
seeded in the legacy way; in both libraries a 64-bit word consists of two words, the first in the high half.  Which
words a distribution takes from the stream, and how many, is part of its definition: the state afterwards must also be
PyTorch's.

Note [A key ahead] A twister makes words from a key of 624 numbers, and its state is the key and a position in it.  A draw
of few words therefore takes all words that the key has left: later draws are parts of that block, and the position
follows from the number of words that the block has left.
"""

import functools
import sys
import threading
import weakref

import numpy as np

from tensh.engine.arrays.uninterrupted import Uninterrupted, without_interrupts
from tensh.support.locks import hold_at_forks

KEY_SIZE = 624  # number of words in the key of the Mersenne Twister
HALF = np.uint64(32)  # half of the bits of a 64-bit word
FEW = 2048  # up to this number of words random_raw (0.4 µs per call) is faster than integers (4 µs, half the memory)
NONE_AHEAD = 0, 0, None
EMPTY = np.empty(0, np.uint64)


@functools.cache
def make_zeros():
    """Return a seed sequence of zeros: a key that is replaced takes a quarter of the time without the system's entropy."""
    from numpy.random.bit_generator import ISeedSequence

    class Zeros(ISeedSequence):
        def generate_state(self, n_words, dtype=np.uint32):
            return np.zeros(n_words, dtype)

    return Zeros()


streams: weakref.WeakSet = weakref.WeakSet()  # all that exist
hold_at_forks(lambda: [stream.lock for stream in streams])


class Words:
    """A stream of random words, with its state.

    ``block[index:]`` has the words that are drawn, but not taken; ``left`` is how many words of its key the twister has
    not drawn, None if that must be read from it. ``ahead`` keeps numbers made of words of the block that are not taken, either.
    """

    __slots__ = ("__weakref__", "ahead", "block", "index", "integers", "left", "lock", "twister")

    def __init__(self):
        with Uninterrupted():  # NumPy turns a ^C during its import into another error
            from numpy.random import MT19937, Generator  # takes 18 ms

        self.twister, self.lock = MT19937(make_zeros()), threading.RLock()
        self.integers = Generator(self.twister).integers
        self._forget(0)
        streams.add(self)

    def _forget(self, left):
        self.block, self.index, self.left, self.ahead = EMPTY, 0, left, {}

    # ── state ────────────────────────────────────────────────────────────────
    def seed(self, seed):
        """Start the stream of a seed of 32 bits."""
        with self.lock:
            self.twister._legacy_seeding(seed)
            self._forget(0)

    def state(self):
        """Return the key, and how many of its words have been taken."""
        with self.lock:
            state = self.twister.state["state"]
            return state["key"], state["pos"] - (self.block.size - self.index)

    def restore(self, key, taken):
        """Go to a state."""
        with self.lock:
            self.twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": taken}}
            self._forget(KEY_SIZE - taken)

    # ── words ────────────────────────────────────────────────────────────────
    @without_interrupts
    def _refill(self, count):
        """Take ``count`` words, at most ``FEW``, of which some are drawn, into a block with all others of their key."""
        kept = self.block[self.index :]
        drawn = count - kept.size
        try:
            words = self.twister.random_raw(drawn + (self._find_left() - drawn) % KEY_SIZE)
            block = np.concatenate((kept, words)) if kept.size else words
            self._forget(0)
        except MemoryError:
            self._lose()
            raise
        self.block, self.index = block, count  # taken, whatever happens: a state has a word of its key that is taken

    def _lose(self):
        """Go on where the twister is; words that it has drawn are lost.  Its place is read when there is memory again."""
        self._forget(None)

    def _find_left(self):
        """Return how many words of its key the twister has not drawn."""
        if self.left is None:
            self.left = KEY_SIZE - self.twister.state["state"]["pos"]
        return self.left

    def take(self, count):
        """Return the next ``count`` words: an array that the caller may change, of uint64 if there are few, else uint32."""
        with self.lock:
            if count > FEW:
                return self._take_many(count, False)
            end = self.index + count
            if end > self.block.size:
                self._refill(count)
                end = count
            self.index = end
            return self.block[end - count : end]

    def take64(self, count):
        """Return the next ``count`` 64-bit words as a new uint64 array."""
        if 2 * count > FEW:
            with self.lock:
                return self._take_many(count, True)
        return join_halves(self.take(2 * count))

    @without_interrupts
    def _take_many(self, count, double):
        """Return words, or 64-bit words, of which the twister draws most by itself, without a block."""
        kept = self.block[self.index :]
        left = (self._find_left() + kept.size - count * (1 + double)) % KEY_SIZE
        try:
            if double:
                if kept.size % 2:  # a 64-bit word has both its halves from the block, or neither
                    kept = np.append(kept, self.twister.random_raw(1))
                kept = join_halves(kept)
            else:
                kept = kept.astype(np.uint32)
            drawn = self._draw(count - kept.size, np.uint64 if double else np.uint32)
            words = np.concatenate((kept, drawn)) if kept.size else drawn
            self._forget(left)
        except MemoryError:
            self._lose()
            raise
        return words

    def _draw(self, count, dtype):
        """Draw words of 32 or 64 bits from the twister."""
        if dtype == np.uint32 and (count % 2 or sys.byteorder != "little"):
            return self.integers(0, 0xFFFFFFFF, count, dtype, endpoint=True)
        if dtype == np.uint64:
            return self.integers(0, 0xFFFFFFFFFFFFFFFF, count, dtype, endpoint=True)
        pairs = self._draw(count // 2, np.uint64)  # takes 25 % less time
        first = pairs >> HALF  # the first word is the high half
        pairs <<= HALF
        pairs |= first
        return pairs.view(np.uint32)

    # ── numbers made of words ────────────────────────────────────────────────
    def make(self, count, transform, group):
        """Return ``transform(words)`` of the next ``count`` words, in an array that must not be changed.

        ``transform`` makes numbers of every ``group`` words by themselves; ``count`` is at most ``FEW``, a multiple of
        ``group``. Where such draws follow one another, those to come are transformed as well: most of the time of few
        numbers is that of calls of NumPy.
        """
        with self.lock:
            start, end = self.index, self.index + count
            first, last, numbers = self.ahead.get(transform, NONE_AHEAD)
            follows = numbers is not None and first <= start <= last and not (start - first) % group
            if end > self.block.size:
                self._refill(count)
                start, end, last = 0, count, 0
            self.index = end
            if end > last or not follows:
                first, last = start, end
                if follows:
                    last += (self.block.size - end) // group * group
                numbers = transform(self.block[first:last])
                self.ahead[transform] = first, last, numbers
            each = (last - first) // numbers.size  # words of a number
            return numbers[(start - first) // each : (end - first) // each]

    def take_rest(self, most):
        """Return (at least one 64-bit word and at most ``most``, where they end), of which the last can be given back."""
        with self.lock:
            words = self.take64(min((self.block.size - self.index) // 2, most) or 1)
            return words, (self.block, self.index)

    def give_back(self, count, end):
        """Give back the last ``count`` words, which ``take_rest`` returned, unless others have been taken since."""
        with self.lock:
            block, index = end
            if self.block is block and self.index == index:
                self.index -= count


def join_halves(words):
    """Return the 64-bit words whose halves are in ``words``, of uint64."""
    top = words[0::2] << HALF
    return np.bitwise_or(top, words[1::2], out=top)
