"""Images in terminals: the protocols of kitty and iTerm2, and which one a terminal supports.

The terminal is not queried: a late reply would be read as typed text. It is recognised by environment variables, but
not within tmux or screen, which do not pass images on.
"""

import base64

CHUNK = 4096  # characters per kitty escape sequence
KITTY = {"TERM": ("xterm-kitty", "xterm-ghostty"), "TERM_PROGRAM": ("ghostty",)}
ITERM = {"TERM_PROGRAM": ("iTerm.app", "WezTerm", "mintty"), "LC_TERMINAL": ("iTerm2",)}
MULTIPLEXERS = ("screen", "tmux")


def protocol_of(variables):
    """Return the image protocol of a terminal, from its variables: "kitty", "iterm" or None."""
    if variables.get("TMUX") or variables.get("STY") or variables.get("TERM", "").startswith(MULTIPLEXERS):
        return None
    if variables.get("KITTY_WINDOW_ID") or says(variables, KITTY):
        return "kitty"
    return "iterm" if says(variables, ITERM) else None


def says(variables, known):
    """Return True if a variable has one of its known values."""
    return any(variables.get(name) in values for name, values in known.items())


def encode_bitmap(bitmap):
    """Return the escape sequences for a Bitmap; the cursor ends up after it, in its last line."""
    data = base64.standard_b64encode(bitmap.png).decode()
    if bitmap.protocol == "iterm":
        options = f"inline=1;size={len(bitmap.png)};width={bitmap.columns};height={bitmap.rows};preserveAspectRatio=0"
        return f"\033]1337;File={options}:{data}\a"
    chunks = [data[begin : begin + CHUNK] for begin in range(0, len(data), CHUNK)]
    parts = []
    for number, chunk in enumerate(chunks):  # q=2: suppress replies
        options = f"a=T,f=100,q=2,c={bitmap.columns},r={bitmap.rows}," if number == 0 else "q=2,"
        parts.append(f"\033_G{options}m={int(number < len(chunks) - 1)};{chunk}\033\\")
    return "".join(parts)
