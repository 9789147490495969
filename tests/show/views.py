"""Views as plain text."""

import math
import subprocess
import sys

import numpy as np
import pytest

import tensh as torch
from tensh import show
from tensh.show.blocks import bar, shade, sparkline
from tensh.show.describe import amount, number
from tensh.show.page import Page, Paint
from tensh.show.shrinking import shrink
from tensh.show.table import Table
from tensh.show.text import cells, pad, shorten
from tensh.support.escaping import visible
from tensh.support.language import count
from tests.support.project import plain_environment



def drawn(view, **page):
    """The plain text of a view on a page."""
    return "".join(text for _, text in view.draw(Page(**page)))

