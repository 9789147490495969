"""The values shown: `_`, `__` and `___`, and all values of a session by line number, `Out[3]`.

They keep at most 256 MiB of arrays alive: the oldest are dropped first.
"""

from collections.abc import Mapping

from tensh.cli.session.events import RESULTS
from tensh.show.reading.describe import brief, is_array, nbytes
from tensh.support.language import _

KEPT = 256 * 2**20  # bytes
MOST = 1000  # values in `Out`


def size(value):
    """Return the bytes that an array keeps alive; 0 for other values."""
    return nbytes(value) if is_array(value) else 0


def fit(results):
    """Return the results, newest first, that fit into KEPT bytes."""
    kept, total = [], 0
    for value in results:
        total += size(value)
        if total > KEPT:
            break
        kept.append(value)
    return kept


def name_results(namespace, before, value):
    """Shift `_`, `__` and `___` for a new value, unless the user has assigned these names; return the new results."""
    ours = dict(zip(RESULTS, before, strict=False))
    if any(name in namespace and namespace[name] is not ours.get(name, namespace) for name in RESULTS):
        return before
    results = fit([value, *before[: len(RESULTS) - 1]])
    for name in RESULTS:
        namespace.pop(name, None)
    namespace |= zip(RESULTS, results, strict=False)
    return results


class Outputs(Mapping):
    """`Out`: the values shown, by line number of `%history`.

    Not a dict, so that searches for names of values skip it.
    """

    def __init__(self):
        self.kept = {}  # number -> value, oldest first
        self.sizes = {}  # number -> bytes of arrays
        self.total = 0

    def put(self, number, value):
        """Store the value of a line, dropping the oldest if there are too many or they are too large."""
        self.drop(number)
        self.kept[number] = value
        if size(value):
            self.sizes[number] = size(value)
            self.total += self.sizes[number]
        while self.kept and (len(self.kept) > MOST or self.total > KEPT):
            self.drop(next(iter(self.kept)))

    def drop(self, number):
        """Drop the value of a line, if any."""
        self.kept.pop(number, None)
        self.total -= self.sizes.pop(number, 0)

    def __getitem__(self, number):
        if number not in self.kept:
            raise KeyError(_("Out[{number}]: this line has no value; %history shows the numbers").format(number=number))
        return self.kept[number]

    def __iter__(self):
        return iter(self.kept)

    def __len__(self):
        return len(self.kept)

    def __repr__(self):
        rows = (f"{number}: {brief(value) or type(value).__name__}" for number, value in self.kept.items())
        return "{" + ", ".join(rows) + "}"


class Inputs:
    """`In`: the code of the lines, by line number of `%history`."""

    def __init__(self, journal):
        self.journal = journal

    def __len__(self):
        return self.journal.number + 1

    def __getitem__(self, number):
        texts = {entry.number: entry.text for entry in self.journal.entries}
        if isinstance(number, slice):
            return [texts.get(each, "") for each in range(len(self))[number]]
        if not -len(self) <= number < len(self):
            raise IndexError(_("In[{number}]: there is no such line; %history shows the numbers").format(number=number))
        return texts.get(number % len(self), "")

    def __repr__(self):
        return repr(self[:])
