"""Graphs in the files that people have, read so that a file can do nothing but be refused: ``privgraph convert``.

A file becomes a ``Found``: pairs of ids, and columns of texts or arrays beside them. What is publicly known of the kind
of data is ``Stated``. ``joined.convert`` puts the two together, and remarks on all that it mends, drops or leaves out.
"""
