"""The four words of a verdict, and the status with which a command ends that comes to it."""

REFUTED = "refuted"
TRIED = "tried and not refuted"
PROMISES_NOTHING = "promises nothing"
NOTHING_TO_REFUTE = "nothing that could refute was run"
STATUS = {REFUTED: 1, TRIED: 0, PROMISES_NOTHING: 0, NOTHING_TO_REFUTE: 3}  # 2 is every wrong argument
