"""Settings of the session and its random numbers: `%set`, `%seed`."""

import importlib

import tensh.support.language as language
from tensh.cli.session.events import Notice, Value
from tensh.cli.session.magics.arguments import whole_number
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.support.language import _

WORDS = {"auto": None, "on": True, "off": False}  # values of the setting `sci` -> those of torch.set_printoptions
USUAL_LINEWIDTH = 80


@magic("set", "%set [NAME [VALUE]]", "show the settings, or change one for this session")
def set_(session, command):
    from tensh.cli.settings import config

    settings = current(session)
    name, _sign, value = command.argument.replace("=", " ", 1).partition(" ")
    try:
        if not name:
            yield Value(table(settings), command)
        elif not value.strip():
            settings.replace_value(name, getattr(settings, name, None))
            yield Notice(
                _("{name} is {value}; it can be: {allowed}").format(
                    name=name,
                    value=config.format_value(getattr(settings, name)),
                    allowed=config.describe_allowed(name),
                )
            )
        else:
            choose(session, settings.replace_value(name, value.strip()), name)
    except config.SettingError as error:
        raise MagicError(f"%set: {error}") from None


def current(session):
    """Return the settings in force: printing options are read from the engine, since code may change them."""
    from tensh.cli.settings import config

    settings = session.settings or config.Settings()
    options = getattr(importlib.import_module(session.engine), "get_printoptions", dict)()
    found = {}
    for name, declared in config.DECLARED.items():
        option = declared.printing
        if option not in options or name == "linewidth" and options[option] == USUAL_LINEWIDTH:
            continue
        value = options[option]
        found[name] = next(word for word, each in WORDS.items() if each is value) if name == "sci" else value
    return settings._replace(**found)


def choose(session, settings, name):
    """Adopt settings with one change; pass a printing option on to the engine."""
    from tensh.cli.settings import config

    session.settings = settings
    if name == "language":
        language.choose(settings.language)
    option = config.DECLARED[name].printing
    if option:
        value = getattr(settings, name)
        value = WORDS[value] if name == "sci" else USUAL_LINEWIDTH if value == "auto" else value
        scientific = {"sci_mode": WORDS[settings.sci]}  # must be passed on each call
        importlib.import_module(session.engine).set_printoptions(**{**scientific, option: value})


def table(settings):
    """Return the settings as a table."""
    from tensh.cli.settings import config
    from tensh.show.drawing.table import Table

    class Settings(Table):
        is_whole = True  # there is no other way to see the rest

    rows = [
        (
            name,
            config.format_value(getattr(settings, name)),
            config.describe_allowed(name),
            _(declared.help),
        )
        for name, declared in config.DECLARED.items()
    ]
    return Settings(
        (_("name"), _("value"), _("can be"), _("sets")),
        rows,
        wraps=True,
        notes=[_("for this session · to save it: tensh config set NAME VALUE")],
    )


@magic("seed", "%seed N", "seed all random number generators with N", sugar="torch.manual_seed({})")
def seed(session, command):
    number = whole_number(command)
    if number is None:
        raise MagicError(_("%seed: expected a whole number: %seed 0"))
    session.seed(number)
    yield from ()
