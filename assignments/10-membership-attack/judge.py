"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math

import torch

from privbook.classroom import Part, drawn
from privgraph.attacks import evaluate_attack, rate_ceiling
from privgraph.randomness import seeded


def shares(_, losses, member, bar, denominators=None):
    """The two rates, by counting; of other groups than the right ones if they are given."""
    told = list(zip(losses.tolist(), member.tolist(), strict=True))
    hits, alarms = (sum(loss <= bar for loss, own in told if own is kind) for kind in (True, False))
    members, others = denominators or (int(member.sum()), int((~member).sum()))
    return hits / members, alarms / others


def of_accused(_, losses, member, bar):
    count = max(1, int((losses <= bar).sum()))
    return shares(None, losses, member, bar, (count, count))


def of_all(_, losses, member, bar):
    return shares(None, losses, member, bar, (len(losses), len(losses)))


def high(_, losses, member, bar):
    return shares(None, -losses, member, -bar)


def below(_, losses, member, bar):
    return shares(None, losses, member, math.nextafter(bar, -math.inf))


def area(_, losses, member):
    return evaluate_attack(-losses, member).auc


def ties(losses, member, each):
    ours, theirs = losses[member].double()[:, None], losses[~member].double()
    return float(((ours < theirs) + each * (ours == theirs)).mean())


def balanced(losses, member, bar):
    tpr, fpr = shares(None, losses, member, bar)
    return (tpr + 1 - fpr) / 2


def plain(losses, member, bar):
    """The share of people about whom the attacker is right."""
    return float(((losses <= bar) == member).double().mean())


def honest(_, losses, member, told, choose=None, judge=None, measure=balanced, best_by=balanced):
    """The bar is chosen among ``choose`` and judged among ``judge``."""
    choose, judge = told if choose is None else choose, ~told if judge is None else judge
    scores = {bar: best_by(losses[choose], member[choose], bar) for bar in losses[choose].tolist()}
    best = min(bar for bar, score in scores.items() if score == max(scores.values()))
    return measure(losses[judge], member[judge], best)


def game(seed, count, share, told, rounded=False):
    """Losses of ``count`` people of whom about ``share`` are members, and of whom about ``told`` are told."""
    coins = seeded(seed)
    member = torch.rand(count, generator=coins) < share
    losses = torch.rand(count, generator=coins) * torch.where(member, 1.0, 1.6)
    losses = (10 * losses).round() / 8 if rounded else losses
    return losses, member, torch.rand(count, generator=coins) < told


def own(given):
    return given["late"].float(), given["member"]


def at_bars(given):
    losses, member = own(given)
    bars = losses.sort().values[[len(losses) // 4, len(losses) // 2]].tolist()
    few, in_it, _ = game(1, 40, 0.3, 0.5, rounded=True)
    return [(losses, member, bar) for bar in bars] + [(few, in_it, 0.5), (few, in_it, 1.0)]


def needed(t, f, delta, events):
    """The smallest epsilon for events as (probability in one world, in the other)."""
    found = 0.0
    for more, less in events:
        if more > delta:
            found = max(found, math.inf if less == 0 else math.log(more - delta) - math.log(less))
    return found


def least(_, t, f, delta):
    return needed(t, f, delta, ((t, f), (f, t), (1 - t, 1 - f), (1 - f, 1 - t)))


def farthest(_, epsilon, delta):
    """Where the two lines of the bound meet."""
    f = (1 - delta) / (1 + math.exp(epsilon))
    return (rate_ceiling(epsilon, delta, f) + 1 - f) / 2


def overfit(given, gap=None, area_of=area, names=("early", "late")):
    found = {}
    for name, losses in zip(names, (given["early"], given["late"]), strict=True):
        ours, theirs = losses[given["member"]], losses[~given["member"]]
        difference = float(theirs.sum() / len(theirs) - ours.sum() / len(ours)) if gap is None else gap(ours, theirs)
        found[name] = [difference, area_of(None, losses, given["member"])]
    return found


PARTS = {
    "rates": Part(
        "rates", shares, at_bars,
        {"You accuse those with a *large* loss. A network has small losses on those it has seen.": high,
         "Each rate is a share of one group: the first of the members, the second of the others. Here both are shares "
         "of *all* people.": of_all,
         "These are shares of the *accused*: how many of them are members. The rates ask how many of the members, and "
         "how many of the others, are accused.": of_accused,
         "The two rates have changed places: the true positive rate comes first.":
            lambda _, *arguments: shares(None, *arguments)[::-1],
         "Whoever lies exactly on the bar is accused as well.": below}),
    "auc": Part(
        "auc", area, lambda given: [own(given), game(2, 60, 0.3, 0.5)[:2], game(3, 50, 0.5, 0.5, rounded=True)[:2]],
        {"The attack is scored the wrong way round: a *smaller* loss looks more like a member.":
            lambda _, losses, member: 1 - area(None, losses, member),
         "Ties are counted as losses here; each counts half.": lambda _, losses, member: ties(losses, member, 0.0),
         "Ties are counted as wins here; each counts half.": lambda _, losses, member: ties(losses, member, 1.0)}),
    "overfit": Part(
        "overfit", overfit, wrong={
            "The gap has the wrong sign: the mean loss of the *others*, minus that of the members.":
                lambda given: overfit(given, lambda ours, theirs: float(ours.mean() - theirs.mean())),
            "The AUC is that of the attacker who accuses those with *large* losses.":
                lambda given: overfit(given, area_of=lambda *arguments: 1 - area(*arguments)),
            "The short and the long training have changed places.":
                lambda given: overfit(given, names=("late", "early")),
            "The gap is between *means*; medians stand here.":
                lambda given: overfit(given, lambda ours, theirs: float(theirs.median() - ours.median()))}),
    "honest": Part(
        "honest", honest, lambda _: [game(56, 60, 0.5, 0.5), game(11, 80, 0.2, 0.4), game(36, 50, 0.7, 0.5),
                                     game(14, 60, 0.3, 0.6, rounded=True)],  # in each one bar is better than all others
        {"The bar is judged on the half on which it was chosen: this score flatters the attacker.":
            lambda _, losses, member, told: honest(None, losses, member, told, judge=told),
         "The bar is chosen on the half on which it is judged: nobody has told her who is a member there.":
            lambda _, losses, member, told: honest(None, losses, member, told, choose=~told),
         "The bar is chosen on *all* people, among them those on whom it is judged.":
            lambda _, losses, member, told: honest(None, losses, member, told, choose=told | ~told),
         "This is the share of right answers, not the *balanced* accuracy: with few members, to accuse nobody would "
         "score high.":
            lambda _, losses, member, told: honest(None, losses, member, told, measure=plain, best_by=plain),
         "The bar is chosen by the share of right answers, and only judged by the balanced accuracy.":
            lambda _, losses, member, told: honest(None, losses, member, told, best_by=plain),
         "The two halves have changed places: the bar is chosen on those whose membership nobody told her.":
            lambda _, losses, member, told: honest(None, losses, member, ~told)}),
    "least": Part(
        "least", least, lambda given: [(drawn(given).randrange(50, 98) / 100, 0.04, 0.01), (0.3, 0.1, 0.0),
                                       (0.95, 0.6, 0.05), (0.1, 0.4, 0.0), (0.2, 0.0, 0.01),
                                   (0.9, 0.99, 0.001), (0.001, 0.0005, 0.01), (0.5, 0.2, 0.1)],
        {"Only one inequality is used, that for being accused with her in the training set. *Not* being accused is an "
         "event, too, and the worlds may be exchanged.": lambda _, t, f, delta: needed(t, f, delta, ((t, f),)),
         "A rule that is worse than guessing gives away as much as its opposite: exchange the two worlds as well.":
            lambda _, t, f, delta: needed(t, f, delta, ((t, f), (1 - f, 1 - t))),
         "Only the event *she is accused* is used. That she is not accused is an event, too.":
            lambda _, t, f, delta: needed(t, f, delta, ((t, f), (f, t))),
         "The delta is forgotten: it is a share of probability that epsilon need not explain.":
            lambda _, t, f, delta: least(None, t, f, 0.0)},
        tolerance=1e-5),
    "ceiling": Part(
        "ceiling", farthest, lambda given: [(drawn(given).randrange(20, 300) / 100, 0.03),
                                                             (1.0, 0.0), (0.5, 0.1), (2.0, 0.01), (4.0, 0.2)],
        {"The delta is forgotten.": lambda _, epsilon, delta: farthest(None, epsilon, 0.0),
         "This is how far the true positive rate can lie above the false one, t - f. The balanced accuracy is "
         "(t + 1 - f)/2.": lambda _, epsilon, delta: 2 * farthest(None, epsilon, delta) - 1,
         "The whole delta is added. It helps only with the true positive rate at a given false positive rate, and the "
         "best false positive rate moves with it.":
            lambda _, epsilon, delta: min(1.0, farthest(None, epsilon, 0.0) + delta),
         "Only the first line of the bound is used, with a cap at 1. The second line, for *not* being accused, lies "
         "lower there.": lambda _, epsilon, delta: 1 - (1 - delta) * math.exp(-epsilon) / 2}),
}
RUBRIC = {"harmless": [
    (1, "the unit: an epsilon for an edge promises nothing about a person with her features, label and all her links"),
    (1, "a failed attack bounds nothing: stronger attackers (shadow models, a bar for each person) may read the same "
        "answers"),
    (1, "an AUC is an average over people: an unusual person may be found although it is near one half"),
    (1, "2.7% would need (1, 1e-5) for a node; it is a probability over trainings (or an expected share), for a rule "
        "that was fixed beforehand"),
]}
