"""The settings: declared once, read from a file and from variables, wrong ones named and passed over."""

import pytest

from tensh.cli.config import DECLARED, SettingError, Settings, format_value, load, path
from tensh.cli.folders import folder
from tests.support.command_line import Done


@pytest.fixture
def configured(tmp_path):
    """Write a file of settings; the variables with which it is found."""

    def write(text):
        (tmp_path / "tensh").mkdir(exist_ok=True)
        (tmp_path / "tensh" / "config.toml").write_text(text, encoding="utf-8")
        return {"XDG_CONFIG_HOME": str(tmp_path)}

    return write


def test_without_a_file_there_are_defaults(tmp_path):
    loaded = load({"XDG_CONFIG_HOME": str(tmp_path)})
    assert loaded == (Settings(), {}, [])


def test_a_file_and_variables(configured):
    variables = configured('theme = "light"\ncaption = false\nprecision = 6\nlinewidth = "auto"\n')
    loaded = load(variables | {"TENSH_PRECISION": "2", "TENSH_KEYS": "vi", "TENSH_SUGGEST": "OFF"})
    assert loaded.settings == Settings(theme="light", caption=False, precision=2, keys="vi", suggest=False)
    assert loaded.complaints == []
    assert loaded.origins["theme"] == path(variables) and loaded.origins["precision"] == "TENSH_PRECISION"


WRONG = {
    'theme = "drak"': "theme cannot be drak, but: auto, light, dark, mono",
    "theme = 3": "theme cannot be 3, but: auto, light, dark, mono",
    "precision = -1": "precision cannot be -1, but: a whole number from 0 to 100",
    "precision = 1.5": "precision cannot be 1.5, but: a whole number from 0 to 100",
    "precision = true": "precision cannot be on, but: a whole number from 0 to 100",
    "linewidth = 3": "linewidth cannot be 3, but: auto, a whole number from 10",
    'caption = "maybe"': "caption cannot be maybe, but: on, off",
    "history = 3": "history cannot be 3, but: on, off, a file",
    "captoin = false": "there is no setting 'captoin'; did you mean caption?",
    "[keys]\na = 1": "keys cannot be {'a': 1}, but: emacs, vi",
}


@pytest.mark.parametrize("text, complaint", WRONG.items(), ids=WRONG)
def test_a_wrong_setting_is_named_and_the_others_hold(configured, text, complaint):
    variables = configured(f'sci = "on"\n{text}\n')
    loaded = load(variables)
    assert loaded.settings == Settings(sci="on")
    assert loaded.complaints == [f"{path(variables)}: {complaint}"]


@pytest.mark.parametrize("text", ["x = = 3", "theme = light", "\x00", "[", "caption = on"])
def test_a_file_that_is_no_toml_is_one_complaint(configured, text):
    loaded = load(configured(text))
    assert loaded.settings == Settings() and len(loaded.complaints) == 1 and "config.toml: " in loaded.complaints[0]


def test_a_file_of_bytes_is_one_complaint(configured, tmp_path):
    variables = configured("")
    (tmp_path / "tensh" / "config.toml").write_bytes(b"\xff\xfe")
    assert len(load(variables).complaints) == 1


def test_a_wrong_variable_is_named():
    loaded = load({"TENSH_CONFIG": "/nowhere", "TENSH_KEYS": "joe"})
    assert loaded == (Settings(), {}, ["TENSH_KEYS: keys cannot be joe, but: emacs, vi"])


@pytest.mark.parametrize("name", DECLARED)
def test_every_default_is_allowed_and_can_be_written_and_read(name):
    default = DECLARED[name].default
    assert Settings().with_value(name, default) == Settings() == Settings().with_value(name, format_value(default))
    assert DECLARED[name].metadata["help"] and DECLARED[name].metadata["allowed"].words


def test_settings_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        Settings().theme = "dark"
    with pytest.raises(SettingError, match="there is no setting"):
        Settings().with_value("colour", "red")


FOLDERS = {
    # (kind, platform, variables): folder
    ("config", "linux", ("HOME=/h",)): "/h/.config/tensh",
    ("state", "linux", ("HOME=/h",)): "/h/.local/state/tensh",
    ("config", "linux", ("HOME=/h", "XDG_CONFIG_HOME=/x")): "/x/tensh",
    ("config", "linux", ("HOME=/h", "XDG_CONFIG_HOME=relative")): "/h/.config/tensh",
    ("config", "darwin", ("HOME=/h",)): "/h/Library/Application Support/tensh",
    ("config", "win32", ("HOME=/h", "APPDATA=/a")): "/a/tensh",
    ("state", "win32", ("HOME=/h", "LOCALAPPDATA=/l")): "/l/tensh",
}


@pytest.mark.parametrize("case, expected", FOLDERS.items(), ids=str)
def test_folders(case, expected):
    kind, platform, variables = case
    assert folder(kind, dict(pair.split("=") for pair in variables), platform).replace("\\", "/") == expected


# -- the command -------------------------------------------------------------------------------------------------------


def test_config_show(configured):
    variables = configured('theme = "light"\nkeys = 3')
    done = Done("config", **variables, TENSH_PRECISION="7")
    assert done.status == 0 and Done("config", "show", **variables, TENSH_PRECISION="7") == done
    lines = {line.split()[0]: line.split() for line in done.output.splitlines()}
    assert set(lines) == {"name", *DECLARED}
    assert lines["theme"][1:3] == ["light", path(variables)]
    assert lines["precision"][1:3] == ["7", "TENSH_PRECISION"]
    assert lines["keys"][1:3] == ["emacs", "default"]
    assert done.errors == f"{path(variables)}: keys cannot be 3, but: emacs, vi\n"


def test_config_path(configured):
    variables = configured("")
    assert Done("config", "path", **variables) == (0, path(variables) + "\n", "")
    assert Done("config", "path", TENSH_CONFIG="/a/b.toml").output == "/a/b.toml\n"
    assert Done("config", "nothing").status == 2


def test_settings_are_for_a_terminal(configured):
    variables = configured("precision = 2\nlinewidth = 30\ncaption = false\nthem = 1")
    code = "torch.tensor([1 / 3] * 8)"
    assert Done("-c", code, **variables) == Done("-c", code)
    done = Done("-c", code, terminal=True, TERM="dumb", **variables)
    assert done.output == "tensor([0.33, 0.33, 0.33,\n        0.33, 0.33, 0.33,\n        0.33, 0.33])\n"
    assert done.errors == f"{path(variables)}: there is no setting 'them'; did you mean theme?\n"


@pytest.fixture(autouse=True)
def printing_as_it_was():
    import tensh

    yield
    tensh.set_printoptions(profile="default")
