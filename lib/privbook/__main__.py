"""``python -m privbook`` is the command ``privbook``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
