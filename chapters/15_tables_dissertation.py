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
# The dissertation {cite}`dissertation` contains three systems, LPPGE, PPFL-GNN and SE-GCL, and our copy of it is a scan. If a digit is lost, the reading is *uncertain*. We keep such a value, with a note on what can be seen, and never compare it. In some places the dissertation's tables {doc}`contradict each other <15_contradictions>`. The rule behind the verdicts, and the columns of the next table, are explained in {doc}`reproductions <15_reproductions>`.

# %% tags=["hide-input"]
from privbook import show

page = show.paper_page("dissertation")
print(page.counts())

# %% [markdown]
# ## Table by table

# %% tags=["hide-input"]
page.tables()

# %% [markdown]
# The next table counts what was not run, by reason.

# %% tags=["hide-input"]
page.left()

# %% [markdown]
# ## Cell by cell
#
# Choose a table, a graph or a verdict, or type several words into the search box. Cells that were compared come first. *Ours* is a mean with its 95% interval, and the number in brackets counts its runs.

# %% tags=["hide-input", "full-width"]
page.entries()

# %% tags=["hide-input"]
page.reasons()
