# at most 8: candidates from v's own list, names once, and losses of common reports only
# says: neighbours of u, not of v
# says: must stand twice
# says: that only one of the two can give are left out
# says: Both lists can give this report
# %% candidates
def candidates(u, v, lists, x, threshold, strategy):
    near = [w for w in lists[v] if w != u]
    near.sort(key=lambda w: -float(torch.cosine_similarity(x[u], x[w], dim=0)))
    near = near[:1] if strategy == "most-similar" else near
    return {w for w in near if float(torch.cosine_similarity(x[u], x[w], dim=0)) >= threshold}
# %% chances
def chances(u, others, epsilon):
    total = math.exp(epsilon) + len(others)
    return {u: math.exp(epsilon) / total, **{w: 1 / total for w in others}}
# %% reports
def reports(tables):
    found = {}
    for names in product(*tables):
        told = tuple(sorted(set(names)))
        found[told] = found.get(told, 0) + math.prod(table[name] for table, name in zip(tables, names))
    return found
# %% loss
def loss(one, other):
    return max(abs(math.log(one[told] / other[told])) for told in one if one[told] > 0 and other.get(told, 0) > 0)
# %% witness
def near(u):
    return {u} | {w for w in lists[u] if w != me and float(torch.cosine_similarity(x[u], x[w], dim=0)) >= threshold}

witness = [old, new, told] = [None, None, None]
for u in lists[me]:
    for w in range(n):
        if w != me and w not in lists[me] and u in near(w):
            witness = [u, w, lists[me]]
# %% finite
finite = {(u, w) for u in lists[me] for w in range(n) if w != me and w not in lists[me]}
