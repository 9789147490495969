"""A long file is parsed in pieces, which give the same statements and errors as the whole."""

import ast
import gc
import tracemalloc
from pathlib import Path

import pytest

from tensh.cli.session.sources.source import Source

TEXTS = [  # constructs within which a piece must not end
    'x = """\ny\nz\n"""\nif x:\n    y\nelse:\n    z\nelif_ = 1\n',
    "try:\n    x\n\n# comment\n\nexcept A:\n    y\nfinally:\n    z\n@a\n@b\nclass C: pass\n",
    "x = [\n1,\n2\n]\nx = (1 +\\\n2\n)\nx = \\\n1\nwhile x:\n  y\nelse:\n  z\nfor x in y:\n  z\n\nelse: 1\n",
    "match x:\n  case 1: y\n  case 2: z\nasync def f():\n    '''\ntext\nx = 1\n'''\n    await g()\n\n\f\nx; y; z\nλ = 1\n",
    "if x: y\n# c\n\nelse: z\n'''\na'''; 'b'\n" * 3,
    "a = 1\r\nif a:\r\n  b\r\nelse:\r\n  c\r\n",
    Path(__file__).read_text(),
]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_file_in_pieces_has_the_units_of_the_whole(size, monkeypatch):
    monkeypatch.setattr("tensh.cli.session.sources.source.PIECE", size)
    for text in TEXTS:
        parts = Source(text, "<long>", commands=False).parts()
        found = [ast.dump(each, include_attributes=True) for each in parts]
        assert found == [ast.dump(each, include_attributes=True) for each in ast.parse(text).body]


@pytest.mark.parametrize("line", ["x = (", "else: 1", "  x", "x = 'a", "'''", "f(a b)", "return"])
def test_an_error_of_a_file_in_pieces_is_that_of_the_whole(line, monkeypatch):
    errors = []
    for size in (2, 1000):
        monkeypatch.setattr("tensh.cli.session.sources.source.PIECE", size)
        with pytest.raises(SyntaxError) as caught:
            Source(f"a = 1\nb = 2\nc = 3\nd = 4\n{line}\ne = 5\nf = 6\n", "<long>").units()
        errors.append(caught.value.args)
    assert errors[0] == errors[1]


def test_the_units_of_a_long_file_take_little_more_memory_than_their_code(monkeypatch):
    monkeypatch.setattr("tensh.cli.session.sources.source.PIECE", 500)
    source = Source("".join(f"x{n % 50} = {n}\n" for n in range(5_000)), "<long>")
    gc.collect()
    tracemalloc.start()
    try:
        units = source.units()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(units) == 5_000 and peak < 2 * kept
