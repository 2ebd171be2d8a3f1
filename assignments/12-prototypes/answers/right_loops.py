# full marks: plain Python, loops over nodes, sets and coordinates
# %% numbers
def numbers(n, edges):
    pairs = {frozenset(edge) for edge in edges}
    triangles = sum(all(frozenset(side) in pairs for side in combinations(corner, 2))
                    for corner in combinations(range(n), 3))
    return (n, len(pairs), triangles, max(sum(v in pair for pair in pairs) for v in range(n)))
# %% classify
def classify(z, y, queries, ways):
    means = []
    for c in range(ways):
        rows = [row for row, label in zip(z.tolist(), y.tolist()) if label == c]
        means.append([sum(column) / len(rows) for column in zip(*rows)])
    return [min(range(ways), key=lambda c: math.dist(query, means[c])) for query in queries.tolist()]
# %% fits
fits = []
for vector in one_shot.tolist():
    found = set()
    for i, graph in enumerate(pool):
        if max(abs(a - b) for a, b in zip(encode(graph).tolist(), vector)) < 1e-6:
            found.add(i)
    fits.append(found)
# %% recover
def recover(prototype, pool, shots):
    rows, wanted, found = pool.tolist(), prototype.tolist(), set()
    for chosen in combinations(range(len(rows)), shots):
        means = [sum(rows[i][c] for i in chosen) / shots for c in range(len(wanted))]
        if all(abs(mean - goal) < 1e-4 for mean, goal in zip(means, wanted)):
            found.add(chosen)
    return found
# %% largest_move
def shorten(row, clip):
    length = math.sqrt(sum(x * x for x in row))
    return row if length <= clip else [x * clip / length for x in row]

def largest_move(z, others, clip):
    return max(math.dist(shorten(a, clip), shorten(b, clip)) for a in z.tolist() for b in others.tolist()) / len(z)
# %% noisy
def noisy(z, clip, epsilon, delta, generator):
    rows = [shorten(row, clip) for row in z.tolist()]
    mean = torch.tensor([sum(column) / len(rows) for column in zip(*rows)])
    return torch.normal(mean, noise_for(2 * clip / len(rows), epsilon, delta), generator=generator)
