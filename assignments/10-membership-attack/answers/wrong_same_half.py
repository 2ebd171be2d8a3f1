# at most 6: the bar is judged where it was chosen, one inequality, no delta
# says: judged on the half on which it was chosen
# says: Only one inequality is used
# says: The delta is forgotten
# says: Ties are counted as losses
# says: wrong sign
# %% rates
def rates(losses, member, bar):
    accused = losses <= bar
    return accused[member].float().mean(), accused[~member].float().mean()
# %% auc
def auc(losses, member):
    return (losses[member][:, None] < losses[~member]).float().mean()
# %% overfit
overfit = {name: [losses[member].mean() - losses[~member].mean(), auc(losses, member)]
           for name, losses in (("early", early), ("late", late))}
# %% honest
def honest(losses, member, told):
    scores = []
    for bar in losses[told]:
        tpr, fpr = rates(losses[told], member[told], bar)
        scores.append(float(tpr + 1 - fpr) / 2)
    return max(scores)
# %% least
def least(t, f, delta):
    if t <= delta:
        return 0.0
    return max(0.0, math.log((t - delta) / f)) if f > 0 else math.inf
# %% ceiling
def ceiling(epsilon, delta):
    return math.exp(epsilon) / (1 + math.exp(epsilon))
