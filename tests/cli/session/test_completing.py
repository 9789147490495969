"""Completion: the order of names, and code in f-strings."""

import pytest

from tensh.cli.session.completion import complete

IN_F_STRINGS = {  # text before the cursor: whether the shape of x is offered
    "f'{x.sha": True,
    'f"a {x.sha': True,
    "rf'{x.sha": True,
    "F'''a\n{x.sha": True,
    "f'{x} {x.sha": True,
    "f'{{{x.sha": True,
    "print(f'{x.sum(0).sha": True,
    'f\'{d["a"].sha': True,
    "'{x.sha": False,
    "f'x.sha": False,
    "f'{{x.sha": False,
    "f'{x}.sha": False,
    "f'{x:.sha": False,
    "buf'{x.sha": False,
}


@pytest.mark.parametrize("text", IN_F_STRINGS)
def test_code_in_the_braces_of_an_f_string_is_completed(prompt, text):
    prompt("x = torch.ones(2)", "d = {'a': x}")
    found = [each.text for each in complete(text, prompt.session.namespace).candidates]
    assert ("shape" in found) == IN_F_STRINGS[text]


def test_functions_come_before_classes_and_private_names_last(prompt):
    prompt("class Alpha: pass", "def zeta(): pass", "_own = 1", "apple = 2")
    names = [each.text for each in complete("torch.", prompt.session.namespace).candidates]
    assert names.index("zeros") < names.index("Tensor")
    prompt("class Owner:\n    B = 1\n    a = 2\n    _c = 3\n    _D = 4", "owner = Owner()")
    assert [each.text for each in complete("owner.", prompt.session.namespace).candidates] == ["a", "B"]


@pytest.mark.parametrize(
    ("command", "offered"),
    {"load": ["folder/", "model.pt"], "run": ["folder/", "lesson.MD", "model.pt", "step.py"]}.items(),
)
def test_files_that_a_command_refuses_are_not_offered(command, offered, prompt, tmp_path, monkeypatch):
    for name in ("model.pt", "lesson.MD", "step.py"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    found = [each.text for each in complete(f"%{command} ", prompt.session.namespace).candidates]
    assert [each for each in found if not each.startswith("-")] == offered
