# at most 4: no mirrors, and what helped to find the turn is counted
# says: *without a mirror*
# says: The anchors are counted, too
# says: This is the sum
# says: products of your *own* rows
# says: either way round
# %% align
def align(x, y, weights):
    u, s, vt = torch.linalg.svd(x.T @ torch.diag(weights) @ y)
    flip = torch.ones_like(s)
    flip[-1] = torch.sign(torch.det(u @ vt))
    return u @ torch.diag(flip) @ vt
# %% answers
def answers(uploads):
    def turn(x, y):
        u, _, vt = torch.linalg.svd(x.T @ y)
        return u @ vt
    return torch.stack([sum(x @ turn(x, own) for x in uploads) for own in uploads])
# %% precision
def precision(x, y, anchors):
    u, _, vt = torch.linalg.svd(x[:anchors].T @ y[:anchors])
    hits = torch.cdist(x @ u @ vt, y).argmin(1) == torch.arange(len(x))
    return float(hits.double().mean())
# %% others
def others(answer, own, clients):
    return clients * answer - own
# %% gram
gram = mine @ mine.T
# %% alike
def alike(gram, links, count):
    size = gram.diagonal().sqrt()
    pairs = [[i, j] for i in range(len(gram)) for j in range(i + 1, len(gram)) if [i, j] not in links]
    return sorted(pairs, key=lambda p: -float(gram[p[0], p[1]] / size[p[0]] / size[p[1]]))[:count]
