"""Where tokens become text on a stream: results on stdout, everything else on stderr."""

from tensh.cli.render.theme import styled


class Console:
    """Writes (kind, text) pairs to the streams of an environment."""

    def __init__(self, env):
        self.env = env
        self.in_color = env.has_color(env.stdout), env.has_color(env.stderr)

    def result(self, tokens):
        """Write to stdout."""
        self.env.stdout.write(styled(tokens, self.in_color[0]))

    def remark(self, tokens):
        """Write to stderr, after what stdout has so far."""
        self.env.stdout.flush()
        self.env.stderr.write(styled(tokens, self.in_color[1]))
        self.env.stderr.flush()
