"""The options shared by all commands that run code, each declared once."""

import inspect
from enum import Enum
from functools import partial
from typing import Annotated

import typer

import tensh.support.language as language
from tensh.cli.programs.options import Options, UsageError
from tensh.support.language import LANGUAGES, _

CHOICES = {
    "echo": ("none", "values", "all"),
    "traceback": ("short", "full"),
    "engine": ("tensh", "torch"),
    "color": ("auto", "always", "never"),
    "language": tuple(LANGUAGES),
}
Echo, Traceback, Engine, Color, Language = (
    Enum(name.title(), {each: each for each in names}) for name, names in CHOICES.items()
)


# Options of all commands that run code: name, type, flag, metavar and help.
# They mean the same before and after the name of the command.
RUNNING = (
    ("settings", list[str] | None, "--set", "NAME=VALUE", "Override the value of a plain assignment in the script."),
    ("seed", int | None, "--seed", "N", "Seed all random number generators with N."),
    ("strict", bool, "--strict", None, "Treat unseeded random numbers as an error."),
    ("engine", Engine | None, "--engine", None, "What torch means: tensh, or an installed PyTorch."),
    ("bare", bool, "--no-preload", None, "Do not define torch, nn, F, np and math."),
    ("keep_going", bool, "--keep-going", None, "Continue after an error, with the next cell or statement."),
    ("timeout", float | None, "--timeout", "SECONDS", "Stop after this time, with status 124."),
)
SHOWING = (
    ("echo", Echo | None, "--echo", None, "Show nothing, the values of bare expressions, or the code as well."),
    ("timed", bool, "--time", None, "Show how long each statement took."),
    ("traceback", Traceback | None, "--traceback", None, "After an error, show your own lines (short) or every frame."),
    ("quiet", bool, "--quiet", None, "Show only requested output, errors and warnings; no progress bars."),
    ("color", Color | None, "--color", None, "When to use colour."),
    (
        "language",
        Language | None,
        "--language",
        None,
        "The language of messages; by default, that of TENSH_LANGUAGE, the settings or the locale.",
    ),
    ("plain", bool, "--plain", None, "Write no escape sequences."),
    ("ascii", bool, "--ascii", None, "Use only ASCII characters."),
)
# For commands that run a program to its end. The parser has no options with optional values: --json=full is separate.
RECORDING = (
    (
        "json",
        bool,
        "--json",
        None,
        "Print one JSON object per line; --json=full: tensors of any size. See pydoc tensh.cli.records",
    ),
    ("json_full", bool, "--json-full", None, None),
)
SPELLINGS = {"--json=full": "--json-full"}
RANGES = {  # least and largest value of numeric options
    "--seed": (-(2**63), 2**64 - 1),
    "--timeout": (0, 10**9),
    "--seeds": (1, 10**6),
    "--random": (1, 10**6),
    "--workers": (1, 10**4),
    "--time-limit": (1e-3, 10**9),
    "--memory-limit": (1, 10**9),
    "--rtol": (0, 1e300),
    "--atol": (0, 1e300),
}


def speak(value: str | None):
    """Speak a language from now on; the option must precede --help to affect the help."""
    if value:
        language.choose(getattr(value, "value", value))
    return value


def number_of(flag):
    """Return the check of a numeric option."""
    least, most = RANGES[flag]

    def check(value):
        if value is not None and not least <= value <= most:  # false for nan, too
            raise UsageError(
                _("{flag} {value}: expected a number from {least} to {most}").format(
                    flag=flag, value=value, least=least, most=most
                )
            )
        return value

    return check


def option(name, kind, flags, metavar, help, panel=None, default=None, **more):
    """Return the parameter of a command function for an option; ``flags`` are its spellings."""
    flags = flags.split()
    if name == "language":
        more |= {"is_eager": True, "callback": speak}
    if flags[-1] in RANGES:
        more |= {"callback": number_of(flags[-1])}
    details = typer.Option(*flags, metavar=metavar, help=help, rich_help_panel=panel, hidden=help is None, **more)
    default = False if kind is bool else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, details])


SHARED = [
    *(option(*row, "Execution") for row in RUNNING),
    *(option(*row, "Output") for row in SHOWING),
]
WITH_RECORDS = [*SHARED, *(option(*row, "Output") for row in RECORDING)]


def add_options(function, declared=SHARED, kind=Options, name="options"):
    """Add the declared options to a command function, which receives them as one value of a ``kind``."""
    own = [each for each in inspect.signature(function).parameters.values() if each.name != name]

    def command(**given):
        chosen = {each.name: given.pop(each.name) for each in declared}
        made = kind(**{each: value.value if isinstance(value, Enum) else value for each, value in chosen.items()})
        return function(**given, **{name: made})

    command.__signature__ = inspect.Signature(sorted([*own, *declared], key=lambda each: each.kind))
    command.__name__ = function.__name__
    command.__doc__ = function.__doc__
    return command


with_records = partial(add_options, declared=WITH_RECORDS)


def environment(ctx, options):
    """Return the environment of the process with the options applied."""
    return ctx.obj["environment"].configure(options.color, options.plain, options.ascii)
