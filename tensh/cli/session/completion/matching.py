"""The names that complete a word, in the order of the menu."""


def list_matching(names, word):
    """Return the names that begin with a word in alphabetical order, private ones only after an underscore.

    Without a word, functions come first, then classes and constants, which begin with a capital.

    Names that cannot be typed are omitted: a value loaded from a file can have such attributes.
    """
    found = [name for name in names if type(name) is str and name.startswith(word) and name.isidentifier()]
    if word:
        return sorted(found)
    functions = [name for name in found if name[0] != "_" and not name[0].isupper()]
    return sorted(functions) + sorted(name for name in found if name[0].isupper())
