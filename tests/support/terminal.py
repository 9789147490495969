"""A terminal for tests: a program in a pseudo-terminal, and the screen that it draws.

Nothing here sleeps: `wait` reads output until the screen is as expected, and otherwise fails with the text of
the screen.
"""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

from tensh.show.drawing.text import cells
from tests.support.project import ROOT, plain_environment

PATIENCE = float(os.environ.get("PATIENCE", 60))  # seconds, for a machine that is busy
KEYS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "escape": "\x1b", "enter": "\r",
        "tab": "\t", "backspace": "\x7f", "f1": "\x1bOP", "f2": "\x1bOQ", "home": "\x1b[H", "end": "\x1b[F"}  # fmt: skip
ESCAPE = re.compile(r"\x1b(?:\[([?>]?)([\d;]*)( ?[@-~])|\][^\x07]*\x07|O.|[=>78])")
UNFINISHED = re.compile(r"\x1b(?:\[[?>]?[\d;]* ?|\][^\x07]*|O)?$")
LOOP = """
for n in range(10**9):
    y = x @ x
    if n == 20:
        print('under', 'way')
"""
"""A loop that runs until it is interrupted, and prints once that it has begun."""


class Screen:
    """The lines that a program has drawn, including those that have scrolled away, and the position of the cursor."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[]]
        self.row = self.column = self.top = 0  # top: the first row of the window
        self.wraps = True
        self.rest = ""

    def feed(self, text):
        text = self.rest + text
        unfinished = UNFINISHED.search(text)
        self.rest = unfinished[0] if unfinished else ""
        text = text[: len(text) - len(self.rest)]
        position = 0
        for match in ESCAPE.finditer(text):
            self.write(text[position : match.start()])
            self.obey(match[1], match[2], match[3])
            position = match.end()
        self.write(text[position:])

    def obey(self, mark, number, action):
        """Obey an escape sequence that moves the cursor, erases or wraps. Others do not affect the text."""
        count = int(number.partition(";")[0] or 1) if number else 1
        if mark:
            self.wraps = self.wraps if number != "7" else action == "h"
        elif action == "A":
            self.row = max(self.row - count, 0)
        elif action == "B":
            self.move(self.row + count)
        elif action == "C":
            self.column = min(self.column + count, self.columns - 1)
        elif action == "D":
            self.column = max(self.column - count, 0)
        elif action == "G":
            self.column = count - 1
        elif action == "H":
            row, _, column = (number or "1;1").partition(";")
            self.move(self.top + max(int(row or 1), 1) - 1)
            self.column = max(int(column or 1), 1) - 1
        elif action == "K":
            del self.line[self.column :]
        elif action == "J" and number == "2":  # a new page; the old one is kept above it
            self.top = self.row = len(self.lines)
            self.lines.append([])
        elif action == "J":
            del self.line[self.column :]
            del self.lines[self.row + 1 :]

    @property
    def line(self):
        return self.lines[self.row]

    def move(self, row):
        self.row = row
        self.top = max(self.top, row - self.rows + 1)
        while len(self.lines) <= row:
            self.lines.append([])

    def write(self, text):
        for character in text:
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.move(self.row + 1)
            elif character == "\b":
                self.column = max(self.column - 1, 0)
            elif character == "\t":
                self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
            elif character >= " ":
                self.put(character)

    def put(self, character):
        width = cells(character)
        if self.column + width > self.columns:
            if self.wraps:
                self.column = 0
                self.move(self.row + 1)
            else:
                self.column = self.columns - width
        self.line.extend(" " * (self.column + width - len(self.line)))
        self.line[self.column : self.column + width] = [character, *[""] * (width - 1)]
        self.column += width

    def text(self, first=0, last=None):
        return "\n".join("".join(line).rstrip() for line in self.lines[first:last])


class Terminal:
    """`tensh ARGUMENTS` in a terminal of some size, with a screen."""

    def __init__(self, *arguments, columns=80, rows=24, program=("-m", "tensh"), cwd=ROOT, errors=None, **environment):
        variables = plain_environment() | {"TERM": "xterm-256color", "TENSH_HISTORY": "off", "TENSH_CONFIG": "none"}
        variables |= environment
        self.screen = Screen(columns, rows)
        self.raw = ""
        self.status = None
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            if errors:  # a file for standard error, instead of the terminal
                os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
            os.chdir(cwd)
            os.execve(sys.executable, [sys.executable, *program, *map(str, arguments)], variables)
        self.resize(columns, rows)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.status is None:
            self.kill()

    # ── what goes in ─────────────────────────────────────────────────────────

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def press(self, *names):
        """Press keys, given by name, such as ^C."""
        for name in names:
            self.type(chr(ord(name[1]) - 64) if len(name) == 2 and name[0] == "^" else KEYS[name])

    def paste(self, text):
        self.type(f"\x1b[200~{text}\x1b[201~")

    def resize(self, columns, rows):
        self.screen.columns, self.screen.rows = columns, rows
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # ── what comes out ───────────────────────────────────────────────────────

    def read(self, seconds):
        """Read available output, waiting up to some time; return whether there was any."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return False
        try:
            content = os.read(self.descriptor, 2**16)
        except OSError:  # the program has closed the terminal
            content = b""
        if not content:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
            return False
        text = content.decode(errors="replace")
        self.raw += text
        self.screen.feed(text)
        return True

    def wait(self, wanted):
        """Read until a text is on the screen, or a condition holds."""
        holds = wanted if callable(wanted) else lambda: wanted in self.screen.text()
        end = time.monotonic() + PATIENCE
        while not holds():
            assert self.status is None and time.monotonic() < end, f"{wanted!r} did not come:\n{self.screen.text()}"
            self.read(1)

    def shows(self, line):
        """Wait until the line of the cursor has this text."""
        self.wait(lambda: "".join(self.screen.line).rstrip() == line)

    def at_prompt(self):
        """Return True if the cursor is after an empty prompt."""
        line = "".join(self.screen.line).rstrip()
        return line == ">>>" and self.screen.column == 4

    def ready(self):
        """Wait for a prompt."""
        self.wait(self.at_prompt)
        return self

    def enter(self, text, typed="\r"):
        """Type a block, wait for the next prompt, and return the output between them."""
        row = self.screen.row
        self.type(text + typed)
        self.wait(lambda: self.at_prompt() and self.screen.row > row)
        return self.since(row)

    def since(self, row):
        """Return the results between a row and the prompt: lines that are neither prompt nor caption."""
        lines = self.screen.text(row, self.screen.row).split("\n")
        return "\n".join(line for line in lines if not line.startswith((">>>", "...", "# ")))

    def end(self):
        """Wait for the program to end; its exit status."""
        end = time.monotonic() + PATIENCE
        while self.status is None:
            assert time.monotonic() < end, f"it does not end:\n{self.screen.text()}"
            self.read(1)
        os.close(self.descriptor)
        return self.status

    def kill(self):
        """kill -9."""
        os.kill(self.process, signal.SIGKILL)
        with contextlib.suppress(OSError):
            while self.status is None:
                self.read(1)
        os.close(self.descriptor)
