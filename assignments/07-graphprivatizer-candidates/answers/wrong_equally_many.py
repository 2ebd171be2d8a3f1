# at most 10: GP-m without its threshold, the paper's d read as the number of candidates, sizes for sets
# says: GP-m has a threshold as well
# says: the paper's d counts u as well
# says: Equally many candidates
# %% candidates
def candidates(u, v, lists, x, threshold, strategy):
    near = [w for w in lists[u] if w != v]
    similar = {w: float(torch.cosine_similarity(x[u], x[w], dim=0)) for w in near}
    if strategy == "most-similar":
        return {max(near, key=similar.get)} if near else set()
    return {w for w in near if similar[w] >= threshold}
# %% chances
def chances(u, others, epsilon):
    d = len(others)
    return {u: math.exp(epsilon) / (math.exp(epsilon) + d - 1)} | {w: 1 / (math.exp(epsilon) + d - 1) for w in others}
# %% reports
def reports(tables):
    found = {}
    for names in product(*tables):
        told = tuple(sorted(names))
        found[told] = found.get(told, 0) + math.prod(table[name] for table, name in zip(tables, names))
    return found
# %% loss
def loss(one, other):
    names = {told for told in one if one[told] > 0} | {told for told in other if other[told] > 0}
    if any(one.get(told, 0) == 0 or other.get(told, 0) == 0 for told in names):
        return math.inf
    return max(abs(math.log(one[told] / other[told])) for told in names)
# %% finite
def number(u):
    return len(candidates(u, me, lists, x, threshold, "threshold"))

finite = {(old, new) for old in lists[me] for new in range(n)
          if new != me and new not in lists[me] and number(old) == number(new)}
