# full marks: a matrix of similarities; the report of the true list that the other cannot give
# %% candidates
def candidates(u, v, lists, x, threshold, strategy):
    unit = x / x.norm(dim=1, keepdim=True)
    similar = (unit @ unit.T)[u]
    allowed = torch.zeros(len(x), dtype=torch.bool)
    allowed[lists[u]] = True
    allowed[v] = False
    similar = torch.where(allowed, similar, -math.inf)
    if strategy == "most-similar":
        best = int(similar.argmax())
        return {best} if similar[best] >= threshold else set()
    return set((similar >= threshold).nonzero().flatten().tolist())
# %% chances
def chances(u, others, epsilon):
    names = [u, *others]
    scores = torch.zeros(len(names), dtype=torch.float64)
    scores[0] = epsilon
    return dict(zip(names, scores.softmax(0).tolist()))
# %% reports
from collections import Counter

def reports(tables):
    found = Counter()
    for names in product(*tables):
        found[tuple(sorted(names))] += math.prod(table[name] for table, name in zip(tables, names))
    return dict(found)
# %% loss
def loss(one, other):
    support = [{told for told in table if table[told] > 0} for table in (one, other)]
    if support[0] != support[1]:
        return math.inf
    ratios = [one[told] / other[told] for told in support[0]]
    return math.log(max(max(ratios), 1 / min(ratios)))
# %% witness
def of(known):
    return reports([chances(u, candidates(u, me, lists, x, threshold, "threshold"), epsilon) for u in known])

losses = {}
for old in lists[me]:
    for new in set(range(n)) - {me, *lists[me]}:
        other = of([new if u == old else u for u in lists[me]])
        losses[old, new] = loss(of(lists[me]), other)
        only = sorted(set(of(lists[me])) ^ set(other))
        if only:
            witness = (old, new, only[0])
# %% finite
finite = {swap for swap, found in losses.items() if math.isfinite(found)}
