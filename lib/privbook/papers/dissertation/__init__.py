"""The dissertation: what it prints beside the papers that went into it (chapters 10 to 12)."""
