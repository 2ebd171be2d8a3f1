"""PrivGNN and PATE, what they cost, and attacks on them (chapter 9)."""
