# full marks: loops over people and over all bars, no tensors
# %% rates
def rates(losses, member, bar):
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for loss, own in zip(losses.tolist(), member.tolist()):
        counts[own, loss <= bar] += 1
    return [counts[own, True] / (counts[own, True] + counts[own, False]) for own in (True, False)]
# %% auc
def auc(losses, member):
    wins = matches = 0
    for a, own in zip(losses.tolist(), member.tolist()):
        for b, other in zip(losses.tolist(), member.tolist()):
            if own and not other:
                matches += 1
                wins += 1 if a < b else 0.5 if a == b else 0
    return wins / matches
# %% overfit
def mean(values):
    return sum(values) / len(values)

overfit = {}
for name, losses in {"early": early, "late": late}.items():
    ours = [float(losses[i]) for i in range(people) if member[i]]
    theirs = [float(losses[i]) for i in range(people) if not member[i]]
    overfit[name] = [mean(theirs) - mean(ours), auc(losses, member)]
# %% honest
def honest(losses, member, told):
    known = [i for i in range(len(losses)) if told[i]]
    asked = [i for i in range(len(losses)) if not told[i]]
    best, best_bar = -1, None
    for bar in sorted(float(losses[i]) for i in known):
        tpr, fpr = rates(losses[known], member[known], bar)
        if tpr - fpr > best:
            best, best_bar = tpr - fpr, bar
    tpr, fpr = rates(losses[asked], member[asked], best_bar)
    return (tpr + 1 - fpr) / 2
# %% least
def least(t, f, delta):
    def holds(epsilon):
        factor = math.exp(epsilon)
        return all(one <= factor * other + delta + 1e-12
                   for one, other in ((t, f), (f, t), (1 - t, 1 - f), (1 - f, 1 - t)))

    low, high = 0.0, 600.0
    if holds(low):
        return 0.0
    if not holds(high):
        return math.inf
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
# %% ceiling
def ceiling(epsilon, delta):
    f = (1 - delta) / (1 + math.exp(epsilon))
    t = min(math.exp(epsilon) * f + delta, 1 - math.exp(-epsilon) * (1 - f - delta))
    return (t + 1 - f) / 2
