"""Which name somebody meant."""


def close(word, known):
    """The name among those known that comes closest to a word, or None."""
    from difflib import get_close_matches  # a millisecond that only a failure costs

    hidden = word.startswith("_")
    names = [name for name in known if hidden or not name.startswith("_")]
    found = get_close_matches(word, names, 1)
    if not found:  # True for true
        found = get_close_matches(word.lower(), [name for name in names if not name.islower()], 1)
    return found[0] if found else None
