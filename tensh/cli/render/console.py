"""The two outputs for tokens: results go to stdout, everything else to stderr."""

import contextlib
import os

from tensh.cli.render.theme import apply_style
from tensh.show.drawing.page import Page

LEAST_WIDTH = 20  # narrowest width that views are drawn for
ASCII = str.maketrans({"µ": "u", "·": "-", "…": "...", "→": "->", "×": "x"})  # for tensh's own messages


class Console:
    """Writes (kind, text) pairs to the streams of an environment, using the settings of a session (or a Loaded)."""

    def __init__(self, env, chosen=None):
        self.env = env
        self.chosen = chosen
        self.in_color = env.has_color(env.stdout), env.has_color(env.stderr)
        # theme of remarks if their background differs, as in a notebook; None for the theme of results
        self.remark_theme = None

    @property
    def settings(self):
        """The settings in force; None if there are none."""
        return self.chosen and self.chosen.settings

    def result(self, tokens):
        """Write to stdout; raise Unwritten if that fails."""
        text = self.style_text(tokens, self.in_color[0])
        with self.env.writing():
            self.env.stdout.write(encode_for(text, self.env.stdout))

    def remark(self, tokens):
        """Write to stderr, after flushing stdout."""
        text = self.style_remark(tokens)
        if not self.env.stdout.closed:
            with self.env.writing():
                self.env.stdout.flush()
        self.env.say(encode_for(text, self.env.stderr))

    def style_remark(self, tokens):
        """Style (kind, text) pairs as a remark."""
        return self.style_text(tokens, self.in_color[1], self.remark_theme)

    def style_text(self, tokens, in_color=True, theme=None):
        """Join (kind, text) pairs, with escape sequences if colour is on."""
        if not self.has_unicode():
            tokens = ((kind, text.translate(ASCII) if kind == "note" else text) for kind, text in tokens)
        return apply_style(tokens, self.colors() if in_color else 0, theme or self.theme())

    def colors(self):
        """Return the number of colours of the terminal, from its environment variables."""
        variables = self.env.variables
        if variables.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
            return 2**24
        return 256 if "256color" in variables.get("TERM", "") or variables.get("COLORTERM") else 16

    def theme(self):
        """Return the chosen theme; "auto" follows the background of the terminal, if known."""
        chosen = self.settings.theme if self.settings else "auto"
        return (self.find_background() or "auto") if chosen == "auto" else chosen

    def find_background(self):
        """Return "light" or "dark", the terminal's background by COLORFGBG; None if it is unknown.

        The terminal is not queried: a late reply would be read as typed text.
        """
        color = self.env.variables.get("COLORFGBG", "").rpartition(";")[2]
        if not color.isdigit():
            return None
        return "dark" if int(color) < 7 or int(color) == 8 else "light"

    def is_dark(self):
        """Return True if text is light on dark, according to the theme, else to the terminal."""
        theme = self.theme()
        return theme != "light" if theme in ("light", "dark") else self.find_background() != "light"

    def has_unicode(self):
        """Return True if box lines and blocks can be used: decided by the settings, else by the stream."""
        chosen = self.settings.glyphs if self.settings else "auto"
        if chosen != "auto" and not self.env.ascii:
            return chosen == "unicode"
        return self.env.has_unicode(self.env.stdout) and not self.env.plain

    def page(self):
        """Return the page for views, with the current properties of stdout."""
        env = self.env
        is_window = env.is_terminal(env.stdout)
        return Page(
            width=max(env.width(env.stdout), LEAST_WIDTH),
            height=self.height() if is_window else None,
            unicode=self.has_unicode(),
            colors=self.colors() if self.in_color[0] else 0,
            plain=env.plain,
            is_window=is_window,
            is_dark=self.is_dark(),
            graphics=self.graphics() if is_window and self.in_color[0] and not env.plain else None,
        )

    def graphics(self):
        """Return the terminal's image protocol: from the settings, else from environment variables."""
        chosen = self.settings.images if self.settings else "auto"
        if chosen == "auto":
            from tensh.cli.render.graphics import protocol_of

            return protocol_of(self.env.variables)
        return None if chosen == "blocks" else chosen

    def height(self):
        """Return the lines of the window; None if unknown."""
        with contextlib.suppress(ValueError):
            if int(self.env.variables.get("LINES", "")) > 0:
                return int(self.env.variables["LINES"])
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return os.get_terminal_size(self.env.stdout.fileno()).lines or None
        return None


def encode_for(text, stream):
    """Escape the characters of a text that a stream cannot encode."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text
