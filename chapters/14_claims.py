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
# Every privacy claim of the four papers has a verdict here, and so do three claims about two further methods (GAP, ProGAP) and every theorem of this book. Of the {glue:text}`n_claims` claims of others, {glue:text}`n_refuted` are refuted, {glue:text}`n_corrected` are corrected, {glue:text}`n_holds` hold, and {glue:text}`n_empirical` can only be measured. When the book was built, each test was run again, unless it had passed before and nothing that it reads has changed since.
#
# :::{admonition} What you will find here
# :class: tip
# - every claim about privacy that the four papers make, and every theorem of this book, with a verdict;
# - for each verdict its evidence, and whether it passed;
# - which guarantees the library gives, and which ones nothing in this book gives;
# - a statement that does hold, where a claim does not.
#
# **You need** {doc}`differential privacy <02_differential_privacy>` for the terms and {doc}`auditing claims <05_auditing_claims>` for the evidence that a verdict takes. **Time:** 15 minutes, or as long as you like.
# :::
#
# The four papers are GraphPrivatizer, PrivGNN, RGNN and a dissertation. We list each of their claims as exactly as we can and in our own words, with the place where it is made. A verdict is about the claim and not about the authors, on whose ideas this book is built. Several of the papers' claims become true with a changed number.
#
# A claim *holds* if it is proved, and passes a test that would fail if the claim were false. It is *corrected* if it is close to right, and what we state instead is proved and tested likewise. It is *refuted* if a counterexample or an exact number contradicts it. *Empirical only* means that it reports how well an attack or a model did, so it is measured and not proved. *Not a privacy claim* means that it promises nothing about privacy that can be checked.

# %% tags=["hide-input"]
from collections import Counter

import matplotlib.pyplot as plt
from myst_nb import glue

from privbook import claims
from privbook import show

show.use_style()
PAPERS = {"graphprivatizer": "GraphPrivatizer", "privgnn": "PrivGNN", "rgnn": "RGNN",
          "dissertation": "Dissertation", "anchors": "Methods beside them",
          "book": "This book"}

# %% [markdown]
# The next cell prints the outcomes. *Ledger read again* means that all evidence for a claim comes from recorded runs, and *nothing to run* means that the claim has no test. The command `privbook claims` always runs all the evidence. Evidence that passes does not mean that a claim is true. For a refuted claim, for example, the evidence is the witness *against* it.

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

# %% mystnb={"image": {"alt": "Horizontal stacked bars, one for each of the four papers, one for the methods beside them (GAP and ProGAP) and one for this book, showing how many claims have each verdict (holds, corrected, refuted, empirical only, not a privacy claim, pending). The bar of this book has a single verdict, holds."}} tags=["hide-input"]
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
judged = Counter(claim.verdict for claim in register.values()
                 if claim.paper != "book" and claim.verdict not in ("pending", "not a privacy claim"))
glue("n_claims", judged.total(), display=False)
for name in ("refuted", "corrected", "holds", "empirical only"):
    glue(f"n_{name.split()[0]}", judged[name], display=False)
for result in results:
    assert result.claim.verdict != "refuted" or result.witnesses, result.claim.id

# %% [markdown]
# ## All claims
#
# The menus select cards by paper, verdict and unit. Each card shows the verdict first, and then the place where the claim is made and the claim itself. Unfold a card to see what holds, in our words, and the tests. The card of a refuted claim also has a *witness*, as a test printed it. A witness consists of two neighbouring inputs and an outcome, or of an exact number next to the stated one.

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
# ## Methods beside them: GAP and ProGAP
#
# {doc}`Chapter 13 <13_which_method>` compares the methods above with GAP {cite}`sajadmanesh2023gap` and ProGAP {cite}`sajadmanesh2024progap`. These cards are about the guarantees of their released code and of a version of GAP for nodes.

# %% tags=["hide-input"]
show.claim_cards(results, "anchors", PAPERS["anchors"])

# %% [markdown]
# ## This book

# %% tags=["hide-input"]
show.claim_cards(results, "book", PAPERS["book"])

# %% [markdown]
# ## What is promised
#
# A claim is a sentence, whereas a promise is a guarantee that the code keeps. To make the first table, each mechanism of the library is run on a small case of its own. In the column "for every epsilon", *proved* refers to the formula. A {doc}`certificate <05_auditing_claims>` is a proof for every $\varepsilon$, and a program checks this proof again. In the column "drawn", *exactly* means that each outcome has the stated probability to the last digit. Exact draws need random bits of the operating system (`secret()`), and with a seed the guarantee is *idealised*.

# %% tags=["hide-input"]
show.mechanism_promises()

# %% [markdown]
# An accountant computes the total $\varepsilon$ of many uses of a mechanism. The next table compares the answers of our accountants with two bounds on the true value. An attacker achieves the lower bound, and another accounting method gives the upper one. An answer above both is correct but loose.

# %% tags=["hide-input"]
show.accountant_promises()

# %% [markdown]
# An audit can refute a claim, but it never proves one. The table gives the finding of each audit.

# %% tags=["hide-input"]
show.audit_promises()

# %% [markdown]
# The following is **not promised** by anything in this book.

# %% tags=["hide-input"]
show.not_promised()

# %% [markdown]
# The command `privgraph audit NAME` audits one mechanism and prints its promises. The page on {doc}`sharp edges <../book/sharp_edges>` explains what is not promised.
#
# ## If you disagree
#
# A verdict consists of an entry in a file, `book/claims.yml`, and of the tests that the entry names. The command `privbook claims ID` runs these tests, and prints a claim with its unit and relation, our own statement, the witness and the evidence. On a card, the word in brackets after a test states how the test bears on the claim, for example *for* or *against* it. The word *counterfactuals* stands for deliberate changes of the library, or of the test alone, under which the tests have been seen to fail. If you read a claim differently, change the statement, write a test for your reading, and see whether it passes. The register exists for such tests.
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
# Theorem 1 of RGNN is an example. It is about any two feature vectors, and for these it is false. Its formula holds between vectors that differ in a single feature, if all features have equally many values and $\varepsilon_x$ takes the place of $m \varepsilon_x$. The page on {doc}`auditing claims <05_auditing_claims>` enumerates this case.

# %%
claim = register["rgnn-theorem-1"]
print(claim.verdict, "| unit:", claim.unit, "| relation:", claim.relation)

# %% [markdown]
# ```{solution-end}
# ```
