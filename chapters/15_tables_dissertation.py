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
# # The dissertation: its numbers beside ours
#
# The dissertation {cite}`dissertation` contains three systems, LPPGE, PPFL-GNN and SE-GCL, and our copy of it is a scan. Where a digit is lost, the reading is *uncertain*: the value is kept, with what can be seen in the note, and never compared. The dissertation's own tables disagree in places, see {doc}`15_contradictions`.
#
#  How the verdicts come about is in {doc}`15_reproductions`.

# %% tags=["hide-input"]
from privbook import show

page = show.paper_page("dissertation")
print(page.counts())

# %% [markdown]
# ## Table by table

# %% tags=["hide-input"]
page.tables()

# %% [markdown]
# What was not run, and why ({doc}`15_reproductions` explains the columns):

# %% tags=["hide-input"]
page.left()

# %% [markdown]
# ## Cell by cell
#
# Choose a table, a graph or a verdict; the search box takes several words. What was compared comes first. *Ours* is a mean with its 95% interval, and in brackets the number of runs.

# %% tags=["hide-input", "full-width"]
page.entries()

# %% tags=["hide-input"]
page.reasons()
