# full marks: sorting and cumulative counts with NumPy, and the advantage for the balanced accuracy
# %% rates
import numpy as np

def rates(losses, member, bar):
    losses, member = np.asarray(losses), np.asarray(member)
    ours, theirs = np.sort(losses[member]), np.sort(losses[~member])
    return (np.searchsorted(ours, bar, "right") / len(ours), np.searchsorted(theirs, bar, "right") / len(theirs))
# %% auc
from scipy.stats import mannwhitneyu

def auc(losses, member):
    ours, theirs = np.asarray(losses)[np.asarray(member)], np.asarray(losses)[~np.asarray(member)]
    return mannwhitneyu(theirs, ours).statistic / (len(ours) * len(theirs))
# %% overfit
overfit = {name: (torch.stack([losses[~member].mean() - losses[member].mean(), torch.tensor(auc(losses, member))]))
           for name, losses in (("late", late), ("early", early))}
# %% honest
def honest(losses, member, told):
    bars = losses[told].sort().values
    ours, theirs = losses[told & member].sort().values, losses[told & ~member].sort().values
    found = torch.searchsorted(ours, bars, right=True).double() / len(ours)
    alarms = torch.searchsorted(theirs, bars, right=True).double() / len(theirs)
    bar = bars[(found - alarms).argmax()]
    accused = losses <= bar
    return 0.5 * (accused[~told & member].double().mean() + (~accused[~told & ~member]).double().mean())
# %% least
def least(t, f, delta):
    with np.errstate(all="ignore"):
        worlds = np.array([[t, f], [f, t], [1 - t, 1 - f], [1 - f, 1 - t]])
        left = np.clip(worlds[:, 0] - delta, 0, None)
        needed = np.where(left > 0, np.log(left / worlds[:, 1]), -np.inf)
    return max(0.0, needed.max())
# %% ceiling
def ceiling(epsilon, delta):
    advantage = (np.exp(epsilon) - 1 + 2 * delta) / (np.exp(epsilon) + 1)
    return 0.5 + advantage / 2
