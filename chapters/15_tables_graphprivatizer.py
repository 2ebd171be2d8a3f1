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
# Accuracy and the success of attacks for two ways to hide edges, on five graphs, with six kinds of layers, five budgets, and a grid of two knobs. Nearly half of the printed numbers stand in thirteen figures of heat maps. A difference of two columns is compared as well, seed by seed if both columns have the same seeds.
#
# {cite}`joshi2024graphprivatizer`. How the verdicts come about is in {doc}`15_reproductions`.

# %% tags=["hide-input"]
from privbook import show

page = show.paper_page("graphprivatizer")
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
# Choose a table, a graph or a verdict, or type several words into the search box. Cells that were compared come first. *Ours* is a mean with its 95% interval, and the number in brackets counts its runs.

# %% tags=["hide-input", "full-width"]
page.entries()

# %% tags=["hide-input"]
page.reasons()
