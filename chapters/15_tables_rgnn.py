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
# # RGNN: its numbers beside ours
#
# The RGNN paper {cite}`bhaila2024local` prints the accuracy of RGNN under noisy features and labels on six graphs, next to that of LPGNN and of GraphSAGE, which does nothing about the noise. One value is cut off in our copy of the paper and is never compared. The rule behind the verdicts, and the columns of the next table, are explained in {doc}`reproductions <15_reproductions>`.

# %% tags=["hide-input"]
from privbook import show

page = show.paper_page("rgnn")
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
