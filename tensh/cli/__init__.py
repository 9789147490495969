"""The command line: `session` runs code and reports events, `render` shows them, `run` and `app` combine the two."""
