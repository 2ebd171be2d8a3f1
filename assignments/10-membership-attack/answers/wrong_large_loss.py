# at most 4: those with large losses are accused, and the advantage is taken for the balanced accuracy
# says: You accuse those with a *large* loss
# says: the wrong way round
# says: accuses those with *large* losses
# says: worse than guessing gives away as much
# says: how far the true positive rate can lie above
# %% rates
def rates(losses, member, bar):
    accused = losses >= bar
    return float(accused[member].double().mean()), float(accused[~member].double().mean())
# %% auc
def auc(losses, member):
    more = losses[member][:, None] - losses[~member]
    return float(((more > 0) + 0.5 * (more == 0)).mean())
# %% overfit
overfit = {"early": [float(early[~member].mean() - early[member].mean()), auc(early, member)],
           "late": [float(late[~member].mean() - late[member].mean()), auc(late, member)]}
# %% honest
def honest(losses, member, told):
    return max(sum(rates(losses[told], member[told], bar)) / 2 for bar in losses[told])
# %% least
def least(t, f, delta):
    found = 0.0
    for a, b in ((t, f), (1 - f, 1 - t)):
        if a > delta:
            found = max(found, math.log((a - delta) / b) if b > 0 else math.inf)
    return found
# %% ceiling
def ceiling(epsilon, delta):
    return (math.exp(epsilon) - 1 + 2 * delta) / (math.exp(epsilon) + 1)
