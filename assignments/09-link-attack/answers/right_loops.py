# full marks: ranks instead of matches, sorting, rejection, one person's features taken away
# %% auc
def auc(scores, linked):
    ordered = sorted(scores)
    below = {s: ordered.index(s) for s in set(scores)}
    rank = {s: below[s] + (ordered.count(s) + 1) / 2 for s in below}  # ties share their ranks
    m = sum(linked)
    total = sum(rank[s] for s, yes in zip(scores, linked) if yes)
    return (total - m * (m + 1) / 2) / (m * (len(scores) - m))
# %% tpr
def tpr(scores, linked):
    others = sorted((s for s, yes in zip(scores, linked) if not yes), reverse=True)
    bar = others[len(others) // 100]
    edges = [s for s, yes in zip(scores, linked) if yes]
    return len([s for s in edges if s > bar]) / len(edges)
# %% non_edges
def non_edges(edges, n, count, generator):
    drawn = []
    while len(drawn) < count:
        u, v = torch.randint(0, n, (2,), generator=generator).tolist()
        if u < v and [u, v] not in edges:
            drawn.append((u, v))
    return drawn
# %% found
def cosine(a, b):
    return sum(p * q for p, q in zip(a, b)) / math.sqrt(sum(p * p for p in a)) / math.sqrt(sum(q * q for q in b))

def posterior(row):
    total = sum(math.exp(z) for z in row)
    return [math.exp(z) / total for z in row]

features = x.tolist()
answers = [posterior(row) for row in service(x).tolist()]
found = {name: auc([cosine(rows[u], rows[v]) for u, v in pairs], linked)
         for name, rows in (("similar features", features), ("similar answers", answers))}
# %% influence
influence = []
for u, v in pairs:
    without = x.clone()
    without[v] = 0
    influence.append(math.dist(service(without)[u].tolist(), service(x)[u].tolist()))
# %% gain
def gain(attack, reference):
    d = [a - b for a, b in zip(attack, reference)]
    mean = sum(d) / len(d)
    s = math.sqrt(sum((each - mean) ** 2 for each in d) / (len(d) - 1))
    t = stats.t(len(d) - 1).ppf(0.975)
    return mean - t * s / len(d) ** 0.5, mean + t * s / len(d) ** 0.5
