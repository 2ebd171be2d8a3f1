# at most 6: a person and then a stranger, distances for scores, precision, 1.96
# says: First a person is drawn
# says: At most 1% of the *accused*
# says: These are *distances*
# says: squared length
# says: 1.96
# %% auc
def auc(scores, linked):
    edges = [s for s, yes in zip(scores, linked) if yes]
    others = [s for s, yes in zip(scores, linked) if not yes]
    return sum((e > o) + (e == o) / 2 for e in edges for o in others) / len(edges) / len(others)
# %% tpr
def tpr(scores, linked):
    best = 0
    for bar in scores:
        accused = [yes for s, yes in zip(scores, linked) if s >= bar]
        if accused.count(False) / len(accused) <= 0.01:
            best = max(best, sum(accused) / sum(linked))
    return best
# %% non_edges
def non_edges(edges, n, count, generator):
    drawn = []
    for u in torch.randint(n, (count,), generator=generator).tolist():
        strangers = [v for v in range(n) if v != u and sorted((u, v)) not in edges]
        v = strangers[int(torch.randint(len(strangers), (1,), generator=generator))]
        drawn.append(sorted((u, v)))
    return drawn
# %% found
P = service(x).softmax(1)
found = {"similar features": auc([1 - float(torch.cosine_similarity(x[u], x[v], dim=0)) for u, v in pairs], linked),
         "similar answers": auc([1 - float(torch.cosine_similarity(P[u], P[v], dim=0)) for u, v in pairs], linked)}
# %% influence
influence = []
for u, v in pairs:
    louder = x.clone()
    louder[v] *= 2
    influence.append(float((service(louder)[u] - service(x)[u]).square().sum()))
# %% gain
def gain(attack, reference):
    d = [a - r for a, r in zip(attack, reference)]
    half = 1.96 * stdev(d) / math.sqrt(len(d))
    return [fmean(d) - half, fmean(d) + half]
