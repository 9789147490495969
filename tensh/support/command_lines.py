"""Recognising the lines of a session that are commands, not Python: `%name rest`, `!command`, `name?` and `?name`."""

from tensh.support.openness import Openness
from tensh.support.patterns import pattern

# What help can be asked about: `net[0].weight`, `net.0.weight`, `torch.*norm`, `%who`.
ASKED = r"%\w+|[^\W\d][\w.]*(?:\[[^\[\]]*\][\w.]*)*|[\w.]*(?:\*+[\w.]*)+"
END = r"[ \t]*(?:#.*)?$"
ASKING = rf"(?:(?:{ASKED})[ \t]*\?\??|\?\??[ \t]*(?:{ASKED})?){END}"  # matches a whole line
COMMANDS = {  # pattern of a command by its first character
    "%": pattern(r"%(?P<name>%?\w+)[ \t]*(?P<argument>(?:.*[^ \t])?)[ \t]*$"),
    "!": pattern(r"(?P<name>!)!?[ \t]*(?P<argument>(?:.*[^ \t])?)[ \t]*$"),
    "?": pattern(rf"(?P<name>\?\??)[ \t]*(?P<argument>(?:{ASKED})?){END}"),
}
ASKED_BEHIND = pattern(rf"(?P<argument>{ASKED})[ \t]*(?P<name>\?\??){END}")


def command_on(line):
    """Match a line that is a command, with groups `name` and `argument`; None for other lines."""
    if not line.startswith(("%", "!")) and "?" not in line:
        return None
    return COMMANDS.get(line[0], ASKED_BEHIND).match(line)


def find_commands(lines):
    """Yield (number, match) of the lines that are commands: those where a statement can begin, not within a string."""
    if not any(map(command_on, lines)):
        return
    openness = Openness()
    for number, line in enumerate(lines, 1):
        match = None if openness else command_on(line)
        if match:
            yield number, match
        else:
            openness.take(line)


def blank_commands(text):
    """Empty the lines of a text that are commands, so that the rest can be parsed with the same line numbers."""
    lines = text.split("\n")
    for number, _match in [*find_commands(lines)]:
        lines[number - 1] = ""
    return "\n".join(lines)
