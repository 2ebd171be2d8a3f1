# full marks: no singular values: the polar factor of a matrix, by a square root
# %% align
def polar(matrix):
    """matrix (matrix' matrix)^(-1/2), the nearest orthogonal matrix"""
    values, axes = torch.linalg.eigh((matrix.T @ matrix).double())
    return matrix.double() @ axes @ torch.diag(values.rsqrt()) @ axes.T

def align(x, y, weights):
    total = torch.zeros(x.shape[1], x.shape[1], dtype=torch.float64)
    for a, b, w in zip(x.double(), y.double(), weights.double()):
        total += w * torch.outer(a, b)
    return polar(total)
# %% answers
def answers(uploads):
    uploads = uploads.double()
    k = len(uploads)
    out = []
    for i in range(k):
        total = uploads[i].clone()
        for j in range(k):
            if j != i:
                total += uploads[j] @ polar(uploads[j].T @ uploads[i])
        out.append(total / k)
    return torch.stack(out)
# %% precision
def precision(x, y, anchors):
    turned_x = x.double() @ polar(x[:anchors].T @ y[:anchors])
    hits = 0
    for i in range(anchors, len(x)):
        ways = [math.dist(turned_x[i].tolist(), row) for row in y.tolist()]
        hits += ways.index(min(ways)) == i
    return hits / (len(x) - anchors)
# %% others
def others(answer, own, clients):
    return [[clients * a - b for a, b in zip(*rows)] for rows in zip(answer.tolist(), own.tolist())]
# %% gram
theirs = [[2 * a - b for a, b in zip(*rows)] for rows in zip(answer.tolist(), mine.tolist())]
gram = [[sum(a * b for a, b in zip(one, other)) for other in theirs] for one in theirs]
# %% alike
def alike(gram, links, count):
    left = {}
    for j in range(len(gram)):
        for i in range(j):
            if [i, j] not in [list(pair) for pair in links] and [j, i] not in [list(pair) for pair in links]:
                left[i, j] = float(gram[i][j]) / math.sqrt(float(gram[i][i]) * float(gram[j][j]))
    return sorted(left, key=left.get, reverse=True)[:count]
