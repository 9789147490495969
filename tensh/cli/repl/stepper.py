"""Paging through the steps of a view with the arrow keys."""

import signal

from prompt_toolkit import Application
from prompt_toolkit.application import get_app
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.styles import Style

from tensh.cli.render.theme import STYLES
from tensh.cli.repl.marks import draw_hidden
from tensh.cli.repl.style import translate_sgr


def go_through(theme, view):
    """Show the steps of a view one by one until the user quits; the last one stays on the screen."""
    at = [0]
    draw_hidden()

    def text():
        columns = get_app().output.get_size().columns
        lines = [[*line, ("", "\n")] for line in view.picture(at[0], columns)]
        return [(f"class:{kind}" if kind else "", piece) for line in lines for kind, piece in line][:-1]

    control = FormattedTextControl(text, focusable=True, show_cursor=False)
    Application(
        Layout(Window(control, dont_extend_height=True)),
        key_bindings=keys(at, len(view)),
        style=Style([(kind, translate_sgr(parameters)) for kind, parameters in STYLES[theme].items()]),
    ).run()


def keys(at, last):
    """Return the key bindings: next, previous, first, last, suspend and quit."""
    bindings = KeyBindings()

    def move_to(place):
        def move(event):
            at[0] = min(max(place(at[0]), 0), last)

        return move

    for names, place in (
        (("right", "down", "space"), lambda i: i + 1),
        (("left", "up", "backspace"), lambda i: i - 1),
        (("home",), lambda i: 0),
        (("end",), lambda i: last),
    ):
        for name in names:
            bindings.add(name)(move_to(place))
    for name in ("q", "enter", "escape", "c-c", "c-d"):
        bindings.add(name, eager=True)(lambda event: event.app.exit())
    if hasattr(signal, "SIGTSTP"):  # nothing can be suspended on Windows
        bindings.add("c-z")(lambda event: event.app.suspend_to_background())
    return bindings
