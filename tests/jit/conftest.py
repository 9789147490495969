"""What all tests of this folder share."""

from tests.support.collector import thawed  # noqa: F401
