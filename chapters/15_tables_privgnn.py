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
# # PrivGNN: its numbers beside ours
#
# The PrivGNN paper {cite}`olatunji2023releasing` prints the accuracy of a released student for five levels of noise, and the budget that each level costs. Each printed cell gets a line here, whereas {doc}`the register <14_claims>` recomputes the budgets claim by claim. Four of the six graphs are too large or not at hand. The rule behind the verdicts, and the columns of the next table, are explained in {doc}`reproductions <15_reproductions>`.

# %% tags=["hide-input"]
import privbook
from privbook import show

page = show.paper_page("privgnn")
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
# ## What an accuracy costs
#
# Our runs for Tables 1, 5, 6 and 9 had these $\varepsilon$ at $\delta = 10^{-4}$. The three accounts (as printed, corrected, tight) are explained in {doc}`adding up a thousand labels <09_adding_up>`, and *as printed* is no bound. PATE's printed value depends on private votes and has no number there.

# %% tags=["hide-input", "full-width"]
from privbook.papers.privgnn import tables as grid

costs = privbook.Results("privgnn-budgets")

def epsilon(accountant, dataset, noise, lam, queries, method="privgnn", rate=0.3):
    cell = dict(dataset=dataset, method=method, noise=noise, lam=lam, queries=queries, rate=rate)
    return "".join(f"{value:.2f}" for value in costs.values(accountant, **cell).values())

columns = {"as printed, Laplace": ("printed", "laplace"), "corrected, Laplace": ("corrected", "laplace"),
           "tight, Laplace": ("tight", "laplace"), "corrected, Gumbel": ("corrected", "gumbel"),
           "tight, Gumbel": ("tight", "gumbel")}
rows = [{"method": "PrivGNN", "graph": name, "queries": queries, "λ": lam}
        | {text: epsilon(accountant, dataset, noise, lam, queries) for text, (accountant, noise) in columns.items()}
        for dataset, name in (("amazon-computers", "Amazon"), ("credit-nifty", "Credit"))
        for queries in (1000, 500) for lam in grid.LAMBDAS]
rows += [{"method": "PATE", "graph": "any", "queries": 1000, "λ": lam, "as printed, Laplace": "of private votes"}
         | {text: epsilon(accountant, "amazon-computers", noise, lam, 1000, "pate", 0.0)
            for text, (accountant, noise) in columns.items() if accountant != "printed"} for lam in grid.LAMBDAS]
show.table(rows)

# %% [markdown]
# ## Cell by cell
#
# Choose a table, a graph or a verdict, or type several words into the search box. Cells that were compared come first. *Ours* is a mean with its 95% interval, and the number in brackets counts its runs.

# %% tags=["hide-input", "full-width"]
page.entries()

# %% tags=["hide-input"]
page.reasons()
