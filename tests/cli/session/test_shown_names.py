"""Commands take names as tables and graphs show them: `net.0.weight`."""

import pytest

from tensh.cli.session.events import Failed

MODEL = "net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())"


@pytest.mark.parametrize(
    "line", ["%grads net.0.weight", "%who net.0.weight", "%who net[0].weight", "%grads net.0", "%who *.0.w*"]
)
def test_a_table_of_names_takes_the_names_that_it_shows(prompt, line):
    assert "net.0.weight  " in prompt.text(MODEL, line)


def test_a_path_that_leads_nowhere_is_no_name(prompt):
    assert prompt.message(MODEL, "%who net.5") == "%who: there is no name net.5"
    assert prompt.message("%who torch") == "%who: torch was given to you: torch? explains it"


@pytest.mark.parametrize("command", ["%time", "%timeit -n 1", "%prun", "%trace"])
def test_a_statement_of_a_command_may_have_names_as_they_are_shown(prompt, command):
    events = prompt(MODEL, f"{command} net.0(torch.ones(1, 2)) + 0")
    assert not any(isinstance(each, Failed) for each in events)


def test_a_failure_is_marked_where_it_was_written(prompt):
    events = prompt(MODEL, "%time net.0.weight + net.0(torch.ones(1, 5))")
    (failed,) = (each for each in events if isinstance(each, Failed))
    place = failed.failure.places[0]
    assert place.source.text[place.column : place.end_column] == "net.0(torch.ones(1, 5))"
