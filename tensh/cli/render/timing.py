"""The table of `--time`: how long each statement took."""

from tensh.show.drawing.text import pad
from tensh.show.reading.describe import duration
from tensh.support.language import _


def table(rows):
    """Yield (kind, text) pairs for (unit, seconds) rows."""
    whole = sum(seconds for _, seconds in rows)
    yield (
        "note",
        f"{pad(_('time'), 10, to_the_right=True)}  {pad(_('share'), 5, to_the_right=True)}  {_('statement')}\n",
    )
    for unit, seconds in rows:
        share = f"{100 * seconds / whole:.0f} %" if whole else ""
        yield "plain", f"{duration(seconds):>10}  {share:>5}  "
        yield "place", unit.source.place(unit.first)
        first = getattr(unit, "written", [unit.text])[0]  # without other statements on the line
        yield "plain", f"  {first.strip()[:60]}\n"
    yield "plain", f"{duration(whole):>10}         {_('in all')}\n"
