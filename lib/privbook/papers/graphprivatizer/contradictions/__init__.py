"""GraphPrivatizer: its tables against its figures, and against each other."""
