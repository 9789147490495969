"""Images in terminals that show them: files, protocols, and the detection of a terminal."""

import base64
import re
import struct
import zlib

import numpy as np
import pytest

import tensh as torch
from tensh.cli.process.environment import Environment
from tensh.cli.render.console import Console
from tensh.cli.render.graphics import CHUNK, encode_bitmap, protocol_of
from tensh.cli.render.theme import apply_style
from tensh.show.drawing.page import Bitmap, Page
from tensh.show.drawing.png import encode

TERMINALS = [
    ({"TERM": "xterm-kitty"}, "kitty"),
    ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
    ({"TERM_PROGRAM": "ghostty"}, "kitty"),
    ({"TERM_PROGRAM": "iTerm.app"}, "iterm"),
    ({"TERM_PROGRAM": "WezTerm"}, "iterm"),
    ({"LC_TERMINAL": "iTerm2"}, "iterm"),
    ({"TERM": "xterm-256color"}, None),
    ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None),
    ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, None),
    ({}, None),
]


@pytest.mark.parametrize("variables, protocol", TERMINALS)
def test_a_terminal_is_known_by_what_it_says_of_itself(variables, protocol):
    assert protocol_of(variables) == protocol


def decode(png):
    """The points of a PNG file as tensh writes them."""
    columns, rows = struct.unpack(">II", png[16:24])
    data, place = b"", 8
    while place < len(png):
        (size,) = struct.unpack(">I", png[place : place + 4])
        kind, content = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        assert struct.unpack(">I", png[place + 8 + size : place + 12 + size])[0] == zlib.crc32(kind + content)
        data += content if kind == b"IDAT" else b""
        place += 12 + size
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(rows, 1 + 3 * columns)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(rows, columns, 3)


def test_a_file_has_the_points_of_its_image():
    points = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    assert (decode(encode(points)) == points).all()


PAGE = Page(width=80, height=40, colors=2**24, is_window=True)


@pytest.mark.parametrize("protocol", ["kitty", "iterm"])
def test_an_image_is_shown_with_all_its_points(protocol):
    value = torch.arange(90 * 60).view(90, 60) / 5400
    (bitmap,) = [
        kind for kind, _ in torch.show.image(value).draw(PAGE._replace(graphics=protocol)) if type(kind) is Bitmap
    ]
    assert decode(bitmap.png).shape == (90, 60, 3) and bitmap.protocol == protocol
    assert np.allclose(decode(bitmap.png)[..., 0], value.numpy() * 255, atol=0.51)
    assert (bitmap.columns, bitmap.rows) == (44, 33)  # the place of the half blocks, in proportion


def test_without_a_protocol_an_image_is_blocks_and_on_paper_shades():
    view = torch.show.image(torch.arange(16.0).view(4, 4) / 15)
    assert "▀" in "".join(text for _, text in view.draw(PAGE)) and "%|" in repr(view)
    assert not any(type(kind) is Bitmap for kind, _ in view.draw(PAGE._replace(graphics="kitty", colors=0)))


def test_several_images_are_joined():
    tokens = [*torch.show.image(torch.rand(5, 8, 8)).draw(PAGE._replace(graphics="kitty"))]
    (bitmap,) = [kind for kind, _ in tokens if type(kind) is Bitmap]
    assert decode(bitmap.png).shape == (8, 44, 3) and (bitmap.columns, bitmap.rows) == (44, 4)


def test_kitty_takes_a_file_in_pieces_and_gives_no_answer():
    png = bytes(range(256)) * 40
    text = encode_bitmap(Bitmap(png, 10, 5, "kitty"))
    parts = re.findall("\033_G([^;]*);([^\033]*)\033\\\\", text)
    assert "".join(data for _, data in parts) == base64.b64encode(png).decode()
    assert all(len(data) <= CHUNK and "q=2" in options for options, data in parts)
    assert parts[0][0] == "a=T,f=100,q=2,c=10,r=5,m=1" and parts[-1][0] == "q=2,m=0"


def test_iterm_takes_a_file_whole():
    text = encode_bitmap(Bitmap(b"png", 10, 5, "iterm"))
    assert text == "\033]1337;File=inline=1;size=3;width=10;height=5;preserveAspectRatio=0:cG5n\a"


def test_an_image_is_written_between_its_lines_and_not_without_colours():
    tokens = [("plain", "a\n"), (Bitmap(b"png", 1, 1, "iterm"), " "), ("plain", "\nb")]
    assert apply_style(tokens, 256).startswith("a\n\033]1337;") and apply_style(tokens, 256).endswith("\a\nb")
    assert apply_style(tokens, 0) == "a\n \nb"


def test_a_pipe_gets_no_images():
    assert Console(Environment(variables={"TERM": "xterm-kitty"})).page().graphics is None
