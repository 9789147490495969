"""The toolbar of the prompt: modes and memory of the session, computed once after each block."""

import importlib

from tensh.show.drawing.text import cells, shorten
from tensh.show.reading.describe import amount, duration, is_tensor, nbytes
from tensh.support.language import _, count, deferred

LONGEST_SEED = 10  # digits; a longer seed was drawn at random, not chosen
KEYS = deferred("F1 help  F2 names  ^R history")


class Toolbar:
    """Facts about a session after its last block."""

    def __init__(self, session, unicode):
        self.session = session
        self.unicode = unicode
        self.facts = ["float32", _("grad on")]

    def count(self, seconds):
        """Update the facts; `seconds` is the duration of the last block, None before the first."""
        engine = importlib.import_module(self.session.engine)
        number, size = measure_memory(self.session.own_names().values())
        seed = str(engine.initial_seed())
        self.facts = [
            str(engine.get_default_dtype()).removeprefix("torch."),
            _("grad on") if engine.is_grad_enabled() else _("grad off"),
            _("seed {seed}").format(seed=seed) if len(seed) <= LONGEST_SEED else _("no seed"),
            f"{count(number, 'tensor')} {amount(size)}" if number else _("no tensors"),
        ]
        if self.session.inside:
            self.facts.insert(0, _("in {place}").format(place=self.session.inside.function or _("a file")))
        if seconds is not None:
            self.facts.append(_("last {time}").format(time=duration(seconds)))

    def text(self, width, mode=""):
        """Return the line for a window: as many facts as fit, and the keys if there is room."""
        line = " " + fit([*filter(None, [mode]), *self.facts], width - 1, self.unicode)
        keys = _(KEYS)
        room = width - cells(line) - cells(keys) - 1
        return line + " " * room + keys if room > 1 else line


def fit(facts, width, unicode):
    """Drop facts from the middle until the line fits."""
    facts, dot = list(facts), " · " if unicode else ", "
    while len(facts) > 1 and cells(dot.join(facts)) > width:
        facts.pop(len(facts) // 2 if len(facts) > 2 else -1)
    line = shorten(dot.join(facts), width, unicode)
    return line if unicode else line.replace("µ", "u")


def measure_memory(values):
    """Return (number of tensors, bytes of their memory); shared memory counts once."""
    kinds, owners, number = {}, {}, 0
    for value in values:
        kind = type(value)
        if kind not in kinds:
            kinds[kind] = is_tensor(value)
        if kinds[kind]:
            number += 1
            array = getattr(value, "array", value)
            for part in getattr(array, "parts", (array,)):
                base = getattr(part, "base", None)
                owner = part if base is None or not hasattr(base, "nbytes") else base
                owners[id(owner)] = nbytes(owner)
    return number, sum(owners.values())


def count_matches(index, number):
    """Count the completions, and tell which is chosen."""
    from tensh.cli.session.completion import MOST

    many = f"{number:,}" + "+" * (number >= MOST)
    if index is None:
        return _("{many} matches").format(many=many)
    return _("{number} of {many} matches").format(number=index + 1, many=many)


def draw_signature(signature, width, unicode):
    """Return a signature as (style, text) pairs that fit the width, with the parameter at the cursor always visible."""
    more, current = "…" if unicode else "...", signature.current
    parts = signature.parameters
    begin, end = 0, len(parts)
    head = f" {signature.function}("

    def length():
        shown = (
            cells(", ".join(parts[begin:end])) + (begin > 0) * (len(more) + 2) + (end < len(parts)) * (len(more) + 2)
        )
        return cells(head) + shown + 2

    while length() > width and end - begin > 1:  # drop parameters far from the cursor first, from the end
        if end - 1 > (current or 0):
            end -= 1
        else:
            begin += 1
    if length() > width:
        head = " "
    if length() > width:
        return []
    pieces = [("", head)]
    if begin:
        pieces.append(("", f"{more}, "))
    for number in range(begin, end):
        pieces.append(("class:bottom-toolbar.argument" if number == current else "", parts[number]))
        pieces.append(("", ", " if number < len(parts) - 1 else ""))
    return [*pieces, ("", f"{more})" if end < len(parts) else ")")]
