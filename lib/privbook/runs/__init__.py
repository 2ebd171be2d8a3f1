"""Grids of runs that resume, and the ledger they are written to. Nothing here knows a paper.

Its modules::

    grid     what an experiment is: parameters, a grid of settings, and a function from one setting to metrics
    rows     one row a run, as text
    locks    two processes that write to one file take turns
    ledger   the file of an experiment's rows
    cache    work that several runs share
    prices   what a run takes, by the clock and of the processor
    plan     what is still to be run, and how long that takes
    workers  the processes that do it
    runner   running it
"""
