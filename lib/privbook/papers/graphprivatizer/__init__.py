"""GraphPrivatizer, and mechanisms for edges that hold what they say (chapter 8)."""
