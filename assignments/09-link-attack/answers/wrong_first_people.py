# at most 5: non-edges of the first people, 1% of all pairs, a constant step, single runs for means
# says: 1% of *all* pairs
# says: first people only
# says: moved by a constant
# says: where single runs lie
# says: inner products
# %% auc
def auc(scores, linked):
    edges = [s for s, yes in zip(scores, linked) if yes]
    others = [s for s, yes in zip(scores, linked) if not yes]
    return sum((e > o) + (e == o) / 2 for e in edges for o in others) / len(edges) / len(others)
# %% tpr
def tpr(scores, linked):
    others = sorted((s for s, yes in zip(scores, linked) if not yes), reverse=True)
    bar = others[len(scores) // 100]
    edges = [s for s, yes in zip(scores, linked) if yes]
    return sum(s > bar for s in edges) / len(edges)
# %% non_edges
def non_edges(edges, n, count, generator):
    zeros = [[u, v] for u in range(n) for v in range(u + 1, n) if [u, v] not in edges][:len(edges)]
    return [zeros[i] for i in torch.randint(len(zeros), (count,), generator=generator).tolist()]
# %% found
P = service(x).softmax(1)
found = {"similar features": auc([float(x[u] @ x[v]) for u, v in pairs], linked),
         "similar answers": auc([float(P[u] @ P[v]) for u, v in pairs], linked)}
# %% influence
influence = []
for u, v in pairs:
    louder = x.clone()
    louder[v] += 0.1
    influence.append(float((service(louder)[u] - service(x)[u]).norm() / 0.1))
# %% gain
def gain(attack, reference):
    d = [a - r for a, r in zip(attack, reference)]
    half = stats.t.ppf(0.975, len(d) - 1) * stdev(d)
    return [fmean(d) - half, fmean(d) + half]
