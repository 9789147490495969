"""Code tried on stand-ins for its values, without running the user's code."""
