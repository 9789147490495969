"""The error of help about a name that does not exist."""


class Unknown(LookupError):
    """There is no such name; the message says which may have been meant."""
