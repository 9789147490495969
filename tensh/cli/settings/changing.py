"""`tensh config set NAME VALUE` and `tensh config unset NAME`: change or remove a line of the settings file.

All other lines stay as they are, including comments.
"""

import json
import os
import re

from tensh.cli.files import reading
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.settings import config
from tensh.support.escaping import visible_line
from tensh.support.language import _
from tensh.support.replacing import replace_file


def set_value(env, name, value):
    """Write a valid setting to the file; raise UsageError for an invalid one."""
    try:
        settings = config.Settings().replace_value(name, value)
    except config.SettingError as error:
        raise UsageError(_("tensh config set: {error}").format(error=error)) from None
    chosen = getattr(settings, name)
    change(env, name, [f"{name} = {as_toml(chosen)}"])
    say(env, _("{name} is {value}").format(name=name, value=config.format_value(chosen)), name)
    return status.OK


def unset(env, name):
    """Remove a setting from the file, which restores the default."""
    if name not in config.DECLARED:
        raise UsageError(_("tensh config unset: {error}").format(error=config.describe_unknown(name)))
    change(env, name, [])
    default = config.format_value(config.DECLARED[name].default)
    say(env, _("{name} is {value} again").format(name=name, value=default), name)
    return status.OK


def say(env, text, name):
    """Report the new value and the file, and a variable that overrides it."""
    from tensh.cli.render.console import Console

    console, variable = Console(env), f"TENSH_{name.upper()}"
    console.result(
        [("plain", f"{visible_line(text)}  "), ("note", visible_line(config.path(env.variables))), ("plain", "\n")]
    )
    if variable in env.variables:
        console.remark([("warning", _("the variable {variable} overrides the file\n").format(variable=variable))])


def as_toml(value):
    """Format a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)


def change(env, name, lines):
    """Replace the lines of the file that set a name; raise UsageError if that is impossible."""
    import tomllib

    path = config.path(env.variables)
    try:
        text = reading.text(path, config.LARGEST) if os.path.exists(path) else ""
        tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            _("{path}: {error}; repair the file first").format(path=visible_line(path), error=error)
        ) from None
    old = text.split("\n") if text else []
    end = next((number for number, line in enumerate(old) if line.lstrip().startswith("[")), len(old))
    assigned = re.compile(rf"\s*(?:{name}|\"{name}\"|'{name}')\s*=")
    place = next((number for number, line in enumerate(old[:end]) if assigned.match(line)), None)
    kept = [line for number, line in enumerate(old) if number >= end or not assigned.match(line)]
    while place is None and end > 0 and not old[end - 1].strip():
        end -= 1
    place = end if place is None else place
    new = "\n".join([*kept[:place], *lines, *kept[place:]]).rstrip("\n") + "\n"
    try:
        tomllib.loads(new)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with replace_file(path) as file:
            file.write(new.encode())
    except OSError as error:
        raise UsageError(f"{visible_line(path)}: {error.strerror}") from None
    except ValueError:
        raise UsageError(_("{path}: write the line by hand").format(path=visible_line(path))) from None
