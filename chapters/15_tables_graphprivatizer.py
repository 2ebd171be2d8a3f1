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
# # GraphPrivatizer: its numbers beside ours
#
# The GraphPrivatizer paper {cite}`joshi2024graphprivatizer` prints accuracy and the success of attacks for two ways to hide edges, on five graphs, with six kinds of layers, five budgets, and a grid of $\alpha$ and $\delta$. Nearly half of the numbers stand in thirteen figures of heat maps. Differences of two columns are compared as well, by seed if both share seeds. {doc}`Reproductions <15_reproductions>` explains the verdicts.

# %% tags=["hide-input"]
from privbook import show

page = show.paper_page("graphprivatizer")
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
