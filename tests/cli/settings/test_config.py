"""The settings: declared once, read from a file and from variables, wrong ones named and passed over."""

import pytest

from tensh.cli.process.environment import Environment
from tensh.cli.process.folders import folder
from tensh.cli.render.console import Console
from tensh.cli.settings.config import DECLARED, SettingError, Settings, format_value, load, path, startup_path
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
    'theme = "drak"': "theme cannot be drak; allowed: auto, light, dark, mono",
    "theme = 3": "theme cannot be 3; allowed: auto, light, dark, mono",
    "precision = -1": "precision cannot be -1; allowed: a whole number from 0 to 100",
    "precision = 1.5": "precision cannot be 1.5; allowed: a whole number from 0 to 100",
    "precision = true": "precision cannot be on; allowed: a whole number from 0 to 100",
    "linewidth = 3": "linewidth cannot be 3; allowed: auto, a whole number from 10",
    'caption = "maybe"': "caption cannot be maybe; allowed: on, off",
    "history = 3": "history cannot be 3; allowed: on, off, a file",
    "captoin = false": "there is no setting 'captoin'; did you mean caption?",
    "[keys]\na = 1": "keys cannot be {'a': 1}; allowed: emacs, vi",
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
    assert loaded == (Settings(), {}, ["TENSH_KEYS: keys cannot be joe; allowed: emacs, vi"])


@pytest.mark.parametrize("name", DECLARED)
def test_every_default_is_allowed_and_can_be_written_and_read(name):
    default = DECLARED[name].default
    assert (
        Settings().replace_value(name, default) == Settings() == Settings().replace_value(name, format_value(default))
    )
    assert DECLARED[name].help and DECLARED[name].allowed.words


def test_settings_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        Settings().theme = "dark"
    with pytest.raises(SettingError, match="there is no setting"):
        Settings().replace_value("colour", "red")


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
def test_folders_follow_the_platform_and_its_variables(case, expected):
    kind, platform, variables = case
    assert folder(kind, dict(pair.split("=") for pair in variables), platform).replace("\\", "/") == expected


# ── the command ──────────────────────────────────────────────────────────────


def test_config_show(configured):
    variables = configured('theme = "light"\nkeys = 3')
    done = Done("config", **variables, TENSH_PRECISION="7")
    assert done.status == 0 and Done("config", "show", **variables, TENSH_PRECISION="7") == done
    lines = {line.split()[0]: line.split() for line in done.output.splitlines()}
    assert set(lines) == {"name", *DECLARED}
    assert lines["theme"][1:3] == ["light", path(variables)]
    assert lines["precision"][1:3] == ["7", "TENSH_PRECISION"]
    assert lines["keys"][1:3] == ["emacs", "default"]
    assert done.errors == f"{path(variables)}: keys cannot be 3; allowed: emacs, vi\n"


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


# ── tensh config set ─────────────────────────────────────────────────────────


def change(tmp_path, *arguments):
    return Done("config", *arguments, XDG_CONFIG_HOME=str(tmp_path))


def test_a_setting_is_written_and_taken_away(tmp_path):
    done = change(tmp_path, "set", "theme", "light")
    file = tmp_path / "tensh" / "config.toml"
    assert (done.status, done.output) == (0, f"theme is light  {file}\n") and file.read_text() == 'theme = "light"\n'
    change(tmp_path, "set", "precision", "6")
    change(tmp_path, "set", "caption", "off")
    assert file.read_text() == 'theme = "light"\nprecision = 6\ncaption = false\n'
    assert change(tmp_path, "unset", "precision").output == f"precision is 4 again  {file}\n"
    assert load({"XDG_CONFIG_HOME": str(tmp_path)}).settings == Settings(theme="light", caption=False)


def test_the_other_lines_stay_as_they_are(configured, tmp_path):
    configured('# mine\n"theme" = "dark"  # at night\n\nprecision = 6\n[other]\ntheme = 3\n')
    change(tmp_path, "set", "theme", "light")
    change(tmp_path, "set", "keys", "vi")
    written = (tmp_path / "tensh" / "config.toml").read_text()
    assert written == '# mine\ntheme = "light"\n\nprecision = 6\nkeys = "vi"\n[other]\ntheme = 3\n'


@pytest.mark.parametrize("value", ['/a "b"\\c', "~/网/history", "off"])
def test_any_path_is_written_so_that_it_is_read_again(tmp_path, value):
    assert change(tmp_path, "set", "history", value).status == 0
    assert load({"XDG_CONFIG_HOME": str(tmp_path)}).settings.history == value


REFUSED = {
    ("set", "theme", "drak"): "theme cannot be drak; allowed: auto, light, dark, mono",
    ("set", "thme", "light"): "did you mean theme?",
    ("set", "theme"): "write tensh config set NAME VALUE",
    ("set",): "write tensh config set NAME VALUE",
    ("unset", "theme", "light"): "write tensh config unset NAME",
    ("unset", "nowhere"): "there is no setting 'nowhere'",
    ("show", "theme"): "write tensh config show",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_set_is_refused(tmp_path, arguments):
    done = change(tmp_path, *arguments)
    assert done.status == 2 and REFUSED[arguments] in done.errors
    assert not (tmp_path / "tensh").exists()


def test_a_broken_file_is_not_written_over(configured, tmp_path):
    configured("theme = \n")
    done = change(tmp_path, "set", "theme", "light")
    assert done.status == 2 and "repair the file first" in done.errors
    assert (tmp_path / "tensh" / "config.toml").read_text() == "theme = \n"


def test_a_variable_that_counts_more_is_named(tmp_path):
    done = Done("config", "set", "theme", "light", XDG_CONFIG_HOME=str(tmp_path), TENSH_THEME="dark")
    assert "the variable TENSH_THEME overrides the file" in done.errors


STARTUP = {
    (): "/c/tensh/startup.tsh",
    (("startup", "off"),): None,
    (("startup", "/a/b.tsh"),): "/a/b.tsh",
}


@pytest.mark.parametrize("chosen", STARTUP)
def test_the_file_that_a_prompt_runs_first(chosen):
    variables = {"XDG_CONFIG_HOME": "/c"}
    assert startup_path(Settings(**dict(chosen)), variables) == STARTUP[chosen]


def test_nothing_in_the_current_folder_is_run_by_itself():
    assert startup_path(Settings(), {"XDG_CONFIG_HOME": "/c", "TENSH_CONFIG": "settings.toml"}) is None


# ── light and dark ───────────────────────────────────────────────────────────

GROUNDS = {"15;0": "dark", "0;15": "light", "0;default;7": "light", "7;8": "dark", "": "auto", "15;default": "auto"}


@pytest.mark.parametrize("text, theme", GROUNDS.items())
def test_the_theme_is_that_for_the_ground_of_the_terminal(text, theme):
    environment = Environment(variables={"COLORFGBG": text})
    console = Console(environment)
    assert console.theme() == theme and console.is_dark() == (theme != "light")
    console = Console(environment, load({"TENSH_CONFIG": "none", "TENSH_THEME": "light"}))
    assert console.theme() == "light" and not console.is_dark()
