# at most 4: everybody at once: rates of all people, a bar chosen on all, and the whole delta
# says: shares of *all* people
# says: Ties are counted as wins
# says: medians stand here
# says: chosen on *all* people
# says: The delta is forgotten
# says: The whole delta is added
# %% rates
def rates(losses, member, bar):
    accused = losses <= bar
    return float((accused & member).double().mean()), float((accused & ~member).double().mean())
# %% auc
def auc(losses, member):
    return float((losses[member][:, None] <= losses[~member]).double().mean())
# %% overfit
overfit = {name: [float(losses[~member].median() - losses[member].median()), auc(losses, member)]
           for name, losses in (("early", early), ("late", late))}
# %% honest
def honest(losses, member, told):
    def balanced(who, bar):
        accused = losses[who] <= bar
        return float((accused[member[who]].double().mean() + (~accused[~member[who]]).double().mean()) / 2)
    best = max(sorted(losses.tolist()), key=lambda bar: balanced(told | ~told, bar))
    return balanced(~told, best)
# %% least
def least(t, f, delta):
    pairs = [(t, f), (f, t), (1 - t, 1 - f), (1 - f, 1 - t)]
    return max(0.0, *(math.inf if b == 0 else math.log(a / b) for a, b in pairs if a > 0))
# %% ceiling
def ceiling(epsilon, delta):
    return min(1.0, math.exp(epsilon) / (1 + math.exp(epsilon)) + delta)
