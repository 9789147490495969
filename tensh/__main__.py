"""`python -m tensh`."""

import sys

from tensh.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
