"""The settings: one declaration for each, read from a file and from variables.

`config.toml` in the user's folder for settings holds `name = value` lines; a variable `TENSH_NAME` counts more. What
cannot be understood is named and left at its default: a mistake in a file keeps nobody from working. The same names
are those of `%set`.
"""

import os
import sys
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

from tensh.cli import reading
from tensh.cli.folders import folder
from tensh.cli.options import UsageError
from tensh.escaping import visible_line
from tensh.language import AUTO, LANGUAGES, _

FILE, STARTUP = "config.toml", "startup.tsh"
LARGEST = 2**14  # bytes of such a file: a hundred times what all settings need
LONGEST = 40  # characters of a value that are shown where it cannot be
ANY = sys.maxsize
SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


class Switch:
    """On or off."""

    words = "on, off"

    def read(self, value):
        if isinstance(value, bool):
            return value
        return SWITCH[str(value).strip().lower()]


class Words:
    """One of some words."""

    def __init__(self, *words):
        self.known = words
        self.words = ", ".join(words)

    def read(self, value):
        return self.known[self.known.index(str(value).strip().lower())]


class Whole:
    """A whole number between two, or one of some words."""

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
    """A file, or one of some words."""

    def __init__(self, *words):
        self.known = words

    @property
    def words(self):
        return ", ".join([*self.known, _("a file")])

    def read(self, value):
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise ValueError(value)
        return value


def setting(default, allowed, help, printing=None):
    """A setting: its default, what it may be, what it does, and the option of torch.set_printoptions that it is."""
    return field(default=default, metadata={"allowed": allowed, "help": help, "printing": printing})


@dataclass(frozen=True)
class Settings:
    """The look and the behaviour of tensh on a terminal. Output into a pipe does not depend on it."""

    caption: bool = setting(True, Switch(), "the line of facts under a tensor")
    precision: int = setting(4, Whole(0, 100), "the digits after the point", "precision")
    linewidth: int | str = setting(
        "auto", Whole(10, ANY, "auto"), "the columns of a tensor; auto is the window's", "linewidth"
    )
    threshold: int = setting(1000, Whole(0, ANY), "the elements beyond which a tensor is summarised", "threshold")
    edgeitems: int = setting(3, Whole(0, ANY), "what a summary shows at each end", "edgeitems")
    sci: str = setting("auto", Words("auto", "on", "off"), "scientific notation", "sci_mode")
    theme: str = setting("auto", Words("auto", "light", "dark", "mono"), "the colours")
    language: str = setting(AUTO, Words(AUTO, *LANGUAGES), "the language of what tensh says; auto is the locale's")
    glyphs: str = setting(
        "auto", Words("auto", "unicode", "ascii"), "the characters: ascii where boxes take two columns"
    )
    images: str = setting(
        "auto", Words("auto", "kitty", "iterm", "blocks"), "how images are shown; blocks of colour go anywhere"
    )
    toolbar: bool = setting(True, Switch(), "the line of facts at the foot of the prompt")
    keys: str = setting("emacs", Words("emacs", "vi"), "the keys of the prompt")
    suggest: bool = setting(True, Switch(), "the rest of an earlier line, in grey behind what is typed")
    history: str = setting("on", Path("on", "off"), "where the lines typed are kept")
    startup: str = setting(
        "on", Path("on", "off"), "the file that the prompt runs first; on is startup.tsh beside the settings"
    )

    def replace_value(self, name, value):
        """Return the settings with another value; raises SettingError if it does not fit."""
        declared = DECLARED.get(name)
        if declared is None:
            raise SettingError(describe_unknown(name))
        try:
            return replace(self, **{name: declared.metadata["allowed"].read(value)})
        except (ValueError, KeyError, TypeError):
            raise SettingError(
                _("{name} cannot be {value}, but: {allowed}").format(
                    name=name, value=brief(format_value(value)), allowed=describe_allowed(name)
                )
            ) from None

    def print_options(self):
        """The arguments of torch.set_printoptions that were set to something else than PyTorch's own."""
        found = {}
        for name, declared in DECLARED.items():
            value = getattr(self, name)
            if declared.metadata["printing"] and value != declared.default:
                found[declared.metadata["printing"]] = {"on": True, "off": False}.get(value, value)
        return found


DECLARED = {each.name: each for each in fields(Settings)}


class SettingError(Exception):
    """A setting that does not exist, or a value that it cannot have."""


class LoadedSettings(NamedTuple):
    """Settings, where each that is not a default came from, and what could not be understood."""

    settings: Settings
    origins: dict[str, str]
    complaints: list[str]


def load(variables):
    """The settings of a user: defaults, then the file, then the variables."""
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
    """The file of settings, whether or not there is one; TENSH_CONFIG names another, or `off`."""
    return variables.get("TENSH_CONFIG") or os.path.join(folder("config", variables), FILE)


def startup_path(settings, variables):
    """The file that a prompt runs first, whether or not there is one; None where none is wanted.

    Nothing in the current folder is run by itself: where TENSH_CONFIG names another file of settings, only a file that the
    settings name counts.
    """
    if settings.startup == "on":
        return None if variables.get("TENSH_CONFIG") else os.path.join(folder("config", variables), STARTUP)
    return None if settings.startup == "off" else os.path.expanduser(settings.startup)


def from_file(file, complaints):
    """The (name, value) pairs of a file of settings; what cannot be read goes to the complaints."""
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
    except ValueError:  # of Python's own, for numbers of more than some thousand digits
        complaints.append(_("{file}: it has a number with too many digits").format(file=file))
    return []


def describe_unknown(name):
    """Return the message for a name that is not a setting."""
    from tensh.spelling import close

    meant = close(name[:LONGEST], DECLARED)
    return _("there is no setting {name}; ").format(name=brief(repr(name))) + (
        _("did you mean {meant}?").format(meant=meant) if meant else _("there are ") + ", ".join(DECLARED)
    )


def format_value(value):
    """A value as it is written in `%set` and `tensh config show`."""
    try:
        return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        return _("a number with so many digits")


def brief(text):
    """A text, or its beginning if it is long."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def describe_allowed(name):
    """Describe the values that a setting can have."""
    return DECLARED[name].metadata["allowed"].words


def table(loaded):
    """The settings as a table: what each is, where that comes from, and what else it could be."""
    from tensh.show.table import Table

    rows = [
        (name, format_value(getattr(loaded.settings, name)), loaded.origins.get(name, _("default")), describe_allowed(name), _(declared.metadata["help"]))
        for name, declared in DECLARED.items()
    ]  # fmt: skip
    return Table((_("name"), _("value"), _("from"), _("can be"), _("what it sets")), rows, wraps=True)


def show(env):
    """`tensh config show`."""
    from tensh.cli import status
    from tensh.cli.render.console import Console

    loaded = load(env.variables)
    console = Console(env, loaded)
    console.result([*table(loaded).draw(console.page()), ("plain", "\n")])
    for complaint in loaded.complaints:
        console.remark([("warning", f"{complaint}\n")])
    return status.OK


def show_path(env):
    """`tensh config path`."""
    from tensh.cli import status
    from tensh.cli.render.console import Console

    Console(env).result([("plain", visible_line(path(env.variables)) + "\n")])
    return status.OK
