"""Images in terminals that can show them: the protocols of kitty and of iTerm2, and which of them a terminal has.

A terminal is not asked what it can do: an answer that comes late would be taken for typing. It is known by what it says of
itself in the environment; within tmux and screen, which pass on no images, it is not.
"""

import base64

CHUNK = 4096  # characters that kitty takes at a time
KITTY = {"TERM": ("xterm-kitty", "xterm-ghostty"), "TERM_PROGRAM": ("ghostty",)}
ITERM = {"TERM_PROGRAM": ("iTerm.app", "WezTerm", "mintty"), "LC_TERMINAL": ("iTerm2",)}
MULTIPLEXERS = ("screen", "tmux")


def protocol_of(variables):
    """The protocol of a terminal: "kitty", "iterm" or None, by its variables."""
    if variables.get("TMUX") or variables.get("STY") or variables.get("TERM", "").startswith(MULTIPLEXERS):
        return None
    if variables.get("KITTY_WINDOW_ID") or says(variables, KITTY):
        return "kitty"
    return "iterm" if says(variables, ITERM) else None


def says(variables, known):
    """True if one of the variables has one of the values that are known of it."""
    return any(variables.get(name) in values for name, values in known.items())


def encode_bitmap(bitmap):
    """The escape sequences that show a Bitmap; the cursor stands behind it in its last line."""
    data = base64.standard_b64encode(bitmap.png).decode()
    if bitmap.protocol == "iterm":
        options = f"inline=1;size={len(bitmap.png)};width={bitmap.columns};height={bitmap.rows};preserveAspectRatio=0"
        return f"\033]1337;File={options}:{data}\a"
    chunks = [data[begin : begin + CHUNK] for begin in range(0, len(data), CHUNK)]
    parts = []
    for number, chunk in enumerate(chunks):  # q=2: no answer, whatever happens
        options = f"a=T,f=100,q=2,c={bitmap.columns},r={bitmap.rows}," if number == 0 else "q=2,"
        parts.append(f"\033_G{options}m={int(number < len(chunks) - 1)};{chunk}\033\\")
    return "".join(parts)
