# at most 2: the turn is transposed, and the own rows are left out of the mean
# says: is the transpose
# says: A client's own rows are not in its answer
# says: This is the *mean* of the others
# says: products of the *answer's* rows
# says: linked in public are among them
# %% align
def align(x, y, weights):
    u, _, vt = torch.linalg.svd(y.T @ (weights[:, None] * x))
    return u @ vt
# %% answers
def answers(uploads):
    found = []
    for i, own in enumerate(uploads):
        rest = []
        for j, x in enumerate(uploads):
            if i != j:
                u, _, vt = torch.linalg.svd(x.T @ own)
                rest.append(x @ u @ vt)
        found.append(sum(rest) / len(rest))
    return torch.stack(found)
# %% precision
def precision(x, y, anchors):
    w = align(x, y, torch.ones(len(x)))
    return float((torch.cdist(x @ w, y).argmin(1) == torch.arange(len(x))).double().mean())
# %% others
def others(answer, own, clients):
    return (clients * answer - own) / max(1, clients - 1)
# %% gram
gram = answer @ answer.T
# %% alike
def alike(gram, links, count):
    length = gram.diagonal().sqrt()
    cosine = gram / length / length[:, None]
    pairs = [(i, j) for j in range(len(gram)) for i in range(j)]
    return sorted(pairs, key=lambda p: -float(cosine[p]))[:count]
