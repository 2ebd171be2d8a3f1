"""LPGNN, and what is left of it without noise (chapter 6)."""
