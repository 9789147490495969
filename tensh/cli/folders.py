"""The folders of a user's files on each platform: settings, and what a program remembers.

These are the rules of the XDG base directories, which hold everywhere if their variables are set, and else what macOS
and Windows have in their place.
"""

import os
import sys

# kind: variable, folder below the home; and below the home on macOS, variable on Windows
PLACES = {
    "config": ("XDG_CONFIG_HOME", ".config", "Library/Application Support", "APPDATA"),
    "state": ("XDG_STATE_HOME", ".local/state", "Library/Application Support", "LOCALAPPDATA"),
}


def folder(kind, variables, platform=sys.platform):
    """The folder of tensh for "config" or "state", whether or not it exists."""
    variable, usual, mac, windows = PLACES[kind]
    home = variables.get("HOME") or os.path.expanduser("~")
    if os.path.isabs(variables.get(variable, "")):
        base = variables[variable]
    elif platform == "win32":
        base = variables.get(windows) or os.path.join(home, "AppData", "Roaming")
    else:
        base = os.path.join(home, mac if platform == "darwin" else usual)
    return os.path.join(base, "tensh")
