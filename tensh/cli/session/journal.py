"""The journal of a session: the lines that ran, their output, and snapshots for undoing the last of them."""

from typing import NamedTuple

from tensh.cli.session.results import Outputs
from tensh.cli.session.sources.source import Command, Source
from tensh.cli.session.undo import MOST_KEPT, Snapshot, read_generator, set_generator
from tensh.support.patterns import pattern

WORD = pattern(r"\w+")
LONGEST = 20_000  # characters stored of a result
MOST_SNAPSHOTS = 100  # lines that can be undone
CHANGING = frozenset("time timeit prun run reset load trace predict".split())  # commands that can change names


class Entry:
    """Whole lines that ran together, their outputs, and whether they failed."""

    def __init__(self, unit, first, number):
        self.number = number
        self.source = unit.source
        self.first = first  # line of the comments before the code
        self.begin = unit.first  # line of the code
        self.last = unit.last
        self.outputs = []  # a list of Output
        self.failed = False
        self.is_aside = False  # ran while %debug looks at a frame, whose names exist only there
        self.stopped = False  # True after ^C
        self.generator = None  # the state of the random numbers before it, if it drew some
        self.changed = False  # whether names or values changed, if recorded
        self.command = unit if isinstance(unit, Command) else None

    @property
    def text(self):
        """The lines, including the comments before them."""
        return "\n".join(self.source.lines[self.first - 1 : self.last]).strip("\n")

    @property
    def left_something(self):
        """True if a failed entry changed something before it failed, and would do so again."""
        return self.failed and self.changed and not self.stopped and not self.command

    @property
    def comment(self):
        """The text of the comments before the code."""
        before = self.source.lines[self.first - 1 : self.begin - 1]
        return "\n".join(line.strip().removeprefix("#").removeprefix(" ") for line in before).strip("\n")

    @property
    def code(self):
        """The lines without the comments before them."""
        return self.source.lines[self.begin - 1 : self.last]


class Output(NamedTuple):
    """An output of an entry: the value of an expression, or printed text."""

    text: str
    is_value: bool
    place: tuple | None = None  # position of the expression: first line, column, last line, column
    laid_out: str = ""  # the value as a notebook shows it
    is_printed: bool = True  # whether `print` shows the value the same way


class Journal:
    """The entries of a session, in order, and snapshots taken before the last of them."""

    def __init__(self, undoing=True):
        self.undoing = undoing  # whether to take snapshots, which look at every name
        self.entries = []
        self.number = 0  # number of the last entry
        self.outputs = Outputs()
        self.generator = None  # the state of the random numbers before the next entry
        self.running = None  # the snapshot taken before the running line
        self.snapshots = []  # snapshots before the last lines that changed anything, oldest first
        self.cost = 0  # bytes that the snapshots keep alive
        self.exported = {}  # exported file -> its text
        self.saved = set()  # the files of the session: saved to, or loaded from

    def begin(self, session, unit, is_noted=True):
        """Start recording a unit; unless `is_noted`, an earlier unit's snapshot covers it."""
        if not self._goes_on(unit):
            if is_noted:
                self._compare()
            entry = self._new_entry(unit)
            if self.undoing and self.generator is None:
                self.generator = read_generator()
            entry.is_aside = session.debugging is not None
            if is_noted and self.undoing and (entry.command is None or entry.command.name in CHANGING):
                self.running = Snapshot(session, entry)
        self.entries[-1].last = unit.last

    def _goes_on(self, unit):
        """Return True if a unit begins on the line on which the last one ended."""
        return bool(self.entries) and self.entries[-1].source is unit.source and unit.first <= self.entries[-1].last

    def _new_entry(self, unit):
        """Add an entry for a unit, with the comment lines directly before it."""
        own = bool(self.entries) and self.entries[-1].source is unit.source
        previous, first = self.entries[-1].last if own else 0, unit.first
        while first - 1 > previous and unit.source.lines[first - 2].lstrip()[:1] in ("#", ""):
            first -= 1
        self.number += 1
        self.entries.append(Entry(unit, first, self.number))
        return self.entries[-1]

    def _compare(self):
        """Finish the last line: store its snapshot if it changed anything."""
        running, self.running = self.running, None  # so that ^C leaves no half-compared snapshot
        if running and running.compare():
            running.entry.changed = True
            self.snapshots.append(running)
            self.cost += running.cost
            while len(self.snapshots) > 1 and (len(self.snapshots) > MOST_SNAPSHOTS or self.cost > MOST_KEPT):
                self.cost -= self.snapshots.pop(0).cost

    def take_back(self, command):
        """Undo the last line that changed anything; return its snapshot, and how many entries were dropped."""
        snapshot = self.snapshots[-1]
        snapshot.restore()
        self.cost -= self.snapshots.pop().cost
        changed = (*snapshot.added, *snapshot.replaced, *snapshot.names_written())
        names = {word for name in changed for word in WORD.findall(str(name))[:1]}
        return snapshot, self.forget(snapshot.entry, command, names)

    def end(self, error):
        """Finish a unit; `error` is what it raised."""
        if self.entries:
            self.entries[-1].failed |= error is not None
            self.entries[-1].stopped |= isinstance(error, KeyboardInterrupt)
            before, self.generator = self.generator, read_generator() if self.undoing else None
            if before is not None and before != self.generator:
                self.entries[-1].generator = before
            for each in self.entries[-MOST_SNAPSHOTS - 1 : -MOST_SNAPSHOTS]:
                each.generator = None  # it can no longer be undone

    def note_value(self, value, unit):
        """Record a value that was shown."""
        from tensh.show.printed.layout import layout
        from tensh.show.printed.whole import print_parts
        from tensh.show.reading.describe import is_tensor
        from tensh.show.reading.reprs import is_bounded

        try:
            text = "".join(text for _, text in print_parts(value))
            is_plain = is_tensor(value) or not is_bounded(value)
            laid_out = text if is_plain else layout(value)
            is_printed = is_plain or type(value).__str__ is object.__str__ or str(value) == text
        except Exception:  # the repr is user code; showing it reports the failure
            return
        place = None if isinstance(unit, Command) else (unit.first, unit.columns[0], unit.last, unit.columns[1])
        self._add(Output(text, True, place, laid_out, is_printed))

    def note_printed(self, text):
        """Record printed text."""
        outputs = self.entries[-1].outputs if self.entries else []
        if outputs and not outputs[-1].is_value and len(outputs[-1].text) < LONGEST:
            outputs[-1] = Output(outputs[-1].text + text, False)
        elif not outputs or outputs[-1].is_value:
            self._add(Output(text, False))

    def _add(self, output):
        if self.entries:
            self.entries[-1].outputs.append(
                output._replace(text=shorten(output.text), laid_out=shorten(output.laid_out))
            )

    def list_done(self, without=frozenset()):
        """Return the entries that succeeded or had an effect, except those of some commands."""
        return [
            each
            for each in self.entries
            if (not each.failed or each.left_something)
            and not each.is_aside
            and not (each.command and each.command.name in without)
        ]

    def forget(self, first, command, names):
        """Drop an undone entry, and later ones entered with it or reading a name that it changed; return their number.

        Later entries changed nothing themselves, or are undone with it; what they showed no longer holds. Where random numbers
        were drawn, they are drawn again from there on, so later entries that drew some are dropped, too. The undoing command
        stays.
        """
        place = self.entries.index(first)
        behind = self.entries[place:]
        kept = [
            each
            for each in behind
            if each.command is command or each.source is not first.source and names.isdisjoint(WORD.findall(each.text))
        ]
        drew = next((n for n, each in enumerate(behind) if each not in kept and each.generator is not None), None)
        if drew is not None:
            self.generator = behind[drew].generator
            set_generator(self.generator)
            kept = [each for each in kept if each.generator is None or each in behind[:drew]]
        self.entries[place:] = kept
        return len(behind) - len(kept)

    def take_up(self, text):
        """Add code that ran elsewhere, without running it."""
        source = Source(text, "<loaded>")
        try:
            units = source.units()
        except (SyntaxError, ValueError):
            return
        for unit in units:
            if not self._goes_on(unit):
                self._new_entry(unit)
            self.entries[-1].last = unit.last


def shorten(text):
    """Truncate a long text."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "\n..."
