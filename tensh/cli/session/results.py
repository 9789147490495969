"""The values that were shown: `_`, `__` and `___`, and all of a session by the numbers of their lines, `Out[3]`.

They keep 256 MiB of arrays alive at most: the oldest go first.
"""

from collections.abc import Mapping

from tensh.cli.session.events import RESULTS
from tensh.language import _
from tensh.show.describe import brief, is_array, nbytes

KEPT = 256 * 2**20  # bytes
MOST = 1000  # values in `Out`


def size(value):
    """The bytes that a value keeps alive, as far as it is an array."""
    return nbytes(value) if is_array(value) else 0


def fit(results):
    """The results, newest first, that fit into the memory they may keep alive."""
    kept, total = [], 0
    for value in results:
        total += size(value)
        if total > KEPT:
            break
        kept.append(value)
    return kept


def name_results(namespace, before, value):
    """Make a value `_`, and those before it `__` and `___`, unless the names are the user's; the results from now on."""
    ours = dict(zip(RESULTS, before, strict=False))
    if any(name in namespace and namespace[name] is not ours.get(name, namespace) for name in RESULTS):
        return before
    results = fit([value, *before[: len(RESULTS) - 1]])
    for name in RESULTS:
        namespace.pop(name, None)
    namespace |= zip(RESULTS, results, strict=False)
    return results


class Outputs(Mapping):
    """`Out`: the values that were shown, by the number that `%history` gives their lines.

    It is not a dict: what looks for names of values passes it over.
    """

    def __init__(self):
        self.kept = {}  # number -> value, oldest first
        self.sizes = {}  # number -> bytes, as far as there are any
        self.total = 0

    def put(self, number, value):
        """Keep the value of a line; the oldest values go where there are too many or too large ones."""
        self.drop(number)
        self.kept[number] = value
        if size(value):
            self.sizes[number] = size(value)
            self.total += self.sizes[number]
        while self.kept and (len(self.kept) > MOST or self.total > KEPT):
            self.drop(next(iter(self.kept)))

    def drop(self, number):
        """Drop a value."""
        self.kept.pop(number, None)
        self.total -= self.sizes.pop(number, 0)

    def __getitem__(self, number):
        if number not in self.kept:
            raise KeyError(
                _("Out[{number}]: there is no value of this line; %history has the numbers").format(number=number)
            )
        return self.kept[number]

    def __iter__(self):
        return iter(self.kept)

    def __len__(self):
        return len(self.kept)

    def __repr__(self):
        rows = (f"{number}: {brief(value) or type(value).__name__}" for number, value in self.kept.items())
        return "{" + ", ".join(rows) + "}"


class Inputs:
    """`In`: the code of the lines, by the number that `%history` gives them."""

    def __init__(self, journal):
        self.journal = journal

    def __len__(self):
        return self.journal.number + 1

    def __getitem__(self, number):
        texts = {entry.number: entry.text for entry in self.journal.entries}
        if isinstance(number, slice):
            return [texts.get(each, "") for each in range(len(self))[number]]
        if not -len(self) <= number < len(self):
            raise IndexError(_("In[{number}]: there is no such line; %history has the numbers").format(number=number))
        return texts.get(number % len(self), "")

    def __repr__(self):
        return repr(self[:])
