"""The scripts that compare libraries on PyTorch and on tensh: what counts as agreement, and what as no evidence."""

import importlib.util
import sys

import pytest

from tests.support.project import ROOT


def script(name):
    """A script of the folder tools as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("theirs", "ours", "verdict"),
    [
        ((True, "1\n"), (True, "1\n"), "the same"),
        ((True, "1\n"), (True, "2\n"), "PyTorch"),
        ((True, "1\n"), (False, "1\n"), "PyTorch"),
        ((False, "ImportError: x"), (False, "ImportError: x"), "no evidence"),
        ((False, "ImportError: x"), (True, "1\n"), "no evidence"),
        ((True, ""), (True, ""), "no evidence"),
    ],
)
def test_only_a_program_that_works_on_pytorch_is_evidence(theirs, ours, verdict):
    assert script("libraries").judge(theirs, ours).startswith(verdict)


def test_the_outcome_of_each_test_is_read_from_a_report(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuite><testcase classname='a' name='b'/><testcase classname='a' name='c'><failure message='E: x&#10;y'/></testcase>"
        "<testcase classname='a' name='d'><skipped message=''/></testcase></testsuite>",
        encoding="utf-8",
    )
    assert dict(script("suites").cases(report)) == {
        "a::b": ("passed", ""), "a::c": ("failure", "E: x"), "a::d": ("skipped", "")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("test", "limit", "reason"),
    [
        ("def test_of_two(): raise KeyboardInterrupt", 600, "2"),
        ("import threading\ndef test_that_hangs(): threading.Event().wait()", 0, "0 seconds were not enough"),
    ],
)
def test_a_run_of_a_suite_that_did_not_come_to_its_end_is_no_report(tmp_path, monkeypatch, test, limit, reason):
    suites = script("suites")
    monkeypatch.setattr(suites, "LIMIT", limit)
    (tmp_path / "test_it.py").write_text(f"def test_of_one(): pass\n{test}\n", encoding="utf-8")
    report = tmp_path / "report.xml"
    with pytest.raises(suites.Unknown, match=rf"\({reason}\)"):
        suites.run(suites.Suite("it", "test_it.py"), tmp_path, sys.executable, report, False)
    assert not report.exists()


def test_a_run_of_a_suite_whose_tests_fail_is_a_report(tmp_path):
    suites = script("suites")
    (tmp_path / "test_it.py").write_text("def test_one(): pass\ndef test_two(): assert 0", encoding="utf-8")
    found = suites.run(suites.Suite("it", "test_it.py"), tmp_path, sys.executable, tmp_path / "report.xml", False)
    assert {name: ended for name, (ended, _) in found.items()} == {
        "test_it::test_one": "passed", "test_it::test_two": "failure"
    }  # fmt: skip
