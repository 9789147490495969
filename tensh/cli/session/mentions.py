"""What the text of a program may ask for, seen before it runs and without reading the commands."""

import re

VIEWS = r"\btensh\.show\b|\bfrom tensh import [^\n]*\bshow\b|\bfrom tensh\.show import"
HISTORY = r"\b(?:In|Out)\["


def mentions_views(text):
    """True if a program may call functions that ask where in the code operations were recorded."""
    return "tensh" in text and re.search(VIEWS, text) is not None


def mentions_history(text):
    """True if a program may ask for its lines and what they showed."""
    return ("In[" in text or "Out[" in text) and re.search(HISTORY, text) is not None
