"""The papers' tables beside ours: one folder a paper, and what is common to them::

    published               the papers' numbers, as printed
    shared, graphs_counted  settings that several papers have, and what they print about their graphs
    catalogue               every experiment, by name
    results                 what the ledger says about an experiment; current: read anew when it has changed
    lookup                  where ours is found for a printed number
    verdicts                how two numbers are compared; coverage: a whole paper, setting by setting
    costs                   what the grids still ask for, what that takes, and what was spent
    contradictions          where a paper's numbers contradict each other
    attempts                what was tried where a number could not be reproduced

In the folder of a paper: its experiments, ``lookup`` and ``contradictions``.
"""
