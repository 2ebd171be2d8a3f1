# at most 5: ties are defeats, ties are accused, the wrong person is turned up, an unpaired comparison
# says: A tie counts as a defeat
# says: ties with the bar's non-edge
# says: The wrong one is turned up
# says: Take the difference on each graph first
# says: compared as logits
# %% auc
def auc(scores, linked):
    edges = [s for s, yes in zip(scores, linked) if yes]
    others = [s for s, yes in zip(scores, linked) if not yes]
    return sum(e > o for e in edges for o in others) / len(edges) / len(others)
# %% tpr
def tpr(scores, linked):
    others = sorted((s for s, yes in zip(scores, linked) if not yes), reverse=True)
    bar = others[len(others) // 100]
    edges = [s for s, yes in zip(scores, linked) if yes]
    return sum(s >= bar for s in edges) / len(edges)
# %% non_edges
def non_edges(edges, n, count, generator):
    free = [[u, v] for u in range(n) for v in range(u + 1, n) if [u, v] not in edges]
    return [free[i] for i in torch.randint(len(free), (count,), generator=generator).tolist()]
# %% found
def similar(rows):
    return auc([float(torch.cosine_similarity(rows[u], rows[v], dim=0)) for u, v in pairs], linked)

found = {"similar features": similar(x), "similar answers": similar(service(x))}
# %% influence
influence = []
for v, u in pairs:
    louder = x.clone()
    louder[v] = 2 * x[v]
    influence.append(float((service(louder)[u] - service(x)[u]).norm()))
# %% gain
def gain(attack, reference):
    k = len(attack)
    mean = sum(attack) / k - sum(reference) / k
    half = stats.t.ppf(0.975, k - 1) * math.sqrt((stdev(attack) ** 2 + stdev(reference) ** 2) / k)
    return [mean - half, mean + half]
