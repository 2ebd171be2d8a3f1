# at most 9: v among the candidates, all candidates together, one direction, and a candidate is enough
# says: she would name herself
# says: *together*
# says: Only one direction
# says: is a candidate of the old one is not enough
# %% candidates
def candidates(u, v, lists, x, threshold, strategy):
    near = sorted(lists[u], key=lambda w: -float(torch.cosine_similarity(x[u], x[w], dim=0)))
    near = near[:1] if strategy == "most-similar" else near
    return {w for w in near if float(torch.cosine_similarity(x[u], x[w], dim=0)) >= threshold}
# %% chances
def chances(u, others, epsilon):
    if not others:
        return {u: 1.0}
    keep = math.exp(epsilon) / (math.exp(epsilon) + 1)
    return {u: keep} | {w: (1 - keep) / len(others) for w in others}
# %% reports
def reports(tables):
    found = {}
    for names in product(*tables):
        told = tuple(sorted(names))
        found[told] = found.get(told, 0) + math.prod(table[name] for table, name in zip(tables, names))
    return found
# %% loss
def loss(one, other):
    if any(chance > 0 and other.get(told, 0) == 0 for told, chance in one.items()):
        return math.inf
    return max(math.log(chance / other[told]) for told, chance in one.items() if chance > 0)
# %% witness
old = lists[me][0]
witness = [old, lists[me][1], lists[me]]
# %% finite
finite = {(old, new) for old in lists[me] for new in candidates(old, me, lists, x, threshold, "threshold")
          if new != me and new not in lists[me]}
