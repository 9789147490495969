"""Guidance by coverage: files that reach new lines of the readers are changed further.

Python 3.12 and later can report a line once and then disable the event, which costs next to nothing. Before that, every
sixteenth file is traced, and a function all of whose lines were seen is no longer traced. The place where a file was
refused counts as a line.
"""

import dis
import os
import sys

import tensh

SOURCES = os.path.dirname(tensh.__file__)
EVERY = 16  # files, of which one is traced
MOST = 400  # files that are kept
LONGEST = 20_000  # bytes of a file that is kept


class Guidance:
    """The lines seen so far, and the files that reached them."""

    def __init__(self, seeds):
        self.seeds, self.kept = list(seeds), []
        self.new = self.count = 0
        self.places, self.unseen = set(), {}
        self.monitoring = getattr(sys, "monitoring", None)
        if self.monitoring:
            self.monitoring.use_tool_id(self.monitoring.COVERAGE_ID, "fuzzing")
            self.monitoring.register_callback(self.monitoring.COVERAGE_ID, self.monitoring.events.LINE, self.met)

    def choose(self, rng):
        """A file to change."""
        return rng.choice(self.kept if self.kept and rng.random() < 0.6 else self.seeds)

    def watch(self, data):
        """Return whether to trace the next file: a long one takes ten times as long."""
        self.new, self.count = 0, self.count + 1
        self.tracing = self.count % EVERY == 0 and len(data) < LONGEST
        return self

    def __enter__(self):
        if self.monitoring:
            self.monitoring.set_events(self.monitoring.COVERAGE_ID, self.monitoring.events.LINE)
        elif self.tracing:
            sys.settrace(self.trace)
        return self

    def __exit__(self, *_):
        if self.monitoring:
            self.monitoring.set_events(self.monitoring.COVERAGE_ID, 0)
        else:
            sys.settrace(None)

    def ended(self, data, place):
        """Keep a file that reached something new; ``place`` is where it was refused."""
        if place not in self.places:
            self.places.add(place)
            self.new += 1
        if self.new and len(data) <= LONGEST:
            if len(self.kept) >= MOST:
                self.kept.pop(len(self.places) % MOST)
            self.kept.append(data)

    # ── lines ────────────────────────────────────────────────────────────────

    def met(self, code, line):
        """Note a line, as reported by Python 3.12 and later."""
        self.new += code.co_filename.startswith(SOURCES)
        return self.monitoring.DISABLE

    def trace(self, frame, event, argument):
        """Trace a function that is called."""
        code = frame.f_code
        if code not in self.unseen:
            ours = code.co_filename.startswith(SOURCES)
            self.unseen[code] = {line for _, line in dis.findlinestarts(code) if line} if ours else set()
        unseen = self.unseen[code]
        if not unseen:
            return None

        def trace_lines(frame, event, argument):
            if frame.f_lineno in unseen:
                unseen.discard(frame.f_lineno)
                self.new += 1
            return trace_lines

        return trace_lines
