"""Quick tests on the text of a program, before it runs and before commands are imported."""

import re

VIEWS = r"\btensh\.show\b|\bfrom tensh import [^\n]*\bshow\b|\bfrom tensh\.show import"
HISTORY = r"\b(?:In|Out)\["


def mentions_views(text):
    """Return True if a program may call functions that need the code locations of operations."""
    return "tensh" in text and re.search(VIEWS, text) is not None


def mentions_history(text):
    """Return True if a program may use `In` or `Out`."""
    return ("In[" in text or "Out[" in text) and re.search(HISTORY, text) is not None
