"""Fixtures that tests of this folder share."""

import importlib.util
import io
import json
import random
import re
import subprocess
import sys

import pytest

from tensh.cli.app import main
from tensh.cli.checking.check import Request, show
from tensh.cli.checking.compare import compare
from tensh.cli.checking.tokens import tokens
from tensh.cli.checking.verdicts import text_of
from tensh.cli.documents import files
from tensh.cli.process.environment import Environment
from tensh.cli.programs.options import Options
from tests.support.project import SHARED, plain_environment
from tests.cli.checking.checks import write



@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """What lessons write goes into a folder of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

