"""The catalogues of translations: every message has one, and the compiled files are those of the sources."""

import re
import string
from pathlib import Path

import pytest

import tensh.support.language as language
from tensh.support.language import ENGLISH, LANGUAGES, choose_language
from tests.documents.test_index import run
from tests.support.command_line import Done
from tools import catalogues

OTHERS = [code for code in LANGUAGES if code != ENGLISH]


@pytest.fixture(autouse=True)
def english():
    yield
    language.choose(ENGLISH)


@pytest.mark.thorough
def test_every_message_is_translated_and_the_files_are_current():
    done = run("tools/catalogues.py", "--check")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_fills_in_the_same_values(code):
    for text, translation in catalogues.read_catalogue(catalogues.paths_of(code)[0]).items():
        names, others = (
            {name for _, name, _, _ in string.Formatter().parse(each) if name} for each in (text, translation)
        )
        assert names == others, text


@pytest.mark.parametrize("code", OTHERS)
def test_gettext_reads_what_was_compiled(code):
    language.choose(code)
    for text, translation in catalogues.read_catalogue(catalogues.paths_of(code)[0]).items():
        assert language._(text) == translation if text else True


def test_what_the_tool_writes_it_reads(tmp_path):
    path = tmp_path / "x.po"
    strange = 'a "quoted" \\ back\nslash\ttab'
    path.write_text(f"msgid {catalogues.quote(strange)}\nmsgstr {catalogues.quote(strange)}\n", encoding="utf-8")
    assert catalogues.read_catalogue(path) == {strange: strange}


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "fr:zh_CN:en"}, "zh"),
        ({"LANG": "C", "LANGUAGE": "zh"}, "en"),
        ({"LANG": "en_US.UTF-8", "TENSH_LANGUAGE": "zh"}, "zh"),
        ({"LANG": "zh_CN", "TENSH_LANGUAGE": "nosuch"}, "zh"),
        ({"LC_MESSAGES": "zh-Hans"}, "zh"),
    ],
)
def test_the_locale_says_which_language(variables, code):
    assert choose_language(variables) == code


@pytest.mark.parametrize("code", OTHERS)
def test_a_screen_of_the_lessons_is_in_one_language(code):
    """No line of the list of lessons, or of the runner, is in English."""
    lines = Done("learn", LANG=f"{code}_XX.UTF-8").output.splitlines()
    assert all(re.search("[\u4e00-\u9fff]", line) for line in lines if line.strip())
    played = Done("learn", "tensors", stdin="help\nhint\n1\nskip\nquit\n", LANG=f"{code}_XX.UTF-8").output
    ours = [
        line
        for line in played.splitlines()
        if re.search("[A-Za-z]{3}", line) and not line.startswith((">>>", "tensor", "torch", "? "))
    ]
    assert all(re.search("[\u4e00-\u9fff]", line) for line in ours), ours


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-500], lambda data: b"x" + data[1:]])
def test_a_damaged_catalogue_leaves_english(damage, tmp_path):
    whole = Path(language.FOLDER, OTHERS[0], "LC_MESSAGES", "tensh.mo")
    path = tmp_path / OTHERS[0] / "LC_MESSAGES" / "tensh.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(damage(whole.read_bytes()))
    assert language.read_catalogue(tmp_path, OTHERS[0]).gettext("right") == "right"


@pytest.mark.parametrize("code", OTHERS)
def test_the_list_of_commands_is_in_one_language(code):
    lines = Done("-c", "%help commands", LANG=f"{code}_XX.UTF-8").output.splitlines()
    assert len(lines) > 30 and all(re.search("[\u4e00-\u9fff]", line) for line in lines)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("# x  [2] float32 · 叶张量 · 8 B", "zh"),
        ("你好，世界\nname  shape", "en"),
        ("", "en"),
        ("3 nodes, 2 edges", "en"),
    ],
)
def test_the_language_of_an_output_is_found(text, code):
    assert language.language_of(text) == code


def test_words_of_the_program_do_not_tell_the_language():
    assert language.language_of("损失 1") == "zh"
    assert language.language_of("损失 1", "print('损失', 1)") == "en"
    assert language.language_of("损失 1\n叶张量", "print('损失', 1)") == "zh"


def test_no_space_stands_between_words_of_chinese():
    text = "compute {root} again before each backward, or keep the graph: {name}.backward(retain_graph=True)"
    with language.speaking("zh"):
        said = language._(text).format(root=language._("the result"), name="y")
        assert "重新计算 结果" in said and "重新计算结果，或" in language.close_up(said)
        assert language.close_up("把 x 写入 结果") == "把 x 写入结果"
    assert language.close_up("重新 计算") == "重新 计算"
