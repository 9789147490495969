"""Reading blocks as plain lines: for --plain, terminals that cannot move their cursor, and screen readers."""

import re

from tensh.cli.repl import blocks
from tensh.cli.repl.history import FIRST, FURTHER
from tensh.cli.repl.line_editor import LineEditor, can_edit
from tensh.support.openness import Openness

# sequences of arrow and other keys, which have no meaning here
KEYS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?")


class PlainReader:
    """Reads lines after a prompt until the block is complete. Never redraws."""

    help_key = "%help"
    keys = (
        ("Enter", "runs a line; a block continues until an empty line"),
        ("Tab", "completes a name; at the beginning of a line, indents it"),
        ("Up, Down", "earlier lines"),
        ("Ctrl-R", "searches earlier lines"),
        ("Ctrl-C", "stops the running code, or discards the typed line"),
        ("Ctrl-D", "exits, on an empty line"),
    )

    def __init__(self, env, history, interrupts, namespace):
        self.env = env
        self.history = history
        self.interrupts = interrupts
        self.lines = LineEditor(env, history, namespace) if can_edit(env) else None

    def read(self):
        """Read a block; raise EOFError at the end of the input, KeyboardInterrupt if ^C discards the text."""
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

    def remember(self, text):
        """Add a block to the history."""
        self.history.add(text)
        if self.lines:
            self.lines.remember(text)

    def line(self, prompt, before=()):
        """Read a line with its end, "" at the end of the input. `before` are the previous lines of the block."""
        if self.lines:
            with self.interrupts:
                return self.lines.read(prompt, before)
        self.env.stdout.write(prompt)
        self.env.stdout.flush()
        with self.interrupts:
            return self.env.stdin.readline()

    def take_settings(self, settings):
        """Do nothing: no setting concerns plain lines."""

    def clear(self):
        """Do nothing: text that was written stays."""


def clean(line):
    """Remove key sequences and a pasted prompt from a line."""
    line = KEYS.sub("", line).rstrip("\r\n")
    prompt = blocks.PROMPTS.match(line) or blocks.CONTINUATIONS.match(line)
    return line[prompt.end() :] if prompt else line
