# at most 7: shares of the accused, plain accuracy, and only the first line of the bound
# says: shares of the *accused*
# says: the share of right answers, not the *balanced* accuracy
# says: Only the event *she is accused* is used
# says: Only the first line of the bound is used
# %% rates
def rates(losses, member, bar):
    accused = losses <= bar
    right = int((accused & member).sum())
    return right / max(1, int(accused.sum())), int((accused & ~member).sum()) / max(1, int(accused.sum()))
# %% auc
def auc(losses, member):
    wins = [(float(a) < float(b)) + 0.5 * (float(a) == float(b)) for a in losses[member] for b in losses[~member]]
    return sum(wins) / len(wins)
# %% overfit
overfit = {"early": [float(early[~member].mean() - early[member].mean()), auc(early, member)],
           "late": [float(late[~member].mean() - late[member].mean()), auc(late, member)]}
# %% honest
def honest(losses, member, told):
    def right(who, bar):
        return float(((losses[who] <= bar) == member[who]).double().mean())
    best = max(sorted(losses[told].tolist()), key=lambda bar: right(told, bar))
    return right(~told, best)
# %% least
def least(t, f, delta):
    def line(a, b):
        if a <= delta:
            return 0.0
        return math.inf if b == 0 else math.log((a - delta) / b)
    return max(0.0, line(t, f), line(f, t))
# %% ceiling
def ceiling(epsilon, delta):
    best = (1 - delta) * math.exp(-epsilon)        # where e^epsilon f + delta reaches 1
    return (1 + 1 - best) / 2
