"""Completion of commands, their arguments, and files."""

import inspect
import os
import pkgutil
import re

from tensh.support.escaping import visible_line
from tensh.support.language import _, deferred

COMMAND = re.compile(r"%(\w*)\Z")
WITH_ARGUMENT = re.compile(r"%(\w+)[ \t]+([^\n]*)\Z")
OPTION = re.compile(r"--\w+|\w+=True|\w+=|(?<!=)'\w+'")  # as written in the usage of a command
MOST = 500  # entries read of a folder


def commands(prefix):
    """Yield (text, kind, description) for the commands that begin with a prefix."""
    from tensh.cli.session.magics import MAGICS

    for name, each in MAGICS.items():
        if name.startswith(prefix) and name.isidentifier():
            yield f"%{name}", deferred("command"), _(each.summary)


def command_arguments(name, text):
    """Return (number of characters, candidates) for the argument of a command; None if it is an expression."""
    from tensh.cli.session.magics import MAGICS

    usage = MAGICS[name].usage if name in MAGICS else ""
    if name == "set":
        return settings(text)
    if "FILE" in usage or "PATH" in usage:
        word = text.rpartition(" ")[2]
        return len(word), [*options(name, word), *files(word, refused_by(name))]
    return None


def refused_by(name):
    """Return the extensions of files that a command refuses: `%load` takes no documents, which `%run` runs."""
    from tensh.cli.documents.files import KINDS

    return KINDS if name == "load" else ()


def options(name, begin):
    """Yield (text, kind, description) for the options in a command's usage, and for the parameters of its function."""
    from tensh.cli.session.magics import MAGICS

    if name not in MAGICS or not begin:
        return
    found = dict.fromkeys(OPTION.findall(MAGICS[name].usage))
    function = function_of(MAGICS[name].sugar)
    known = inspect.signature(function).parameters.values() if function else ()
    for text in found | dict.fromkeys(f"{p.name}=" for p in known if p.default is not p.empty):
        if text.startswith(begin):
            yield text, deferred("option"), _("of {command}").format(command=f"%{name}")


def function_of(sugar):
    """Return the public function that a command calls, or None."""
    path = (sugar or "").partition("(")[0]
    return pkgutil.resolve_name(path.replace("torch.", "tensh.")) if "." in path else None


def settings(text):
    """Complete the name of a setting, or its value."""
    from tensh.cli.settings.config import DECLARED

    name, space, rest = text.partition(" ")
    if not space:
        return len(name), [(n, deferred("setting"), _(each.help)) for n, each in DECLARED.items() if n.startswith(name)]
    allowed = DECLARED[name].allowed.words.split(", ") if name in DECLARED else []
    words = [word for word in allowed if " " not in word and word.startswith(rest)]
    return len(rest), [(word, deferred("value"), "") for word in words]


def files(text, refused=()):
    """Yield (text, kind, description) for the files, without ``refused`` extensions, and folders that complete a path."""
    folder, begin = os.path.split(text)
    where = os.path.expanduser(folder) or "."
    try:
        with os.scandir(where) as entries:
            found = sorted((entry.name, entry.is_dir()) for entry, __ in zip(entries, range(MOST), strict=False))
    except (OSError, ValueError):  # no such folder, or not a valid path
        return
    for name, is_folder in found:
        if visible_line(name) != name:  # cannot be typed, and would contain escape sequences
            continue
        if not is_folder and os.path.splitext(name)[1].lower() in refused:
            continue
        if name.startswith(begin) and (begin.startswith(".") or not name.startswith(".")):
            yield (
                os.path.join(folder, name) + ("/" if is_folder else ""),
                deferred("folder") if is_folder else deferred("file"),
                "",
            )
