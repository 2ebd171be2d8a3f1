"""SE-GCL (chapter 12): what counting alone names, what is chosen on base classes, and tasks of new classes."""
