"""The folders of a user's settings and state on each platform.

The XDG variables are respected everywhere; the defaults follow XDG on Linux and the conventions of macOS and Windows
there.
"""

import os
import sys

# kind: XDG variable, folder below home, folder below home on macOS, variable on Windows
PLACES = {
    "config": ("XDG_CONFIG_HOME", ".config", "Library/Application Support", "APPDATA"),
    "state": ("XDG_STATE_HOME", ".local/state", "Library/Application Support", "LOCALAPPDATA"),
}


def folder(kind, variables, platform=sys.platform):
    """Return the folder of tensh for "config" or "state", which need not exist."""
    variable, usual, mac, windows = PLACES[kind]
    home = variables.get("HOME") or os.path.expanduser("~")
    if os.path.isabs(variables.get(variable, "")):
        base = variables[variable]
    elif platform == "win32":
        base = variables.get(windows) or os.path.join(home, "AppData", "Roaming")
    else:
        base = os.path.join(home, mac if platform == "darwin" else usual)
    return os.path.join(base, "tensh")
