"""Blocks read from plain lines: for --plain, for a terminal that cannot move its cursor, and for a screen reader."""

import re

from tensh.cli.repl import blocks
from tensh.cli.repl.history import FIRST, FURTHER
from tensh.cli.repl.line_editor import LineEditor, can_edit
from tensh.cli.session.openness import Openness

KEYS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?")  # what arrow keys send, which nobody here understands


class PlainReader:
    """Writes a prompt, reads a line, and another while the block is open. Nothing is ever drawn twice."""

    help_key = "%help"
    keys = (
        ("Enter", "runs a line; a block goes on until an empty line"),
        ("Tab", "completes a name; at the beginning of a line, indents it"),
        ("Up, Down", "earlier lines"),
        ("Ctrl-R", "searches earlier lines"),
        ("Ctrl-C", "stops what runs, or throws away what is typed"),
        ("Ctrl-D", "ends, in an empty line"),
    )

    def __init__(self, env, history, interrupts, namespace):
        self.env = env
        self.history = history
        self.interrupts = interrupts
        self.lines = LineEditor(env, history, namespace) if can_edit(env) else None

    def read(self):
        """A block; EOFError where the input ends, KeyboardInterrupt where ^C throws away what was typed."""
        lines, openness = [], Openness()
        while not lines or blocks.goes_on(lines, openness):
            try:
                line = self.line(FURTHER if lines else FIRST, lines)
            except KeyboardInterrupt:
                self.env.stdout.write("\n")
                raise
            if not line:
                self.env.stdout.write("\n")
                if lines:
                    break
                raise EOFError
            lines.append(clean(line))
            openness.take(lines[-1])
        text = "\n".join(lines)
        self.history.add(text)
        return text

    def line(self, prompt, before=()):
        """A line with its end; nothing at the end of the input. `before` are the lines of the block so far."""
        if self.lines:
            with self.interrupts:
                return self.lines.read(prompt, before)
        self.env.stdout.write(prompt)
        self.env.stdout.flush()
        with self.interrupts:
            return self.env.stdin.readline()

    def take_settings(self, settings):
        """None of them is about plain lines."""

    def clear(self):
        """Do nothing: written text stays."""


def clean(line):
    """A line as it was meant: without keys that are not text, and without a prompt that was pasted with it."""
    line = KEYS.sub("", line).rstrip("\r\n")
    prompt = blocks.PROMPTS.match(line) or blocks.CONTINUATIONS.match(line)
    return line[prompt.end() :] if prompt else line
