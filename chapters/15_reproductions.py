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
# # The papers' numbers beside ours
#
# For {glue:text}`n_compared` of the {glue:text}`n_values:,` values that four papers print, we have a number of our own. Of these, {glue:text}`n_agrees` agree, {glue:text}`n_differs` differ and {glue:text}`n_inconclusive` are inconclusive. *Agrees* means that the true difference is within two points, with 95% confidence.
#
# :::{admonition} What you will learn
# :class: tip
# - when a measured number *agrees* with a printed one, by a rule that you can apply by hand;
# - how thousands of long runs are recorded, so that a power cut costs only those in progress;
# - how many of the four papers' printed values this book has run, and with which result.
#
# **You need** {doc}`graphs and message passing <01_graphs_and_message_passing>`, and to know what a standard deviation is. **Time:** 30 minutes.
# :::
#
# We have transcribed all {glue:text}`n_values:,` numbers that the papers print in their tables, in figures that contain numbers, and as results in their sentences. This page explains how we compare, what we have compared so far, and which runs are missing. The tables are on the pages below this one in the menu. Where a paper disagrees with *itself* is the subject of {doc}`the papers against themselves <15_contradictions>`.

# %% tags=["hide-input"]
import math
import os
import tempfile
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
from myst_nb import glue
from scipy import stats

import privbook
from privbook import show
from privbook.papers.graphprivatizer.lookup import LAYERS
from privbook.papers.graphprivatizer.tables import AVERAGED, POSITIVE
from privbook.papers.lookup import lookup
from privbook.papers.published import papers
from privbook.papers.verdicts import MARGIN
from privgraph.datasets import PRINTED
from privgraph.nn import Interval

show.use_style()
papers = {title: privbook.compare_paper(paper) for paper, title in papers().items()}
everything = [comparison for comparisons in papers.values() for comparison in comparisons]
compared = [c for c in everything if c.ours is not None]
random = [c for c in compared if c.ours.half > 0 and c.ours.n > 1]   # the others are counts

# %% tags=["remove-cell"]
counts = privbook.tally(everything)
glue("n_values", sum(counts.values()), display=False)
glue("n_compared", sum(c.printed.values for c in compared), display=False)
glue("n_agrees", counts["agrees"], display=False)
glue("n_inconclusive", counts["inconclusive"], display=False)
glue("n_differs", counts["differs"], display=False)
glue("n_uncertain", counts["uncertain reading"], display=False)
processor, clock = privbook.spent(everything)
glue("processor_hours", processor, display=False)
glue("clock_hours", clock, display=False)
assert sum(privbook.left(everything).values()) == counts["not run"]
assert sum(counts.values()) == sum(row["values"] for row in privbook.index())

# %% [markdown]
# ## When do two numbers agree?
#
# For LPGNN with a GCN on Cora, GraphPrivatizer's Table 6 prints an accuracy of {glue:text}`example_printed` %. We run the same experiment {glue:text}`example_n` times and get {glue:text}`example_mean:.1f` % on average. Is this the same result?
#
# The two means alone cannot answer this question, because training twice already gives two different numbers. We therefore ask how large the *true* difference can be, given the random variation in both means. The printed mean is over ten runs with a spread of {glue:text}`example_spread`, which we take as a standard deviation. Our mean is over the runs of the same setting in our ledger. (If a query does not fix the whole setting, for example if it asks for all accuracies on Cora, the ledger raises an error, because an average over several methods means nothing.)

# %%
(printed,) = privbook.entries("graphprivatizer", "Table 6", dataset="Cora",
                              backbone="GCN", metric="accuracy", epsilon="inf")
measured = privbook.Results("graphprivatizer")

def runs_of(printed):
    """Our runs of one cell of Table 6's last column: {seed: accuracy}."""
    return measured.values(
        "accuracy", dataset=PRINTED[printed.dataset],
        backbone=LAYERS[printed.backbone], method="lpgnn", training="paper")

ours = list(runs_of(printed).values())
print("printed:", printed)
print("ours:   ", ", ".join(f"{value:.1f}" for value in ours))

# %% tags=["remove-cell"]
glue("example_mean", float(np.mean(ours)), display=False)
glue("example_n", len(ours), display=False)
glue("example_printed", str(printed), display=False)
glue("example_spread", printed.spread, display=False)
glue("example_rounding", printed.rounding, display=False)
glue("example_low", printed.value - printed.rounding, display=False)
glue("example_high", printed.value + printed.rounding, display=False)
example, = (c for c in compared if c.printed == printed)   # the tables speak of the same runs
assert (example.ours.n, round(example.ours.mean, 6)) == (len(ours), round(float(np.mean(ours)), 6))

# %% [markdown]
# Each mean has a standard error, which is its spread divided by the square root of the number of runs. The errors are independent, so their squares add. The difference of the means, divided by its error, then closely follows Student's *t* distribution, with a number of degrees of freedom that Welch worked out {cite}`welch1947generalization`. This gives an interval, and intervals made in this way cover the true difference 95 times in 100. Rounding adds a little to it. Before it was rounded, the printed mean may have been any number between {glue:text}`example_low:.2f` and {glue:text}`example_high:.2f`, so the interval grows by {glue:text}`example_rounding:.2f` on both sides.

# %%
a, b = np.var(ours, ddof=1) / len(ours), float(printed.spread) ** 2 / 10
freedom = (a + b) ** 2 / (a ** 2 / (len(ours) - 1) + b ** 2 / 9)
half = stats.t.ppf(0.975, freedom) * math.sqrt(a + b) + printed.rounding
gap = np.mean(ours) - printed.value
print(f"difference {gap:+.2f}, from {gap - half:+.2f} to {gap + half:+.2f}")

by_library, verdict = privbook.compare(ours, printed, runs=10)
assert abs(by_library.mean - gap) < 1e-9 and abs(by_library.half - half) < 1e-9
print("verdict:", verdict)

# %% [markdown]
# The verdict depends on where this interval lies. We call two results the same if they differ by at most two points in either direction. This margin is a choice, made before the runs and the same for every cell. (A verdict is worth less if somebody adds runs until it appears, and then stops. We therefore fix the number of runs first.)
#
# - **Agrees** means that the whole interval lies within ±2 points. The numbers are close, and known to be close.
# - **Differs** means that the whole interval lies outside ±2 points.
# - **Inconclusive** means anything else. Usually there are too few runs (with fewer than three of ours, every result is inconclusive), or the runs scatter too much.
#
# % Figure: A difference agrees if its whole interval lies within 2 points, differs if the whole interval lies outside, and is otherwise inconclusive.

# %% mystnb={"image": {"alt": "Five intervals of a difference on a horizontal axis with a grey band from minus two to plus two points. One lies inside the band (agrees), one outside (differs), one pokes out on one side, one covers the whole band, and one single run has no interval (all three inconclusive)."}} tags=["hide-input"]
cases = [("close, and known to be", 0.4, 1.1), ("far, and known to be", -4.2, 1.3),
         ("perhaps just outside", 1.6, 1.2), ("too much scatter to say", 0.2, 4.5), ("one run only", 1.0, math.inf)]
figure, axes = plt.subplots(figsize=(7.2, 2.7))
axes.axvspan(-MARGIN, MARGIN, color="#DDDDDD", zorder=0)
for place, (_, middle, width) in enumerate(reversed(cases)):
    axes.errorbar(middle, place, xerr=min(width, 20), fmt="o", capsize=4, color="#0072B2")
    axes.text(7.4, place, privbook.verdict(Interval(middle, width, 10)), va="center")
axes.set(yticks=range(len(cases)), yticklabels=[name for name, *_ in reversed(cases)], xlim=(-7, 7),
         xlabel="ours − printed, in points of accuracy")
axes.grid(axis="y", visible=False)
plt.show()

# %% [markdown]
# *Agrees* is hard to reach, because agreement must be shown, and a missing contradiction is not enough. For example, our runs can never agree with a cell that prints ± 9 on ten runs, however right it is. The last exercise shows why.
#
# Two other cases have simpler rules. If nothing is random, as for the number of edges of a graph, our number must *round to* the printed one. (A budget that we compute from printed settings may *truncate* to it instead, because papers may cut off digits.) If a number in a scan cannot be read with certainty, we keep it and never compare it, which concerns {glue:text}`n_uncertain` values.
#
# ### An average over sixteen settings
#
# Some printed numbers are averages over sixteen settings, and our runs of these have two kinds of seeds. If all settings use the same ten seeds, each seed brings the same split and the same noise to all of them. A lucky seed then lifts the whole average. If the seeds differ by setting, all runs are independent, and the variance of the average is the sum of the settings' variances $s_i^2 / n_i$, divided by $16^2$, with $n_i$ runs of setting $i$. (Differences between settings do not count, since we average over exactly these.) On Cora we have {glue:text}`all_runs` runs with ten shared seeds. From these we compute how many runs with seeds of their own would give an equally certain average.

# %%
lists = dict(dataset="cora", method="gp-t", epsilon=0.1, similarity="cosine")
worth = {}
for backbone in ("gcn", "gat"):
    for metric in ("accuracy", "attack_auc"):
        runs = [measured.values(metric, **lists, backbone=backbone,
                                mix=a, threshold=t) for a, t in POSITIVE]
        if not all(run.keys() >= set(range(10)) for run in runs):
            raise ValueError(f"no ten shared seeds: {lists}")
        within = np.mean([np.var(list(run.values()), ddof=1) for run in runs])
        averages = [np.mean([run[seed] for run in runs]) for seed in range(10)]
        worth[backbone, metric] = 10 * within / np.var(averages, ddof=1)
print({key: round(value) for key, value in worth.items()})

# %% tags=["remove-cell"]
glue("worth_least", float(min(worth.values())), display=False)
glue("worth_most", float(max(worth.values())), display=False)
glue("all_runs", 10 * len(POSITIVE), display=False)
glue("own_runs", AVERAGED.runs * len(POSITIVE), display=False)
assert 10 < min(worth.values()) and max(worth.values()) < 50

# %% [markdown]
# Between {glue:text}`worth_least:.0f` and {glue:text}`worth_most:.0f` runs would do. Our grid therefore asks for two runs of each setting with seeds of its own, {glue:text}`own_runs` in all. One run would not show the scatter. Older runs with shared seeds are added, but the sixteen runs of each seed count as one. Where a single setting is compared with a base case, as in the figures of GraphPrivatizer, both share their seeds, because the luck of a seed then cancels in the difference.
#
# The paper does not say which seeds it used. We assume the worst case, in which all settings share them. The mean then scatters like that of ten runs of one setting.
#
# ## What has been compared so far

# %%
show.coverage(papers)

# %% [markdown]
# A spread is counted together with its mean. (A mean of a single run has no spread over runs, whatever is printed next to it. Both means are then taken to have our spread.) *Not run* always has a reason, which the tables give cell by cell. Here are the reasons, in four groups.

# %%
show.not_run(papers)

# %% [markdown]
# - **Can be run** means that only time is missing. The number in brackets is the price in hours of all runs that our grids still ask for, including runs for values that are already compared.
# - **Follows from others** needs no run of its own, because the printed value is a summary of other printed values, or a difference that we do not compute.
# - **Input not at hand** means that nobody can run it here, since the graph or a part of it was never published. Such a value has no price.
# - **No experiment** of ours would answer the rest, for the following reasons.

# %% tags=["hide-input"]
show.reasons([c for c in everything if c.why == "no experiment"])

# %% [markdown]
# A price is time of the processor, because the clock also counts what other programs do. Rows written today have both times, whereas older rows have the clock's only. For the settings of these tables, older rows took {glue:text}`clock_hours:.0f` hours by the clock, and the others {glue:text}`processor_hours:.0f` hours of the processor. Where a similar run has its time of the processor, the price is the median of such times. Otherwise we take the shortest time by the clock, because a run never occupies the processor longer than the clock shows, and the shortest was disturbed least. *Over* means that for some runs no similar run was measured. A question mark means that this is so for all.
#
# ### What more runs would decide
#
# An inconclusive value may need more runs of ours, or may never get a verdict. If our mean and our spread stay as they are, we can compute the interval after ten more runs of each setting, and after infinitely many. The latter still has the paper's own error in it.

# %%
waits = privbook.outlooks(everything)
for outlook, n in waits.items():
    print(f"{n:5} values: {outlook}")

# %% tags=["remove-cell"]
soon, later, never, few = waits.values()
glue("n_soon", soon, display=False)
glue("n_never", never, display=False)
glue("n_few", few, display=False)
assert sum(waits.values()) == counts["inconclusive"]

# %% [markdown]
# Ten more runs would decide {glue:text}`n_soon` values, and no number of runs would decide {glue:text}`n_never`, because the printed spread is too wide or the difference too near to two points. For {glue:text}`n_few` values we have fewer than three runs and cannot say. `privbook reproduce NAME --undecided` begins with the settings whose values are nearest to a verdict. They are sorted by half the width of the interval, divided by the distance of its middle to the nearer end of the band. For a verdict, this ratio is at most 1. Anyone who chooses runs in this way should state their number first, and keep all of them.
#
# % Figure: Of {glue:text}`n_points` printed accuracies {glue:text}`n_points_agree` agree with ours, that is, their whole interval lies in the grey band of 2 points on either side.

# %% mystnb={"image": {"alt": "Scatter plot of our mean accuracy against the printed one for each compared accuracy of the papers, with our 95 percent intervals, coloured and marked by verdict, and a grey band of two points around the diagonal."}} tags=["hide-input"]
accuracies = [c for c in random if c.printed.metric == "accuracy"]

def percent(c, value):
    return 100 * value if c.printed.unit == "fraction" else value

kinds = {"agrees": ("green", "o"), "inconclusive": ("yellow", "s"), "differs": ("orange", "^")}
figure, axes = plt.subplots(figsize=(5.6, 5.2))
ends = [-3, 103]
axes.fill_between(ends, [end - MARGIN for end in ends], [end + MARGIN for end in ends], color="#DDDDDD", zorder=0)
for name, (colour, marker) in kinds.items():
    those = [c for c in accuracies if c.verdict == name]
    found = [[percent(c, end) for end in (c.ours.mean, c.ours.low, c.ours.high)] for c in those]
    show.points(axes, [percent(c, c.printed.value) for c in those], found, f"{name} ({len(those)} cells)", colour,
                marker=marker, linestyle="", markersize=4, elinewidth=0.8, zorder=3 + (name == "agrees"))
axes.set(xlabel="printed accuracy in %", ylabel="our accuracy in % (95% interval)", xlim=ends, ylim=ends)
axes.legend(loc="upper left")
plt.show()
print(", ".join(f"{n} {name}" for name, n in Counter(c.verdict for c in accuracies).most_common()))

def setting(c):
    return tuple((lookup(c.printed).experiment, *each.values()) for each in lookup(c.printed).settings)

settings = {each for c in accuracies for each in setting(c)}   # an average is over several
print(len(accuracies), "printed accuracies,", len(settings), "settings that were run")

# %% [markdown]
# There are more printed accuracies than settings, because papers print some results several times. Each of the {glue:text}`n_column` accuracies of the next section, for example, is printed once in GraphPrivatizer's Table 6 and {glue:text}`n_again` times in the large table of its graph (8, 10, 11 or 12). We answer all of them from the same runs.
#
# ### An example: LPGNN as GraphPrivatizer's limit
#
# GraphPrivatizer adds noise to the edges. The larger its budget $\varepsilon$ is, the less noise it adds, and $\varepsilon = \infty$ means none. The paper's Table 6 ends with a column "Acc$_\infty$" of accuracies in percent, for which features and labels are private and edges are public. This is the setting of {doc}`LPGNN <06_lpgnn>`, here with six kinds of layers.

# %% tags=["hide-input"]
limits = privbook.entries("graphprivatizer", "Table 6", metric="accuracy", epsilon="inf")
column = [c for c in papers["GraphPrivatizer"] if c.printed in limits and c.ours is not None]
names = ("graph", "layers", "printed", "ours (runs)", "ours − printed", "verdict")
show.table([{name: row[name] for name in names} for row in show.comparison_rows(column)])

# %% tags=["remove-cell"]
assert len({(c.printed.dataset, c.printed.backbone) for c in column}) == len(column)   # one row per graph and layer
again = {setting(c): Counter() for c in column}                    # how often each table has the same setting
for c in accuracies:
    if setting(c) in again:
        again[setting(c)][c.printed.table] += 1
(n_again,) = {sum(tables.values()) - tables["Table 6"] for tables in again.values()}
assert all(tables["Table 6"] == 1 and len(tables) == 2 for tables in again.values())
glue("n_again", n_again, display=False)
glue("n_column", len(column), display=False)
glue("n_points", len(accuracies), display=False)
glue("n_points_agree", sum(c.verdict == "agrees" for c in accuracies), display=False)
glue("column_agrees", sum(c.verdict == "agrees" for c in column), display=False)
glue("column_differs", sum(c.verdict == "differs" for c in column), display=False)
worst = max(column, key=lambda c: abs(c.gap.mean))
glue("column_worst", abs(worst.gap.mean), display=False)
glue("column_worst_name", f"{worst.printed.backbone} on {worst.printed.dataset}", display=False)


# %% [markdown]
# Of {glue:text}`n_column` cells {glue:text}`column_agrees` agree, {glue:text}`column_differs` differ and the others are inconclusive. The largest gap is {glue:text}`column_worst:.1f` points ({glue:text}`column_worst_name`). The page on {doc}`values that we could not reproduce <15_not_reproduced>` lists the differences and our attempts to explain them.
#
# ## A ledger that forgets nothing
#
# Thousands of runs take days, and computers are switched off. Every run is therefore written down the moment it ends, with its setting, its graph (by its hash), its seed, its results and its duration. No row is ever rewritten. A run is missing if the grid asks for it and the ledger does not have it. The command `privbook reproduce` needs to know nothing else to go on.
#
# The next cell shows the whole idea on an experiment of six runs. Each run "measures" its number at once, so that you can watch. The first call asks for one seed only.

# %%
def measure(cell, seed, cache):
    return {"accuracy": 80 + 2 * math.log2(cell["epsilon"]) + seed / 10}

toy = privbook.Experiment(
    "toy", revision=1, parameters={"epsilon": float}, metrics=("accuracy",),
    grid=lambda cell: [
        (2, [cell(dataset="karate", epsilon=value) for value in (0.5, 1.0, 2.0)])],
    run=measure)

os.environ["PRIVGRAPH_RESULTS"] = tempfile.mkdtemp()    # not the book's own ledger
print(len(privbook.missing(toy)), "runs missing")
privbook.run_missing(toy, seeds=1, progress=False)     # the first of each cell
print(len(privbook.missing(toy)), "still missing")
ledger = privbook.open_ledger(toy)
for line in ledger.path.read_text().splitlines():
    print(line if len(line) < 60 else f"{line[:14]} ... {line[-44:]}")

# %% [markdown]
# The second line, the *head*, states once what runs share, and the first line names the head's columns. These are the revision, the graph and its hash (left out here), versions, device, parameters and metrics. Each line below is a run, with the checksum of its head, $\varepsilon$, the seed, the seconds by the clock and of the processor, and the accuracy. Each line ends with a checksum of the rest. Now comes the worst moment, because the power fails while a row is being written.

# %%
whole = ledger.path.read_bytes()
ledger.path.write_bytes(whole[:-12])
print(len(ledger.rows()), "rows can be read,",
      len(privbook.missing(toy)), "runs are missing")

report = privbook.run_missing(toy, progress=False)
aside = ledger.path.with_name("toy.csv.aside").read_text()
print(report.added, "runs added; set aside:", aside.strip(), "...")
assert len(privbook.Results(toy).rows) == 6 and report.left == 0

# %% [markdown]
# One run was lost. It has been run again, together with the three that were still missing. The half row was put aside, and the program did not guess the missing half. What happens if somebody improves a number by hand?

# %%
text = ledger.path.read_text()
assert ",82," in text
ledger.path.write_text(text.replace(",82,", ",92,"))
try:
    ledger.rows()
except ValueError as error:
    print(str(error).replace(", ", ",\n    "))

ledger.path.write_text(text)                            # as the ledger wrote it
assert len(privbook.Results(toy).rows) == 6
del os.environ["PRIVGRAPH_RESULTS"]

# %% [markdown]
# The checksum protects against accidents and temptation. It does not protect against fraud, because anyone who can edit a row can compute a checksum too. The only remedy against fraud is to run everything again, which this book makes possible.
#
# ```
# privbook reproduce graphprivatizer --estimate
# privbook reproduce graphprivatizer --dataset cora --repeats 20 --minutes 5
# privbook ledger
# ```
#
# The first command states how many runs are missing and how long the processor would work for them (`--dry-run` lists them by graph). The second adds rows, starts no run that would end later than in five minutes, and goes on when you call it again. The third prints the coverage table from above. If you build the book afterwards, this page counts your rows.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-15-power
# ```
# % Exercise: 20 minutes, ●●: when two results agree
# Two groups run the same method ten times each, both with a spread of 1.0 point, and the true means are equal. How often will the rule say *agrees*? How often will it do so with a spread of 3.0? Guess first, then simulate.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-15-power
# :class: dropdown
# ```
# With a spread of 1.0 the rule nearly always says *agrees*, because the interval is about ±0.9 wide and its middle is rarely more than 1 off. With 3.0 the interval alone is about ±2.8 wide, so *agrees* is impossible for all but the luckiest draws.

# %%
generator = np.random.default_rng(15)

def share_agreeing(spread, runs=10, repeats=500):
    draws = generator.normal(80, spread, (2, repeats, runs))
    gaps = [privbook.difference(a, b.mean(), b.std(ddof=1), runs)
            for a, b in zip(*draws, strict=True)]
    return np.mean([privbook.verdict(gap) == "agrees" for gap in gaps])

half = stats.t.ppf(0.975, 18) * math.sqrt(2 / 10)   # for a spread of 1.0 in both
assert 0.9 < half < 1.0 and 2.7 < 3 * half < 2.9
for spread in (1.0, 2.0, 3.0):
    share = share_agreeing(spread)
    print(f"spread {spread}: agrees in {100 * share:.0f} % of repeats")


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-15-verdict
# ```
# % Exercise: 25 minutes, ●●: an interval, from its formula
# *(With a checker.)* Write `my_verdict(ours, mean, spread, runs)` from the description above, without the library. Compute Welch's interval (without rounding), and then decide between the three cases. Run `check(my_verdict)`.
# ```{exercise-end}
# ```

# %%
def check(my_verdict):
    """Compare with the library on 200 random cases."""
    generator = np.random.default_rng(1)
    for _ in range(200):
        ours = list(generator.normal(80, generator.uniform(0.3, 3), 8))
        mean, spread = 80 + generator.normal(0, 3), generator.uniform(0.3, 3)
        runs = 10
        gap = privbook.difference(ours, mean, spread, runs)
        expected = privbook.verdict(gap)
        found = my_verdict(ours, mean, spread, runs)
        case = f"{mean:.1f} ± {spread:.1f}"
        assert found == expected, f"{case}: expected {expected}, got {found}"
    print("200 of 200 right")


# %% [markdown]
# ```{solution-start} ex-15-verdict
# :class: dropdown
# ```

# %%
def my_verdict(ours, mean, spread, runs):
    n, gap = len(ours), np.mean(ours) - mean
    a, b = np.var(ours, ddof=1) / n, spread ** 2 / runs
    freedom = (a + b) ** 2 / (a ** 2 / (n - 1) + b ** 2 / (runs - 1))
    half = stats.t.ppf(0.975, freedom) * math.sqrt(a + b)
    if abs(gap) + half <= 2:
        return "agrees"
    return "differs" if abs(gap) - half > 2 else "inconclusive"

check(my_verdict)


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-15-table
# ```
# % Exercise: 5 minutes, ●: finding a number and its verdict
# Open the page with {doc}`GraphPrivatizer's numbers <15_tables_graphprivatizer>`. Choose Table 6, the method "LPGNN (no edge privacy)" and the verdict *inconclusive*, and find the cell with the widest interval. How many runs of ours would make this cell *agree*, if spreads and means stay as they are?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-15-table
# :class: dropdown
# ```
# Our part of the squared standard error falls like $1/n$, whereas the paper's part stays as it is. With a printed spread $s$ over ten runs, no number of our runs makes the interval narrower than about $\pm 2.26\, s / \sqrt{10}$, because Welch's degrees of freedom then go to nine, those of the paper's ten runs. A cell that is printed with a spread above about 2.7 can therefore never *agree* by this rule. It can still turn out to *differ*.

# %%
def runs_to_agree(cell, ours, most=10_000):
    """The least number of runs, our mean and spread being as they are, or None."""
    gap, spread = abs(np.mean(ours) - cell.value), float(cell.spread)
    for n in range(3, most):
        a, b = np.var(ours, ddof=1) / n, spread ** 2 / 10
        freedom = (a + b) ** 2 / (a ** 2 / (n - 1) + b ** 2 / 9)
        half = stats.t.ppf(0.975, freedom) * math.sqrt(a + b) + cell.rounding
        if gap + half <= 2:
            return n

quantile = stats.t.ppf(0.975, 9)
assert round(quantile, 2) == 2.26
assert round((2 - 0.05) * math.sqrt(10) / quantile, 1) == 2.7
open_cells = [c for c in column if c.verdict == "inconclusive" and c.ours.n > 2]
for c in sorted(open_cells, key=lambda c: -c.gap.half)[:5]:
    enough = runs_to_agree(c.printed, list(runs_of(c.printed).values()))
    print(f"{c.printed.dataset}, {c.printed.backbone}: printed {c.printed},",
          f"half width {c.gap.half:.1f},",
          f"{enough} runs" if enough else "never")

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - *Agrees* means that the true difference is within two points, with 95% confidence. *Differs* means that it is larger, with the same confidence, and everything else is inconclusive.
# - All {glue:text}`n_values:,` values that four papers print are in the repository, and for {glue:text}`n_compared` of them we have a number of our own. Of these, {glue:text}`n_agrees` agree, {glue:text}`n_differs` differ and {glue:text}`n_inconclusive` are inconclusive. For all others, the tables state why there is none.
# - Runs are appended one by one, with a checksum, and therefore killing the program costs only the runs in progress.
#
# **Read on:** {doc}`the register <14_claims>` does for sentences what this page does for numbers.
