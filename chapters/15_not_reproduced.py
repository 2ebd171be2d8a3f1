# ---
# jupyter:
#   jupytext:
#     default_lexer: ipython3
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What we could not reproduce
#
# This page lists every printed number that *differs* from ours by the {doc}`rule of the comparison <15_reproductions>`, with our attempts and what we think is the reason.

# %% tags=["hide-input"]
from collections import Counter

from myst_nb import glue

import privbook
from privbook import show
from privbook.papers.published import papers

comparisons = [c for paper in papers() for c in privbook.compare_paper(paper)]
attempts = privbook.load_attempts()
differing = [(c, privbook.attempts_for(c.printed, attempts)) for c in comparisons if c.verdict == "differs"]
stated = Counter(show.known(found) for _, found in differing)
print(f"{len(differing)} cells differ: " + ", ".join(f"{n} {status}" for status, n in stated.most_common()))

# %% tags=["remove-cell"]
glue("n_differing", len(differing), display=False)
glue("n_explained", stated["explained"], display=False)
soon, _, never, _ = privbook.outlooks(comparisons).values()
glue("n_soon", soon, display=False)
glue("n_never", never, display=False)

# %% [markdown]
# Of {glue:text}`n_differing` differing cells, {glue:text}`n_explained` are explained. (A cell with a spread holds two printed values.) *Explained* means that we can compute the printed number from how it was counted or made. *Open* means that we tried and do not know the reason, or know only a part of it. On Cora, GAT's attack AUCs in GraphPrivatizer's Tables 2 and 7 are explained by the exchange, not by the precision that is listed for GAT too. In the table, brackets count our runs.

# %% tags=["hide-input", "full-width"]
show.attempts_table(differing)

# %% [markdown]
# ## What we tried

# %% tags=["hide-input"]
show.attempts_list(attempts)

# %% [markdown]
# ## Not the same as wrong
#
# A difference can come from the paper's text, from the paper's program, or from our program. If the authors' program is public and we could read it, {doc}`the register of claims <14_claims>` states for each claim what the program does. If you know why one of these numbers differs, add the reason to `book/attempts.yml`, and a run that shows it to the ledger.
#
# If the first line of an entry states a goal, we set this goal ourselves, and no paper prints a number for it.
#
# *Inconclusive* cells are not on this page. Ten more runs of each setting would decide {glue:text}`n_soon` of these values, if our means and spreads stay as they are, and any reader can run them ({doc}`../book/how_to_run`). No number of runs of ours would decide {glue:text}`n_never` of them, because the printed spread is too large or the difference too near to two points.
