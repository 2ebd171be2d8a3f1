# full marks: NumPy, and products by way of distances
# %% align
def align(x, y, weights):
    root = np.sqrt(np.asarray(weights, dtype=float))[:, None]
    u, _, vt = np.linalg.svd((root * np.asarray(y)).T @ (root * np.asarray(x)))
    return torch.tensor((u @ vt).T)
# %% answers
def answers(uploads):
    ones = np.ones(uploads.shape[1])
    everyone = uploads.numpy().astype(float)
    return np.array([np.mean([x @ np.asarray(align(x, own, ones)) for x in everyone], axis=0) for own in everyone])
# %% precision
def precision(x, y, anchors):
    x, y = x.numpy().astype(float), y.numpy().astype(float)
    rest = x[anchors:] @ np.asarray(align(x[:anchors], y[:anchors], np.ones(anchors)))
    away = (rest**2).sum(1)[:, None] - 2 * rest @ y.T + (y**2).sum(1)
    return (away.argmin(1) == np.arange(anchors, len(x))).mean()
# %% others
def others(answer, own, clients):
    return (answer - own / clients) * clients
# %% gram
b = (2 * answer - mine).numpy()
length = (b**2).sum(1)
apart = ((b[:, None] - b)**2).sum(2)
gram = (length[:, None] + length - apart) / 2
# %% alike
def alike(gram, links, count):
    gram = np.asarray(gram, dtype=float).copy()
    size = np.sqrt(np.diag(gram))
    gram = gram / np.outer(size, size)
    gram[np.tril_indices(len(gram))] = -2
    for i, j in links:
        gram[min(i, j), max(i, j)] = -2
    order = np.argsort(gram, axis=None)[::-1][:count]
    return np.stack(np.unravel_index(order, gram.shape), axis=1)
