"""Blocks while they are typed: when Enter runs them, indentation, pastes."""

import pytest

from tensh.cli.repl import blocks

WHOLE = [
    "x = 1",
    "x = 1\ny = 2",
    "# a comment",
    "  x = 1",
    "print(1);",
    "%who",
    "%time for i in x: pass",
    "torch.sum?",
    "x = 1\n%who",
    "for i in y:\n    i\n",
    "for i in y:\n    i\n    ",
    "def f():\n    return 1\nx = 2",
    "class A:\n    def f(self):\n        pass\n",
    "'''a\nb'''",
    "x = 1 +",  # wrong, and no next line can help
    "x = )",
    "'abc",
    "return",
]
OPEN = [
    "for i in y:",
    "for i in y:\n",
    "for i in y:\n    i",
    "for i in y: i",
    "if x:\n    1\nelse:\n    2",
    "@decorator",
    "x = (",
    "x = (1,\n",
    "f(x,\n\n",
    "x = '''a",
    "x = '''a\n\n",
    "x = 1 + \\",
    "%who\nfor i in y:",
    "def f():\n    x = 1\n\n    def g():",
    "try:\n    x\n",
]


@pytest.mark.parametrize("text", WHOLE)
def test_enter_runs_what_is_whole(text):
    assert blocks.is_whole(text)


@pytest.mark.parametrize("text", OPEN)
def test_enter_goes_on_with_what_is_open(text):
    assert not blocks.is_whole(text)


@pytest.mark.parametrize(
    "text, indent",
    [
        ("x = 1", 0),
        ("for i in y:", 4),
        ("for i in y:  # why: because", 4),
        ("for i in y:\n    if i:", 8),
        ("for i in y:\n    i", 4),
        ("def f():\n    return 1", 0),
        ("for i in y:\n    if i:\n        continue", 4),
        ("x = f(", 4),
        ("x = f(\n    1,", 4),
        ("x = f(1,", 4),
        ("x = f(\n    1)", 4),
        ("d = {'a':", 4),
        ("x = y[1:", 4),
        ("x = 'a:'", 0),
        ("x = '''", None),
        ("x = '''\n  a:", None),
        ("class A:\n    def f(self):\n        '''Doc.'''", 8),
        ("f = lambda:", 4),
        ("", 0),
    ],
)
def test_the_next_line_is_indented(text, indent):
    assert blocks.next_indent(text) == indent


@pytest.mark.parametrize(
    "text, indent",
    [
        ("if x:\n    y\n    else:", 0),
        ("for i in x:\n    if i:\n        y\n        else:", 4),
        ("for i in x:\n    if i:\n        y\n    else:", None),
        ("for i in x:\n    if i:\n        y\n    z\n    else:", 0),
        ("if x:\n    y\nelse:", None),
        ("try:\n    y\n    except ValueError:", 0),
        ("if x:\n    y\n    elif f(x[1:", None),
        ("if x:\n    y\n    elsewhere:", None),
        ("if x:\n    '''y\n    else:", None),
        ("with x:\n    y\n    else:", None),
    ],
)
def test_a_clause_stands_below_its_statement(text, indent):
    assert blocks.clause_indent(text) == indent


@pytest.mark.parametrize(
    "text, meaning",
    [
        ("x = 1\n", "x = 1"),
        ("x = 1\r\ny = 2\r\n", "x = 1\ny = 2"),
        ("if x:\r\r    y\r\r\r\rz\r\r", "if x:\n    y\n\nz"),
        ("if x:\r    y\r\rz\r", "if x:\n    y\n\nz"),
        ("\n    x = 1\n    y = 2\n", "x = 1\ny = 2"),
        (">>> x = 1\n>>> x\n1\n", "x = 1\nx"),
        (">>> for i in y:\n...     i\n...\n0\n1\n>>> z", "for i in y:\n    i\n\nz"),
        ("In [3]: for i in y:\n   ...:     i\n   ...: \nOut[3]: 4\n\nIn [4]: z", "for i in y:\n    i\n\nz"),
        ("tensh> x = 1\ntensh> x\n1", "x = 1\nx"),
        ("    >>> x\n    tensor([1.,\n            ...,\n            2.])\n    >>> y", "x\ny"),
        ("x = '''\n>>> y\n'''", "x = '''\n>>> y\n'''"),
        ("\tx\n\t\ty", "x\n    y"),
        (">>> if x:\n... \t'a\tb'", "if x:\n    'a\tb'"),
        ("if x:\n\xa0\xa0\xa0 y", "if x:\n    y"),
        ("```python\nx = 1\nx\n```", "x = 1\nx"),
        ("```\nx\n```\nand then\n```\ny\n```", "x\ny"),
        ("```pycon\n>>> x\n1\n```", "x"),
        ("[3]: x = 1\n[4]: x\n[4]: 1", "x = 1\nx"),
        ("[3]", "[3]"),
        ("1  if x:\n2      y\n3\n4  z", "if x:\n    y\n\nz"),
        (" 9: x\n10: y", "x\ny"),
        ("1\n2", "1\n2"),
        ("1 x\n3 y", "1 x\n3 y"),
        ("x = “a”\nprint（x，‘b’）", "x = \"a\"\nprint(x,'b')"),
        ("x\xa0=\xa03 \u2212 1", "x = 3 - 1"),
        ("x = 'a – “b”'", "x = 'a – “b”'"),
        ("x = 'a – “b”' – 1", "x = 'a – “b”' - 1"),
        ("损失 = 1", "损失 = 1"),
        ("x = “a", "x = “a"),
        ("", ""),
    ],
)
def test_a_paste_is_code_without_prompts(text, meaning):
    assert blocks.clean_paste(text) == meaning


@pytest.mark.parametrize(
    "column, name", [(0, "x"), (1, "x"), (2, ""), (4, "torch.relu"), (12, "torch.relu"), (14, "torch.relu"), (16, "y")]
)
def test_the_name_at_the_cursor(column, name):
    assert blocks.name_at("x = torch.relu( y)", column) == name
