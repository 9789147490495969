"""The error of help about a name that does not exist."""


class Unknown(LookupError):
    """An unknown name; the message says which may have been meant."""
