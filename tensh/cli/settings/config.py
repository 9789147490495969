"""The settings: each declared once, read from a file and from environment variables.

The user's `config.toml` holds `name = value` lines; a variable `TENSH_NAME` overrides it. Invalid entries are reported
and keep their default, so that a mistake in the file never prevents a start. `%set` uses the same names.
"""

import os
import sys
from collections import namedtuple
from typing import NamedTuple

from tensh.cli.files import reading
from tensh.cli.process.folders import folder
from tensh.cli.programs.options import UsageError
from tensh.support.escaping import visible_line
from tensh.support.language import AUTO, LANGUAGES, _

FILE, STARTUP = "config.toml", "startup.tsh"
LARGEST = 2**14  # bytes of a settings file: a hundred times what all settings need
LONGEST = 40  # characters of an invalid value that a message shows
ANY = sys.maxsize
SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


class Switch:
    """A boolean setting."""

    words = "on, off"

    def read(self, value):
        if isinstance(value, bool):
            return value
        return SWITCH[str(value).strip().lower()]


class Words:
    """A setting with a fixed set of words."""

    def __init__(self, *words):
        self.known = words
        self.words = ", ".join(words)

    def read(self, value):
        return self.known[self.known.index(str(value).strip().lower())]


class Whole:
    """A whole number within bounds, or one of some words."""

    def __init__(self, least, most, *words):
        self.least = least
        self.most = most
        self.known = words

    @property
    def words(self):
        between = _("a whole number from {least} to {most}") if self.most < ANY else _("a whole number from {least}")
        return ", ".join([*self.known, between.format(least=self.least, most=self.most)])

    def read(self, value):
        if str(value) in self.known:
            return value
        if isinstance(value, bool | float):
            raise ValueError(value)
        number = int(value)
        if not self.least <= number <= self.most:
            raise ValueError(value)
        return number


class Path:
    """A path, or one of some words."""

    def __init__(self, *words):
        self.known = words

    @property
    def words(self):
        return ", ".join([*self.known, _("a file")])

    def read(self, value):
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise ValueError(value)
        return value


class Setting(NamedTuple):
    """A declaration: default, allowed values, effect, and the option of torch.set_printoptions that it sets."""

    default: object
    allowed: object
    help: str
    printing: str | None = None


DECLARED = {
    "caption": Setting(True, Switch(), "the summary line under a tensor"),
    "precision": Setting(4, Whole(0, 100), "the number of decimal places", "precision"),
    "linewidth": Setting(
        "auto", Whole(10, ANY, "auto"), "the width of a tensor in columns; auto is the window's", "linewidth"
    ),
    "threshold": Setting(1000, Whole(0, ANY), "the number of elements above which a tensor is summarised", "threshold"),
    "edgeitems": Setting(3, Whole(0, ANY), "the number of elements shown at each end of a summary", "edgeitems"),
    "sci": Setting("auto", Words("auto", "on", "off"), "scientific notation", "sci_mode"),
    "theme": Setting("auto", Words("auto", "light", "dark", "mono"), "the colours"),
    "language": Setting(AUTO, Words(AUTO, *LANGUAGES), "the language of messages; auto is the locale's"),
    "glyphs": Setting("auto", Words("auto", "unicode", "ascii"), "the characters: ascii where boxes take two columns"),
    "images": Setting(
        "auto", Words("auto", "kitty", "iterm", "blocks"), "how images are shown; blocks of colour work everywhere"
    ),
    "toolbar": Setting(True, Switch(), "the status line below the prompt"),
    "keys": Setting("emacs", Words("emacs", "vi"), "the keys of the prompt"),
    "suggest": Setting(True, Switch(), "suggestions of the rest of an earlier line, in grey"),
    "history": Setting("on", Path("on", "off"), "where the history of lines is kept"),
    "startup": Setting(
        "on", Path("on", "off"), "the file that the prompt runs first; on is startup.tsh beside the settings"
    ),
}


class Settings(namedtuple("Settings", DECLARED, defaults=[each.default for each in DECLARED.values()])):
    """Appearance and behaviour of tensh on a terminal. They do not affect output into a pipe."""

    __slots__ = ()

    def replace_value(self, name, value):
        """Return the settings with one value replaced; raise SettingError for an invalid one."""
        declared = DECLARED.get(name)
        if declared is None:
            raise SettingError(describe_unknown(name))
        try:
            return self._replace(**{name: declared.allowed.read(value)})
        except (ValueError, KeyError, TypeError):
            raise SettingError(
                _("{name} cannot be {value}; allowed: {allowed}").format(
                    name=name, value=brief(format_value(value)), allowed=describe_allowed(name)
                )
            ) from None

    def print_options(self):
        """Return the arguments of torch.set_printoptions that differ from PyTorch's defaults."""
        found = {}
        for name, declared in DECLARED.items():
            value = getattr(self, name)
            if declared.printing and value != declared.default:
                found[declared.printing] = {"on": True, "off": False}.get(value, value)
        return found


class SettingError(Exception):
    """Raised for an unknown setting or an invalid value."""


class LoadedSettings(NamedTuple):
    """Settings, the origin of each value that is not a default, and complaints about invalid entries."""

    settings: Settings
    origins: dict[str, str]
    complaints: list[str]


def load(variables):
    """Load a user's settings: defaults, overridden by the file, then by the variables."""
    settings, origins, complaints = Settings(), {}, []
    file = path(variables)
    found = [(file, *pair) for pair in from_file(file, complaints)]
    found += [
        (f"TENSH_{n.upper()}", n, variables[f"TENSH_{n.upper()}"])
        for n in DECLARED
        if f"TENSH_{n.upper()}" in variables
    ]
    for origin, name, value in found:
        try:
            settings = settings.replace_value(name, value)
            origins[name] = origin
        except SettingError as error:
            complaints.append(f"{origin}: {error}")
    return LoadedSettings(settings, origins, [*map(visible_line, complaints)])


def path(variables):
    """Return the path of the settings file, which need not exist; TENSH_CONFIG names another, or `off`."""
    return variables.get("TENSH_CONFIG") or os.path.join(folder("config", variables), FILE)


def startup_path(settings, variables):
    """Return the path of the start-up file of the prompt, which need not exist; None if there is to be none.

    No file of the current folder runs by itself: if TENSH_CONFIG names another settings file, the start-up file must be
    named there.
    """
    if settings.startup == "on":
        return None if variables.get("TENSH_CONFIG") else os.path.join(folder("config", variables), STARTUP)
    return None if settings.startup == "off" else os.path.expanduser(settings.startup)


def from_file(file, complaints):
    """Return the (name, value) pairs of a settings file; add what cannot be read to the complaints."""
    if not os.path.lexists(file) or os.path.realpath(file) == os.devnull:
        return []
    import tomllib

    try:
        return [*tomllib.loads(reading.text(file, LARGEST)).items()]
    except UsageError as error:
        complaints.append(str(error))
    except tomllib.TOMLDecodeError as error:
        complaints.append(f"{file}: {error}")
    except RecursionError:
        complaints.append(_("{file}: it is nested too deeply").format(file=file))
    except ValueError:  # raised by Python for numbers with thousands of digits
        complaints.append(_("{file}: it has a number with too many digits").format(file=file))
    return []


def describe_unknown(name):
    """Return the message for a name that is not a setting."""
    from tensh.support.spelling import close

    meant = close(name[:LONGEST], DECLARED)
    return _("there is no setting {name}; ").format(name=brief(repr(name))) + (
        _("did you mean {meant}?").format(meant=meant) if meant else _("there are ") + ", ".join(DECLARED)
    )


def format_value(value):
    """Format a value as in `%set` and `tensh config show`."""
    try:
        return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    except ValueError:  # Python refuses to write numbers with thousands of digits
        return _("a number with so many digits")


def brief(text):
    """Shorten a long text."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def describe_allowed(name):
    """Describe the allowed values of a setting."""
    return DECLARED[name].allowed.words


def table(loaded):
    """Return the settings as a table: name, value, origin, allowed values, effect."""
    from tensh.show.drawing.table import Table

    rows = [
        (name, format_value(getattr(loaded.settings, name)), loaded.origins.get(name, _("default")), describe_allowed(name), _(declared.help))
        for name, declared in DECLARED.items()
    ]  # fmt: skip
    return Table((_("name"), _("value"), _("from"), _("can be"), _("what it sets")), rows, wraps=True)


def show(env):
    """Carry out `tensh config show`."""
    from tensh.cli.process import status
    from tensh.cli.render.console import Console

    loaded = load(env.variables)
    console = Console(env, loaded)
    console.result([*table(loaded).draw(console.page()), ("plain", "\n")])
    for complaint in loaded.complaints:
        console.remark([("warning", f"{complaint}\n")])
    return status.OK


def show_path(env):
    """Carry out `tensh config path`."""
    from tensh.cli.process import status
    from tensh.cli.render.console import Console

    Console(env).result([("plain", visible_line(path(env.variables)) + "\n")])
    return status.OK
