# at most 2: vectors are compared as they came, weights are left out, lengths count
# says: The weights are not used
# says: averaged as they came
# says: without turning `x`
# says: The answer is a *mean*
# says: taken away from the mean, not from the sum
# says: Ranked by the inner product
# %% align
def align(x, y, weights):
    u, _, vt = torch.linalg.svd(x.T @ y)
    return u @ vt
# %% answers
def answers(uploads):
    return torch.stack([uploads.mean(0)] * len(uploads))
# %% precision
def precision(x, y, anchors):
    nearest = torch.cdist(x[anchors:], y).argmin(1)
    return float((nearest == torch.arange(anchors, len(x))).double().mean())
# %% others
def others(answer, own, clients):
    return answer - own
# %% gram
gram = others(answer, mine, 2) @ others(answer, mine, 2).T
# %% alike
def alike(gram, links, count):
    known = {tuple(sorted(pair)) for pair in links}
    found = [(i, j) for j in range(len(gram)) for i in range(j) if (i, j) not in known]
    return sorted(found, key=lambda p: -float(gram[p[0], p[1]]))[:count]
