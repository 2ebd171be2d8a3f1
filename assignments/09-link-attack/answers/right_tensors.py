# full marks: tensors, SciPy's tests, and a small step of LinkTeller
# %% auc
def auc(scores, linked):
    s, yes = torch.as_tensor(scores, dtype=torch.float64), torch.as_tensor(linked)
    gap = torch.sign(s[yes][:, None] - s[~yes][None])
    return (gap.mean() + 1) / 2
# %% tpr
def tpr(scores, linked):
    s, yes = torch.as_tensor(scores, dtype=torch.float64), torch.as_tensor(linked)
    best = torch.tensor(0.0)
    for bar in [*s.unique(), torch.tensor(math.inf)]:
        accused = s >= bar
        if int(accused[~yes].sum()) * 100 <= int((~yes).sum()):
            best = torch.maximum(best, accused[yes].double().mean())
    return best
# %% non_edges
def non_edges(edges, n, count, generator):
    free = torch.ones(n, n).triu(1)
    for u, v in edges:
        free[u, v] = 0
    at = torch.multinomial(free.flatten(), count, replacement=True, generator=generator)
    return torch.stack([at // n, at % n], 1)
# %% found
U, V = torch.tensor(pairs).t()
answers = torch.softmax(service(x), dim=1)
found = {"similar features": auc(torch.cosine_similarity(x[U], x[V]), linked),
         "similar answers": auc(torch.nn.functional.cosine_similarity(answers[U], answers[V]), linked)}
# %% influence
step = 0.01
shifted = []
for v in range(n):
    scale = torch.ones(n, 1, dtype=torch.float64)
    scale[v] += step
    shifted.append((service(scale * x) - service(x)).norm(dim=1) / step)
influence = torch.stack(shifted)[V, U]
# %% gain
def gain(attack, reference):
    result = stats.ttest_rel(attack, reference).confidence_interval(0.95)
    if math.isnan(result.low):
        return [attack[0] - reference[0]] * 2
    return [result.low, result.high]
