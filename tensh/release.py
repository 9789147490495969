"""The version of tensh, apart from all that takes time to load."""

VERSION = "0.1.0"
