"""Chapter 13: when do private features help? A predicted gain, graphs drawn to test it, and real graphs beside them."""
