"""Static analysis: what is known about a name or an expression without running any code."""
