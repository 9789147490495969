"""The error for help on an unknown name."""


class Unknown(LookupError):
    """Raised for an unknown name; the message suggests similar ones."""
