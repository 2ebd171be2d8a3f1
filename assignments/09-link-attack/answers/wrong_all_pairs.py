# at most 3: ties are wins, edges among the non-edges, a reference that reads answers, both directions, no reference
# says: A tie counts as a win
# says: Of fewer than 100
# says: Edges are among the pairs
# says: must not read any answer
# says: Both directions are added
# says: interval of the attack alone
# %% auc
def auc(scores, linked):
    edges = [s for s, yes in zip(scores, linked) if yes]
    others = [s for s, yes in zip(scores, linked) if not yes]
    return sum(e >= o for e in edges for o in others) / len(edges) / len(others)
# %% tpr
def tpr(scores, linked):
    others = sorted((s for s, yes in zip(scores, linked) if not yes), reverse=True)
    bar = others[max(1, len(others) // 100)]
    edges = [s for s, yes in zip(scores, linked) if yes]
    return sum(s > bar for s in edges) / len(edges)
# %% non_edges
def non_edges(edges, n, count, generator):
    drawn = []
    while len(drawn) < count:
        u, v = torch.randint(n, (2,), generator=generator).tolist()
        if u < v:
            drawn.append([u, v])
    return drawn
# %% found
P = service(x).softmax(1)
score = auc([float(torch.cosine_similarity(P[u], P[v], dim=0)) for u, v in pairs], linked)
found = {"similar features": score, "similar answers": score}
# %% influence
def move(u, v):
    louder = x.clone()
    louder[v] *= 2
    return float((service(louder)[u] - service(x)[u]).norm())

influence = [move(u, v) + move(v, u) for u, v in pairs]
# %% gain
def gain(attack, reference):
    half = stats.t.ppf(0.975, len(attack) - 1) * stdev(attack) / math.sqrt(len(attack))
    return [fmean(attack) - half, fmean(attack) + half]
