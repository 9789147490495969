"""The command line: `session` runs code and says what happened, `render` shows it, `run` and `app` put them together."""
