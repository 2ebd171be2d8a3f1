# at most 3: everything is added up, each thing by itself
# says: as if every patient lay in every ward
# says: Each sum was converted by itself
# says: not divided by the order minus 1
# says: accounted as if it were a Poisson sample
# says: accounted like fresh ones
# says: deltas were added
# %% total
def total(releases):
    return sum(epsilon for epsilon, who in releases)
# %% renyi
def renyi(p, q, order):
    if any((a > 0) != (b > 0) for a, b in zip(p, q)):
        return math.inf
    def one_way(p, q):
        return math.log(sum(a**order * b ** (1 - order) for a, b in zip(p, q) if a > 0))
    return max(one_way(p, q), one_way(q, p))
# %% gauss
def gauss(sums, delta):
    total_epsilon = 0
    for change, sigma in sums:
        c = change**2 / (2 * sigma**2)
        total_epsilon += c + 2 * math.sqrt(c * math.log(1 / delta))
    return total_epsilon
# %% sampled
def sampled(scale, rate):
    epsilon = math.log(1 + rate * (math.exp(1 / scale) - 1))
    return [epsilon, epsilon]
# %% year
once = math.log(1 + rate * (math.exp(epsilon_0) - 1))
year = {"fresh": questions * once, "one": questions * once}
# %% exact
def exact(epsilon_0, count, epsilon):
    keep = math.exp(epsilon_0) / (1 + math.exp(epsilon_0))
    return count * max(0, keep - math.exp(epsilon / count) * (1 - keep))
