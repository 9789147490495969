"""The style of each kind of text, in the sixteen colours that every terminal has and its user has chosen.

No colour carries meaning alone: what is red is also called an error, what is marked also has a mark under it.
"""

STYLES = {
    "error": "1;31",  # the type of an exception
    "message": "1",
    "warning": "33",
    "place": "36",  # file and line
    "number": "",
    "margin": "2",  # line numbers and bars beside quoted code
    "code": "",
    "mark": "1;31",  # under the piece of code that failed
    "note": "2",
    "keyword": "1",
    "prompt": "2",
}


def styled(tokens, in_color):
    """(kind, text) pairs as one text, with escape sequences if it is to be in colour."""
    if not in_color:
        return "".join(text for _, text in tokens)
    return "".join(_escape(STYLES.get(kind, ""), text) for kind, text in tokens)


def _escape(style, text):
    return f"\033[{style}m{text}\033[0m" if style and text else text
