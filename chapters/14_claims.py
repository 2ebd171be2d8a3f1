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
# # The register of claims
#
# :::{admonition} What you will find here
# :class: tip
# - every claim about privacy that the four papers make, and every theorem of this book, with a verdict;
# - for each verdict the evidence, which was run again when this book was built;
# - what the library promises, and what nothing here promises;
# - what to say instead, where a claim does not hold.
#
# **You need** {doc}`02_differential_privacy` for the words and {doc}`05_auditing_claims` for what a verdict takes. **Time:** 10 minutes, or as long as you like.
# :::
#
# We list what is *said*, as exactly as we can and in our own words, with the place where it is said. A verdict is about the sentence, not about the authors, whose ideas this book is built on. Several of the papers can be repaired with a changed number.

# %% tags=["hide-input"]
from collections import Counter

import matplotlib.pyplot as plt

from privbook import claims
from privbook import show

show.use_style()
PAPERS = {"graphprivatizer": "GraphPrivatizer", "privgnn": "PrivGNN", "rgnn": "RGNN",
          "dissertation": "Dissertation", "anchors": "Methods beside them",
          "book": "This book"}

# %% [markdown]
# The next cell runs all the evidence, but for what has passed since anything changed. The command `privbook claims` runs it in any case. That evidence passed does not say that a claim is true: for a refuted claim it is the witness *against* it.

# %%
register = claims.load_claims()
results = claims.checked(register.values())
outcomes = Counter(result.outcome for result in results)
verdicts = Counter(claim.verdict for claim in register.values())
print(len(results), "claims:", dict(sorted(outcomes.items())))
print("verdicts:", dict(verdicts.most_common()))
assert outcomes[claims.FAILED] == 0

# %% [markdown]
# % Figure: Verdicts of the claims, by paper.

# %% mystnb={"image": {"alt": "Horizontal stacked bars, one for each paper and one for this book, showing how many claims have each verdict (holds, corrected, refuted, empirical only, not a privacy claim, pending)."}} tags=["hide-input"]
shades = dict(zip(claims.VERDICTS, ("#009E73", "#E69F00", "#D55E00", "#56B4E9", "#BBBBBB", "#FFFFFF"), strict=True))
figure, axes = plt.subplots(figsize=(7.6, 2.9))
for place, paper in enumerate(reversed(PAPERS)):
    left, counts = 0, Counter(c.verdict for c in register.values() if c.paper == paper)
    for verdict in claims.VERDICTS:
        axes.barh(place, counts[verdict], left=left, color=shades[verdict], edgecolor="#555555",
                  linewidth=0.6, label=verdict if place == 0 else None)
        if counts[verdict] > 1:
            axes.text(left + counts[verdict] / 2, place, counts[verdict], ha="center", va="center")
        left += counts[verdict]
axes.set(yticks=range(len(PAPERS)), yticklabels=reversed(PAPERS.values()), xlabel="number of claims")
axes.grid(axis="y", visible=False)
axes.legend(ncol=3, loc="lower center", bbox_to_anchor=(0.45, 1.0), fontsize=9)
plt.show()

# %% tags=["remove-cell"]
for result in results:
    assert result.claim.verdict != "refuted" or result.witnesses, result.claim.id

# %% [markdown]
# ## All claims
#
# First the verdict, then what is said and where. Unfold a card for what holds instead and for the tests. On the card of a refuted claim is a *witness*, as a test printed it then: two neighbours and an outcome, or an exact number beside the stated one.

# %% tags=["hide-input"]
show.claim_filter()

# %% [markdown]
# ## GraphPrivatizer
#
# {cite}`joshi2024graphprivatizer`

# %% tags=["hide-input"]
show.claim_cards(results, "graphprivatizer", PAPERS["graphprivatizer"])

# %% [markdown]
# ## PrivGNN
#
# {cite}`olatunji2023releasing`

# %% tags=["hide-input"]
show.claim_cards(results, "privgnn", PAPERS["privgnn"])

# %% [markdown]
# ## RGNN
#
# {cite}`bhaila2024local`

# %% tags=["hide-input"]
show.claim_cards(results, "rgnn", PAPERS["rgnn"])

# %% [markdown]
# ## The dissertation: LPPGE, PPFL-GNN, SE-GCL
#
# The dissertation {cite}`dissertation` contains three studies, LPPGE in its Chapter 3, PPFL-GNN in Chapter 4 and SE-GCL in Chapter 5.

# %% tags=["hide-input"]
show.claim_cards(results, "dissertation", PAPERS["dissertation"])

# %% [markdown]
# ## Methods beside them
#
# {doc}`Chapter 13 <13_which_method>` compares the methods above with GAP {cite}`sajadmanesh2023gap` and ProGAP {cite}`sajadmanesh2024progap`. These are the promises of their released code.

# %% tags=["hide-input"]
show.claim_cards(results, "anchors", PAPERS["anchors"])

# %% [markdown]
# ## This book

# %% tags=["hide-input"]
show.claim_cards(results, "book", PAPERS["book"])

# %% [markdown]
# ## What is promised
#
# A claim is a sentence. A promise is what the code keeps. These tables are made from the code: each mechanism is run on its own small case. *Proved* is said of the formula. *Drawn exactly* means that each outcome comes with the stated chance to the last digit, which takes coins of the operating system (`secret()`); with a seed the guarantee is *idealised*.

# %% tags=["hide-input"]
show.mechanism_promises()

# %% [markdown]
# An accountant adds up many uses. Its answer stands beside two bounds on the truth: what one attacker achieves, and another way to add up. An upper bound that lies above both is right, and loose.

# %% tags=["hide-input"]
show.accountant_promises()

# %% [markdown]
# An audit can refute, and never proves.

# %% tags=["hide-input"]
show.audit_promises()

# %% [markdown]
# **Not promised**, by anything in this book:

# %% tags=["hide-input"]
show.not_promised()

# %% [markdown]
# `privgraph audit NAME` says the same of one mechanism, after it has tried it. More is in {doc}`../book/sharp_edges`.
#
# ## If you disagree
#
# A verdict here is a file and a test. The file is `book/claims.yml`, the tests are named in it. `privbook claims ID` prints a claim with its unit and relation, what we say instead, the witness and the evidence, after running it. Each test says how it bears on the claim, and in which world it has been seen to fail: one where the library is otherwise, or one where only the test is.
# If you read a claim differently, change the statement, write the test for your reading, and see what comes out. That is what the register is for.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-14-pick
# ```
# % Exercise: 20 minutes, ●●: reading a claim and its evidence
# Pick a refuted claim. Print its entry and run its evidence with `claims.recheck([register["..."]])`. Which unit and which relation does it speak of? Can you find a relation under which it holds?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-14-pick
# :class: dropdown
# ```
# One example, Theorem 1 of RGNN. Its formula holds, for domains of equal size and with $\varepsilon_x$ in place of $m \varepsilon_x$, between vectors that differ in a single feature ({doc}`05_auditing_claims` enumerates it).

# %%
claim = register["rgnn-theorem-1"]
print(claim.verdict, "| unit:", claim.unit, "| relation:", claim.relation)

# %% [markdown]
# ```{solution-end}
# ```
