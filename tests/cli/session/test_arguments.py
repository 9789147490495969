"""Arguments of commands: spaces, options, too many of them; and programs whose lines are commands in part."""

import pytest

from tensh.cli.session.events import Failed
from tensh.cli.session.magics.writing import as_python
from tensh.support.command_lines import blank_commands

NAMES = "x, w = torch.ones(2, requires_grad=True), torch.ones(2); y = (x * w).sum(); net = nn.Linear(2, 1)"

PARTED = {  # a space before a bracket parts two arguments, as do other spaces
    "[1, 2] [3, 4]": "[1, 2],[3, 4]",
    "net (2, 2)": "net,(2, 2)",
    "f(1) [x]": "f(1),[x]",
    "x[0] y": "x[0],y",
    "x in (1, 2)": "x in (1, 2)",
    "not (x)": "not (x)",
    "x + (y)": "x + (y)",
    "y --shape 2,3": "y, shape=(2,3)",
    "y --depth -1": "y, depth=-1",
}


@pytest.mark.parametrize("text, expected", PARTED.items(), ids=PARTED)
def test_arguments_as_python(text, expected):
    assert as_python(text) == expected


REFUSED = {
    "%graph y -o a.svg": "%graph: there is no option -o; write %graph [Y]",
    "%graph y x": "%graph: write %graph [Y]",
    "%graph y --focus": "%graph: --focus expects a value",
    "%graph y --depth -1": "%graph: depth must be a whole number of at least 1, not -1",
    "%step y x": "%step: write %step [Y]",
    "%memory y x": "%memory: write %memory [Y]",
    "%heat x w": "%heat: write %heat X",
    "%image x w": "%image: write %image X",
    "%full x w": "%full: write %full [X]",
    "%hist x --bins": "%hist: --bins expects a value",
    "%cmp x w y": "%cmp: write %cmp A B",
    "%cmp x w 3": "%cmp: write %cmp A B",
    "%cmp x": "%cmp: write %cmp A B",
    "%why x w": "%why: write %why X",
    "%why x --depth 3": "%why: there is no option --depth",
    "%summary net --input 2,4": "%summary: there is no option --input",
    "%heat --bins 3": "%heat: there is no option --bins",
    "%full --page": "%full: there is no option --page",
    "%hist --bin 3": "%hist: there is no option --bin; did you mean --bins?",
    "%save --force": "%save: there is no option --force; it has --over",
    "%save --force work": "%save: there is no option --force; it has --over",
    "%export work.py --force": "%export: there is no option --force; it has --over",
    "%load --all work": "%load: there is no option --all; it has --over",
    "%run weights.pt": "%run weights.pt: it contains tensors, not code; %load weights.pt loads it",
}


@pytest.mark.parametrize("line, expected", REFUSED.items(), ids=REFUSED)
def test_arguments_that_do_not_fit_are_refused_in_one_line(line, expected, prompt):
    prompt(NAMES)
    assert prompt.message(line).startswith(expected)


INCOMPLETE = ("%full x +", "%why x *", "%graph y -", "%time x +")


@pytest.mark.parametrize("line", INCOMPLETE)
def test_an_expression_that_is_not_complete_is_marked_at_its_end(line, prompt):
    prompt(NAMES)
    (failed,) = [event for event in prompt(line) if isinstance(event, Failed)]
    (place,) = failed.failure.places
    assert (place.line, place.column) == (1, len(line))


def test_a_subtraction_of_names_is_no_option(prompt):
    prompt(NAMES)
    assert "[2]" in prompt.text("%hist x -w")


MIXED = """x = torch.ones(2, requires_grad=True)
!true
%seed 0
x?
y = (x
 % 3)
text = '''
%why x
'''
loss = (y * 2).sum()  # right?
"""


def test_commands_are_blanked_only_where_a_statement_can_begin():
    kept = MIXED.split("\n")
    kept[1:4] = "", "", ""
    assert blank_commands(MIXED).split("\n") == kept


def test_a_graph_has_its_names_in_a_program_with_commands(prompt):
    *_others, graph, reason = prompt.values(MIXED.replace("!true", "%who") + "%graph loss\nloss.backward()\n%why x")
    assert "loss = (y * 2).sum()" in repr(graph) and "y = x % 3" in repr(graph)
    assert "because loss = (y * 2).sum()" in repr(reason)
