"""LPPGE, what it is compared with, and attacks on the vectors that are published (chapter 10)."""
