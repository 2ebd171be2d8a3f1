"""``python -m privgraph.cli`` is the command ``privgraph``."""

import sys

from . import main

sys.exit(main())
