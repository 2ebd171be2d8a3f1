# full marks: tensors, and the library's audit
# %% worst
from privgraph.audit import delta_curve, worst_case

class Table:
    def __init__(self, table):
        self.table = table
    def distribution(self, x):
        return self.table[x]

def relation(pairs):
    return lambda x: [b for a, b in pairs if a == x] + [a for a, b in pairs if b == x]

def worst(table, pairs):
    return worst_case(Table(table), table, relation(pairs)).epsilon
# %% law
def law(count):
    z = torch.arange(-300, 301)
    p = torch.exp(-epsilon * z.abs().double())
    chances = torch.zeros(high - low + 1, dtype=torch.float64)
    for noisy, weight in zip((count + z).tolist(), p):
        told = rule(count, noisy)
        if told is not None:
            chances[told - low] += weight
    return dict(zip(range(low, high + 1), (chances / chances.sum()).tolist()))
# %% witnesses
rows = torch.tensor([list(law(count).values()) for count in range(low, high + 1)], dtype=torch.float64)
size = high - low + 1
losses = torch.full((size, size, size), -math.inf, dtype=torch.float64)
for i in range(size):
    for j in (i - 1, i + 1):
        if 0 <= j < size:
            losses[i, j] = torch.where(rows[i] > 0, rows[i].log() - rows[j].log(), -math.inf)
top = losses.max()
places = ((losses == top) | (losses >= top - 1e-9)).nonzero()
witnesses = set(map(tuple, (places + low).tolist()))
# %% smallest_delta
def smallest_delta(table, pairs, epsilon):
    return delta_curve(Table(table), table, [epsilon], relation(pairs))[0]
# %% found
mine = {count: law(count) for count in range(low, high + 1)}
next_to = [(count, count + 1) for count in range(low, high)]
found = {"epsilon": worst(mine, next_to), "delta": smallest_delta(mine, next_to, epsilon)}
# %% clamped
def clamped(count, low, high, epsilon):
    def at_most(z):                     # the noise's distribution function
        r = math.exp(-epsilon)
        return r ** -z / (1 + r) if z < 0 else 1 - r ** (z + 1) / (1 + r)
    upto = [0.0] + [at_most(told - count) for told in range(low, high)] + [1.0]
    return {low + i: upto[i + 1] - upto[i] for i in range(high - low + 1)}
