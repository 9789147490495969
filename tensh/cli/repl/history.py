"""The history file: a transcript, with `>>> ` before each entry and `... ` before its further lines.

An entry is appended in one write when it is entered, before it runs. So concurrent shells do not lose each other's
entries, and a killed shell loses only the line being typed.
"""

import contextlib
import os

from tensh.cli.files import reading
from tensh.cli.programs.options import UsageError
from tensh.support.language import _, count

FIRST, FURTHER = ">>> ", "... "
LONGEST = 2**20  # bytes read from the end of the file
MOST = 5000  # entries that are offered


class History:
    """Entries of earlier sessions, and the file for those of this one; without a path nothing is stored."""

    def __init__(self, path=None):
        self.path = path
        self.given_up = None  # the path of a file that failed
        self.notices = []  # messages about problems with the file

    def keep_at(self, path):
        """Store entries in another file from now on; a file that has failed stays given up."""
        self.path = None if path == self.given_up else path

    def entries(self):
        """Return the entries of the file, oldest first. Set a damaged file aside, keeping the readable entries."""
        if self.path is None:
            return []
        try:
            content = self.read_end()
        except (OSError, UsageError) as error:
            self.give_up(error)
            return []
        if len(content) == LONGEST:  # begins in the middle of an entry
            content = content[max(0, content.find(b"\n" + FIRST.encode())) :].lstrip(b"\n")
        entries, wrong = read(content)
        if wrong:
            self.set_aside(entries, wrong)
        return entries[-MOST:]

    def read_end(self):
        """Return the last LONGEST bytes of the file; raise UsageError for a pipe or a device, which may never end."""
        if self.path == os.devnull or not os.path.exists(self.path):
            return b""
        reading.require(self.path)
        with open(self.path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LONGEST))
            return file.read(LONGEST)

    def add(self, text):
        """Store an entry, unless it begins with a space, which marks it as private."""
        if self.path is None or text.startswith(" ") or not text.strip():
            return
        try:
            self.append([text])
        except OSError as error:
            self.give_up(error)

    def append(self, entries):
        folder = os.path.dirname(self.path)
        if folder:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        file = os.open(self.path, flags, 0o600)  # readable by the user only
        try:
            content = "".join(map(format_entry, entries)).encode(errors="replace")
            os.write(file, content if ends_well(file) else b"\n" + content)
        finally:
            os.close(file)

    def set_aside(self, entries, wrong):
        """Rename a damaged file, and start a new one with the readable entries."""
        aside = next(name for name in names_aside(self.path) if not os.path.exists(name))
        try:
            os.replace(self.path, aside)
            self.append(entries)
        except OSError as error:
            self.give_up(error)
            return
        self.notices.append(
            _("the history was damaged: {lines} could not be read; the file is kept as {aside}").format(
                lines=count(wrong, "line"), aside=aside
            )
        )

    def give_up(self, error):
        """Continue without a file."""
        reason = getattr(error, "strerror", None) or str(error).removeprefix(f"{self.path}: ")
        self.notices.append(_("the history cannot be saved: {path}: {reason}").format(path=self.path, reason=reason))
        self.path, self.given_up = None, self.path

    def take_messages(self):
        """Return the messages about the history, once."""
        found, self.notices = self.notices, []
        return found


def read(content):
    """Parse the content of a file: return (entries, number of lines that belong to none)."""
    entries, wrong = [], 0
    for line in content.split(b"\n"):
        try:
            text = line.decode().removesuffix("\r")
        except UnicodeDecodeError:
            text = "\0"
        if (
            "\0" in text
            or (text and not text.startswith((FIRST, FURTHER)))
            or (text.startswith(FURTHER) and not entries)
        ):
            wrong += 1
        elif text.startswith(FIRST):
            entries.append([text[len(FIRST) :]])
        elif text:
            entries[-1].append(text[len(FURTHER) :])
    return ["\n".join(lines) for lines in entries], wrong


def format_entry(entry):
    """Format an entry for the file."""
    return FIRST + entry.replace("\n", "\n" + FURTHER) + "\n"


def ends_well(file):
    """Return True if the file ends with a line end, or is empty."""
    with contextlib.suppress(OSError):
        size = os.fstat(file).st_size
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            return os.read(file, 1) == b"\n"
    return True


def names_aside(path):
    """Yield names for a damaged file."""
    yield f"{path}.damaged"
    number = 2
    while True:
        yield f"{path}.damaged-{number}"
        number += 1
