"""RGNN beside LPGNN (chapter 7)."""
