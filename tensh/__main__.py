"""`python -m tensh`."""

import sys

from tensh.cli.start import main

if __name__ == "__main__":
    sys.exit(main())
