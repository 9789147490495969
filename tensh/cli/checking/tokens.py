"""Split a text into words and numbers: each number with its position, its index in the tensor around it, and its dtype."""

import itertools
import re

TOKEN = re.compile(
    r"(?P<number>[-+]?(?:(?:nan|inf)(?!\w)|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))"
    r"|(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)|(?P<ellipsis>\.\.\.)|(?P<line>\n)|(?P<hidden>#+)|(?P<sign>\S)"
)
OPEN, CLOSED = "([{", ")]}"
DEEPEST = 64  # nested brackets: the most dimensions of a tensor; deeper nesting is ignored
TENSORS = {"tensor": "float32", "array": "float64", "Parameter": "float32"}  # what holds numbers -> its default dtype
DTYPE = re.compile(r"(?:torch\.|numpy\.|np\.)?(b?float\d+|complex\d+|float8_\w+)\Z")


class Number:
    """A number in a text."""

    def __init__(self, text, start):
        self.text = text
        self.start = start
        self.path = []  # its index in the surrounding brackets
        self.dtype = None  # the dtype of the tensor around it

    @property
    def is_integer(self):
        return self.text.lstrip("+-").isdigit()


class Frame:
    """An open bracket."""

    def __init__(self, sign, dtype=None):
        self.sign = sign
        self.dtype = dtype  # the dtype of the tensor, for its parenthesis
        self.position = 0  # index of the next element
        self.gap = None  # the position of `...`
        self.numbers = []  # numbers within it


def tokens(text):
    """Return (words, numbers): "#" stands for an integer, "#." for another number. Any run of `#` is one word."""
    words, numbers, frames, before = [], [], [], ""
    has_structure = depth(text) <= DEEPEST
    for match in TOKEN.finditer(text):
        kind, piece = match.lastgroup, match[0]
        if kind == "number":
            number = Number(piece, match.start())
            number.path = [frame.position for frame in frames if frame.sign == "["]
            numbers.append(number)
            for frame in frames:
                frame.numbers.append(number)
            words.append("#" if number.is_integer else "#.")
        elif kind != "line" or not frames:  # within brackets, line breaks depend on the width
            words.append("#..." if kind == "hidden" else piece)
            if has_structure:
                _bracket(frames, kind, piece, before)
        before = piece
    return words, numbers


def depth(text):
    """Return the greatest depth of the brackets."""
    steps = (1 if match[0] in OPEN else -1 for match in re.finditer(r"[][(){}]", text))
    return max(itertools.accumulate(steps), default=0)


def _bracket(frames, kind, piece, before):
    """Open or close brackets, or advance to the next element."""
    if kind == "ellipsis" and frames:
        frames[-1].gap = frames[-1].position
    elif kind == "word" and frames and DTYPE.match(piece):
        for frame in frames:
            frame.dtype = frame.dtype and DTYPE.match(piece)[1]
    elif piece in OPEN:
        frames.append(Frame(piece, TENSORS.get(before.rpartition(".")[2]) if piece == "(" else None))
    elif piece == "," and frames:
        frames[-1].position += 1
    elif piece in CLOSED and frames:
        _close(frames.pop(), sum(frame.sign == "[" for frame in frames))


def _close(frame, depth):
    for number in frame.numbers:
        if frame.dtype and number.dtype is None:
            number.dtype = frame.dtype
        if frame.gap is not None and frame.sign == "[" and number.path[depth] > frame.gap:
            number.path[depth] -= frame.position + 1  # after `...`, elements are counted from the end
