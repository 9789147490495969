"""From (kind, text) pairs to a stream: themes, colours, and the width of the window."""

import re

import pytest

from tensh.cli.process.environment import Environment
from tensh.cli.render.console import Console
from tensh.cli.render.theme import LEVELS, STYLES, apply_style, nearest
from tensh.cli.render.values import cap_lines, render_value, rows
from tensh.cli.settings.config import Settings
from tensh.show.drawing.page import Page, Paint
from tests.support.command_line import Done, Stream

ESCAPE = re.compile(r"\033\[([0-9;]*)m")


class Chosen:
    """What has settings, as a session has."""

    def __init__(self, **settings):
        self.settings = Settings(**settings)


def console(terminal=True, chosen=None, **variables):
    streams = Stream(terminal=terminal), Stream(terminal=terminal), Stream(terminal=terminal)
    return Console(Environment(*streams, variables={"TERM": "xterm"} | variables), chosen)


# ── themes ───────────────────────────────────────────────────────────────────


def test_every_theme_has_every_kind_and_no_more_than_it_may():
    kinds = set(STYLES["auto"])
    for theme, styles in STYLES.items():
        assert set(styles) == kinds
        assert all(re.fullmatch(r"(\d+(;\d+)*)?", style) for style in styles.values())
        if theme == "auto":  # the colours that the user has chosen
            assert not any("38;" in style for style in styles.values())
        if theme == "mono":
            assert set(styles.values()) <= {"", "1", "2"}


GROUNDS = {"dark": [(0, 0, 0), (30, 30, 30)], "light": [(255, 255, 255), (253, 246, 227)]}
"""Usual backgrounds of windows."""
OF_TEXT, OF_BARS = 4.5, 3.0  # least contrasts: WCAG 2.1, criteria 1.4.3 and 1.4.11


def color_of(parameters):
    """Return the colour that an escape sequence chooses of 256, as (red, green, blue); None if it chooses none."""
    found = re.search(r"38;5;(\d+)", parameters)
    number = int(found[1]) if found else None
    if number is None or number >= 232:
        return number and (8 + 10 * (number - 232),) * 3
    return tuple(LEVELS[(number - 16) // step % 6] for step in (36, 6, 1))


def luminance(color):
    parts = (part / 255 for part in color)
    linear = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("theme", GROUNDS)
def test_every_colour_can_be_read_on_its_background(theme):
    for kind, parameters in STYLES[theme].items():
        color = color_of(parameters)
        for ground in GROUNDS[theme] if color else ():
            low, high = sorted((luminance(color), luminance(ground)))
            assert (high + 0.05) / (low + 0.05) >= (OF_BARS if kind == "bar" else OF_TEXT), (kind, ground)


def test_text_in_colour_is_the_same_text():
    tokens = [
        ("error", "E"),
        ("plain", ": a\nb"),
        ("note", "c\n\nd"),
        ("unknown", "e"),
        (Paint((1, 2, 3), (4, 5, 6)), "f"),
    ]
    for colors in (16, 256, 2**24):
        for theme in STYLES:
            text = apply_style(tokens, colors, theme)
            assert ESCAPE.sub("", text) == "E: a\nbc\n\ndef" == apply_style(tokens, 0, theme)
            for line in text.split("\n"):  # a style ends with its line
                assert not ESCAPE.findall(line) or ESCAPE.findall(line)[-1] == "0"


def test_pairs_of_one_style_share_an_escape():
    assert apply_style([("note", "a"), ("note", "b"), ("plain", "c")], 16) == "\033[2mab\033[0mc"


PAINT = {
    16: "\033[38;5;16;48;5;231mx\033[0m",
    256: "\033[38;5;16;48;5;231mx\033[0m",
    2**24: "\033[38;2;0;0;0;48;2;255;255;255mx\033[0m",
}


@pytest.mark.parametrize("colors, text", PAINT.items())
def test_paint_is_written_in_the_colors_that_there_are(colors, text):
    assert apply_style([(Paint((0, 0, 0), (255, 255, 255)), "x")], colors) == text


@pytest.mark.parametrize(
    "paint, style",
    [
        (Paint(ink=(0, 0, 0)), "38;2;0;0;0"),
        (Paint(ground=(0, 0, 0)), "48;2;0;0;0"),
        (Paint((1, 1, 1), (0, 0, 0)), "38;2;1;1;1;48;2;0;0;0"),
    ],
)
def test_paint_may_lack_a_colour(paint, style):
    assert apply_style([(paint, "x")], 2**24) == f"\x1b[{style}mx\x1b[0m"
    assert apply_style([(Paint(), "x")], 2**24) == "x"


@pytest.mark.parametrize(
    "color, number", [((0, 0, 0), 16), ((255, 255, 255), 231), ((95, 135, 215), 68), ((128, 128, 128), 244)]
)
def test_the_nearest_of_256_colours(color, number):
    assert nearest(color) == number


# ── what a terminal can do ───────────────────────────────────────────────────

COLORS = {
    ("TERM=xterm",): 16,
    ("TERM=xterm-256color",): 256,
    ("TERM=xterm", "COLORTERM=truecolor"): 2**24,
    ("TERM=xterm-256color", "NO_COLOR=1"): 0,
    ("TERM=dumb",): 0,
    ("TENSH_PLAIN=1", "COLORTERM=truecolor"): 0,
}


@pytest.mark.parametrize("variables, colors", COLORS.items(), ids=str)
def test_the_colours_of_a_page(variables, colors):
    assert console(**dict(pair.split("=") for pair in variables)).page().colors == colors


def test_a_pipe_is_no_window():
    page = console(terminal=False, COLUMNS="40", LINES="10").page()
    assert page == Page(width=80, height=None, unicode=True, colors=0, plain=False, is_window=False, is_dark=True)


def test_the_page_of_a_window():
    page = console(COLUMNS="40", LINES="10", COLORFGBG="0;15").page()
    assert (page.width, page.height, page.is_window, page.is_dark) == (40, 10, True, False)
    assert console(COLUMNS="3").page().width == 20
    assert console(COLORFGBG="15;0").page().is_dark and console(COLORFGBG="words").page().is_dark
    assert not console(chosen=Chosen(theme="light"), COLORFGBG="15;0").page().is_dark


def test_notes_are_ascii_where_everything_is():
    for glyphs, text in (("ascii", "3 us - x"), ("unicode", "3 µs · x")):
        assert console(chosen=Chosen(glyphs=glyphs)).style_text([("note", "3 µs · x")], False) == text
    assert console(chosen=Chosen(glyphs="ascii")).style_text([("plain", "µ")], False) == "µ"


def test_settings_override_the_glyphs_that_the_environment_chooses():
    assert console().page().unicode and not console(chosen=Chosen(glyphs="ascii")).page().unicode
    assert not console(TENSH_PLAIN="1").page().unicode
    assert console(TENSH_PLAIN="1", chosen=Chosen(glyphs="unicode")).page().unicode


@pytest.mark.parametrize("theme", STYLES)
def test_a_theme_is_chosen_by_name(theme):
    done = Done(
        "-c", "torch.ones(2)\ntorch.tensor(float('nan'))", terminal=True, TERM="xterm-256color", TENSH_THEME=theme
    )
    assert ("38;5;" in done.output) == (theme in ("dark", "light"))
    assert ESCAPE.sub("", done.output).startswith("tensor([1., 1.])\n# torch.ones(2)  [2] float32 · leaf · 8 B\n")
    assert f"\033[{STYLES[theme]['trouble']}mnan\033[0m" in done.output


# ── room ─────────────────────────────────────────────────────────────────────


def cut(text, **page):
    page = Page(is_window=True, **page)
    return "".join(text for _, text in cap_lines([("plain", text[:7]), ("number", text[7:])], page, "more"))


def test_what_fits_is_not_cut():
    text = "\n".join(map(str, range(16)))
    assert cut(text, height=20) == cut(text, height=None) == text


def test_what_does_not_fit_ends_with_a_note():
    text = "\n".join(map(str, range(100)))
    assert cut(text, height=20).split("\n") == [*map(str, range(15)), "# 85 more lines: more"]


def test_a_line_that_runs_on_over_many_rows_is_cut_too():
    text = "x" * 10_000
    found = cut(text, height=20, width=40)
    assert found == "x" * 600 + "\n# 9,400 more characters: more"
    assert rows(found, Page(width=40)) == 16
    found = cut("a\n" + text, height=20, width=40)
    assert found == "a\n" + "x" * 560 + "\n# 9,440 more characters: more"


def test_wide_characters_take_two_columns():
    assert rows("损" * 30, Page(width=40)) == 2


def text_of(value, expression="x", settings=None, **page):
    return "".join(text for _, text in render_value(value, Page(**page), expression, settings=settings))


def test_a_pipe_gets_the_repr_and_no_more():
    import tensh

    tensors = [tensh.ones(3)] * 5
    assert text_of(tensors) == repr(tensors) + "\n"
    assert text_of(tensh.ones(30)) == repr(tensh.ones(30)) + "\n"
    assert text_of(tensh.zeros(40, 40)) == repr(tensh.zeros(40, 40)) + "\n"


def test_the_width_of_a_window_is_used_unless_another_was_chosen():
    import tensh

    x = tensh.arange(40.0)
    assert text_of(x, is_window=True, width=250).count("\n") == 2
    assert text_of(x, is_window=True, width=40, settings=Settings(linewidth=80)).startswith(repr(x))
    with tensh.printoptions(linewidth=60):
        assert text_of(x, is_window=True, width=250).startswith(repr(x))
    assert text_of(x, is_window=True, width=80).startswith(repr(x))


def test_no_caption_where_it_was_switched_off():
    import tensh

    assert text_of(tensh.ones(2), is_window=True, settings=Settings(caption=False)) == "tensor([1., 1.])\n"


def test_captions_name_short_expressions_only():
    import tensh

    long = "torch.ones(2) + torch.zeros(2) + torch.zeros(2)"
    assert text_of(tensh.ones(2), long, is_window=True).endswith("\n# [2] float32 · leaf · 8 B\n")
    assert "# x + 1  [2]" in text_of(tensh.ones(2), "x + 1", is_window=True)


def test_a_repr_that_fails_is_a_failure_of_the_code():
    code = "class A:\n    def __repr__(self): return 1 / 0\n[torch.ones(2), A()]\n[torch.ones(2)] * 4 + [A()]\n2"
    done = Done("-c", code, "--keep-going", terminal=True, TERM="dumb")
    assert done.errors.count("ZeroDivisionError") == 1 and done.output.endswith("2\n")
    assert "<its repr failed: ZeroDivisionError>" in done.output


def test_tensors_of_pytorch_itself_are_shown_as_ours(oracle):
    import tensh
    from tensh import show

    def seen(torch):
        x = torch.arange(12.0).view(3, 4).requires_grad_()
        y = (x * x).sum()
        y.backward()
        large = torch.arange(2000.0).to(torch.bfloat16)
        views = show.who({"x": x, "y": y}), show.hist(large), show.heat(x), show.full(x)
        values = x, y, large, [x] * 4, torch.tensor([float("nan"), 1.0])
        return [text_of(each, is_window=True, width=60, colors=256) for each in (*views, *values)]

    assert seen(tensh) == seen(oracle)


def test_gradients_of_pytorchs_tensors_are_those_that_they_keep(oracle):
    from tensh import show

    x = oracle.tensor([3.0, 4.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    rows = show.grads({"x": x, "y": y}).rows
    assert rows == [("x", "-", "[2]", "5", "yes", "10"), ("y", "SumBackward0", "[]", "25", "no", "-")]


# ── prose in a window ────────────────────────────────────────────────────────

PROSE = "        "
FITTED = {  # lines as (kind, text) pairs -> the text in a window of 40 columns
    (("plain", PROSE + "words that go on and on and on and on\n"),): PROSE + "words that go on and on and on\n" + PROSE + "and on\n",
    (("note", PROSE + "try:   one of two things that are long\n"),): PROSE + "try:   one of two things that\n" + PROSE + "       are long\n",
    (("note", PROSE + "fits:  "), ("code", "a + b[:, None, None]"), ("note", "    [3] + [3] -> [3]\n")): (
        PROSE + "fits:  a + b[:, None, None]    \n".replace("    \n", "\n") + PROSE + "       [3] + [3] -> [3]\n"
    ),
    (("plain", PROSE + "x [1000, 2000]  @  y [3000, 4000] both\n"), ("mark", PROSE + "   ~~~~\n")): (
        PROSE + "x [1000, 2000]  @  y [3000, 4000] both\n" + PROSE + "   ~~~~\n"
    ),
    (("margin", "      2 | "), ("code", "code " * 10 + "\n")): "      2 | " + "code " * 10 + "\n",
    (("error", "RuntimeError"), ("plain", ": "), ("message", "m " * 30), ("plain", "\n")): (
        "RuntimeError: " + "m " * 13 + "\n  " + "m " * 17 + "\n"
    ),
    (("error", "Error"), ("plain", ": "), ("message", "m " * 30), ("plain", "\n"), ("mark", "  -> "), ("code", "x\n")): (
        "Error: " + "m " * 17 + "\n  " + "m " * 13 + "\n  -> x\n"
    ),
    (("message", "\tsize " + "m " * 30), ("plain", "\n")): (
        "\tsize " + "m " * 14 + "\n" + " " * 10 + "m " * 15 + "\n" + " " * 10 + "m\n"
    ),
    (("error", "Error"), ("plain", ": "), ("message", "x" * 50 + " and more\n")): "Error: " + "x" * 50 + " and more\n",
    (("message", "一个错误，" * 9 + "\n"),): "一个错误，" * 4 + "\n  " + "一个错误，" * 3 + "一个错" + "\n  误，一个错误，\n",
    (("plain", PROSE + "x" * 50 + "\n"),): PROSE + "x" * 50 + "\n",
    (("plain", "  no end of a line"),): "  no end of a line",
}  # fmt: skip


@pytest.mark.parametrize("tokens, shown", FITTED.items())
def test_prose_fits_into_a_window_and_code_stays_as_it_is(tokens, shown):
    from tensh.cli.render.fitting import fit

    text = "".join(piece for _, piece in fit(tokens, 40))
    assert "\n".join(line.rstrip() for line in text.split("\n")) == "\n".join(
        line.rstrip() for line in shown.split("\n")
    )
    assert [kind for kind, _ in fit(tokens, 400)] == [kind for kind, _ in tokens]


def test_prose_is_indented_below_its_label_in_every_language():
    from tensh.cli.render.fitting import LABELS, fit
    from tensh.show.drawing.text import cells
    from tensh.support.language import _, speaking

    with speaking("zh"):
        for label in LABELS:
            begin = PROSE + str(_(label)).partition("{")[0] + " "
            text = "".join(piece for _kind, piece in fit([("note", begin + "words " * 9 + "\n")], 50))
            first, second = text.rstrip().split("\n")
            assert first.startswith(begin) and cells(begin) == len(second) - len(second.lstrip())


def test_of_a_very_long_container_only_the_beginning_is_asked_for_its_repr():
    class Item:
        asked = 0

        def __repr__(self):
            Item.asked += 1
            return "item"

    text = text_of([Item() for _ in range(5000)], is_window=True, height=24)
    assert text.startswith("[item, item, ") and "# 5,000 items: %full x shows all" in text
    assert Item.asked < 2500


def test_a_long_value_of_pythons_own_is_laid_out_and_capped():
    from tensh.cli.render.values import MOST_LINES

    def draw(value, **page):
        return "".join(
            text for _, text in render_value(value, Page(**{"width": 80, "height": 60, "is_window": True} | page))
        )

    assert draw([1, 2, 3]) == "[1, 2, 3]\n"
    lines = draw([*range(300)]).split("\n")
    assert len(lines) == MOST_LINES + 1 and lines[0].startswith("[0, 1, 2, 3, 4") and max(map(len, lines)) < 80
    assert lines[-2].endswith("%full _ shows all")
    lines = draw({number: f"name number {number}" for number in range(10)}).split("\n")
    assert lines[1] == " 1: 'name number 1'," and lines[9] == " 9: 'name number 9'}"
    lines = draw("a" * 5000).split("\n")
    assert len(lines) == 3 and "more characters" in lines[1] and len(lines[0]) == 80 * (MOST_LINES - 1)
    assert draw([*range(300)], height=10).count("\n") == 6  # of a smaller window
    assert draw([*range(300)], is_window=False, height=None).count("\n") == 1
