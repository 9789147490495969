"""The user's source: the place of a failure, the statements before it, and changes of their text."""
