# at most 2: the best matrix instead of the best turn, and one answer for all
# says: It may stretch
# says: in the space of *client 0*
# says: on them
# says: These are cosines
# says: Ranked by the distance
# %% align
def align(x, y, weights):
    a = x.T @ (weights[:, None] * x)
    return torch.linalg.solve(a, x.T @ (weights[:, None] * y))
# %% answers
def answers(uploads):
    turned_rows = []
    for x in uploads:
        u, _, vt = torch.linalg.svd(x.T @ uploads[0])
        turned_rows.append(x @ u @ vt)
    return torch.stack([torch.stack(turned_rows).mean(0)] * len(uploads))
# %% precision
def precision(x, y, anchors):
    u, _, vt = torch.linalg.svd(x.T @ y)
    nearest = torch.cdist(x @ u @ vt, y).argmin(1)
    return float((nearest == torch.arange(len(x))).double().mean())
# %% others
def others(answer, own, clients):
    return answer * clients - own
# %% gram
b = others(answer, mine, 2)
b = b / b.norm(dim=1, keepdim=True)
gram = b @ b.T
# %% alike
def alike(gram, links, count):
    known = {frozenset(pair) for pair in links}
    def apart(pair):
        i, j = pair
        return float(gram[i, i] + gram[j, j] - 2 * gram[i, j])
    pairs = [(i, j) for j in range(len(gram)) for i in range(j) if frozenset((i, j)) not in known]
    return sorted(pairs, key=apart)[:count]
