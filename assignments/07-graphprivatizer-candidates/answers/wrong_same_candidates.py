# at most 9: inner products, unsorted reports, ratios for losses, candidates without their neighbour
# says: This is the inner product
# says: The reports are not sorted
# says: the loss is its logarithm
# says: without the neighbours themselves
# says: Neither of the two lists
# %% candidates
def candidates(u, v, lists, x, threshold, strategy):
    near = [w for w in lists[u] if w != v]
    near.sort(key=lambda w: -float(x[u] @ x[w]))
    near = near[:1] if strategy == "most-similar" else near
    return {w for w in near if float(x[u] @ x[w]) >= threshold}
# %% chances
def chances(u, others, epsilon):
    total = math.exp(epsilon) + len(others)
    return {u: math.exp(epsilon) / total, **{w: 1 / total for w in others}}
# %% reports
def reports(tables):
    return {names: math.prod(table[name] for table, name in zip(tables, names)) for names in product(*tables)}
# %% loss
def loss(one, other):
    names = {told for told in one if one[told] > 0} | {told for told in other if other[told] > 0}
    if any(one.get(told, 0) == 0 or other.get(told, 0) == 0 for told in names):
        return math.inf
    return max(max(one[told] / other[told], other[told] / one[told]) for told in names)
# %% witness
old = lists[me][0]
new = min(w for w in range(n) if w != me and w not in lists[me])
witness = [old, new, [me] * len(lists[me])]
# %% finite
def of(u):
    return {w for w in lists[u] if w != me and float(torch.cosine_similarity(x[u], x[w], dim=0)) >= threshold}

finite = {(old, new) for old in lists[me] for new in range(n)
          if new != me and new not in lists[me] and of(old) == of(new)}
