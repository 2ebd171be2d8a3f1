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
# Every privacy claim of the four papers, three of GAP and ProGAP and every theorem of this book has a verdict here. When the book was built, the evidence was run again, except for tests that have passed since anything changed.
#
# :::{admonition} What you will find here
# :class: tip
# - every claim about privacy that the four papers make, and every theorem of this book, with a verdict;
# - for each verdict its evidence, and whether it passed;
# - which guarantees the library promises, and which ones nothing here promises;
# - a statement that does hold, where a claim does not.
#
# **You need** {doc}`differential privacy <02_differential_privacy>` for the terms and {doc}`auditing claims <05_auditing_claims>` for the evidence that a verdict takes. **Time:** 10 minutes, or as long as you like.
# :::
#
# We list each claim as exactly as we can and in our own words, with the place where it is made. A verdict is about this sentence and not about the authors, on whose ideas this book is built. Several of the papers can be repaired with a changed number.

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
# The next cell runs all the evidence, except for the tests that have passed since anything changed. The command `privbook claims` runs all of it in any case. Evidence that passes does not mean that a claim is true. For a refuted claim, for example, the evidence is the witness *against* it.

# %%
register = claims.load_claims()
results = claims.checked(register.values())
outcomes = Counter(result.outcome for result in results)
verdicts = Counter(claim.verdict for claim in register.values())
print(len(results), "claims:", dict(sorted(outcomes.items())))
print("verdicts:", dict(verdicts.most_common()))
assert outcomes[claims.FAILED] == 0

# %% [markdown]
# % Figure: Each of the 4 papers has claims that hold and claims that are refuted, and all claims of this book hold.

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
# Each card shows the verdict first, and then the claim and the place where it is made. Unfold a card to see the statement that holds instead, and the tests. The card of a refuted claim also has a *witness*, as a test printed it. A witness consists of two neighbours and an outcome, or of an exact number next to the stated one.

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
# {doc}`Chapter 13 <13_which_method>` compares the methods above with GAP {cite}`sajadmanesh2023gap` and ProGAP {cite}`sajadmanesh2024progap`. The cards are about the promises of their released code.

# %% tags=["hide-input"]
show.claim_cards(results, "anchors", PAPERS["anchors"])

# %% [markdown]
# ## This book

# %% tags=["hide-input"]
show.claim_cards(results, "book", PAPERS["book"])

# %% [markdown]
# ## What is promised
#
# A claim is a sentence, whereas a promise is a guarantee that the code keeps. These tables are made from the code, because each mechanism is run on its own small case. *Proved* refers to the formula. *Drawn exactly* means that each outcome has the stated probability to the last digit. Exact draws need random bits of the operating system (`secret()`), and with a seed the guarantee is *idealised*.

# %% tags=["hide-input"]
show.mechanism_promises()

# %% [markdown]
# An accountant adds up many uses of a mechanism. The next table compares its answer with two bounds on the truth, of which one is achieved by an attacker and the other comes from another way to add up. An upper bound that lies above both is right but loose.

# %% tags=["hide-input"]
show.accountant_promises()

# %% [markdown]
# An audit can refute a claim, but it never proves one.

# %% tags=["hide-input"]
show.audit_promises()

# %% [markdown]
# The following is **not promised** by anything in this book.

# %% tags=["hide-input"]
show.not_promised()

# %% [markdown]
# The command `privgraph audit NAME` prints the same for one mechanism, after it has tried it. More is on the page on {doc}`sharp edges <../book/sharp_edges>`.
#
# ## If you disagree
#
# A verdict consists of an entry in a file, `book/claims.yml`, and of the tests that the entry names. The command `privbook claims ID` runs these tests, and prints a claim with its unit and relation, our own statement, the witness and the evidence. Each test states how it bears on the claim. Each test also states in which altered world it has been seen to fail, where either the library is different or only the test. If you read a claim differently, change the statement, write the test for your reading, and see whether it passes. The register exists for such tests.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-14-pick
# ```
# % Exercise: 20 minutes, ●●: reading a claim and its evidence
# Pick a refuted claim. Print its entry and run its evidence with `claims.recheck([register["..."]])`. Which unit and which relation does the claim refer to? Can you find a relation under which it holds?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-14-pick
# :class: dropdown
# ```
# Theorem 1 of RGNN is an example. Its formula holds between vectors that differ in a single feature, for domains of equal size and with $\varepsilon_x$ in place of $m \varepsilon_x$. The page on {doc}`auditing claims <05_auditing_claims>` enumerates this case.

# %%
claim = register["rgnn-theorem-1"]
print(claim.verdict, "| unit:", claim.unit, "| relation:", claim.relation)

# %% [markdown]
# ```{solution-end}
# ```
