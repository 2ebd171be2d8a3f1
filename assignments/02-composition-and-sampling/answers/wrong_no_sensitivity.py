# at most 5: sensitivity 1 for all sums, 2 for all samples, outcomes that are left out, delta at epsilon 0
# says: The sensitivity is forgotten
# says: Both have a sensitivity of 2
# says: An outcome that one neighbour cannot give was left out
# says: Within a ward only its largest release counts
# says: here the sum is amplified
# says: without the factor e to the epsilon
# %% total
def total(releases):
    shared = sum(e for e, who in releases if who == "all")
    return shared + max([e for e, who in releases if who != "all"], default=0)
# %% renyi
def renyi(p, q, order):
    def one_way(p, q):
        return math.log(sum(a**order * b ** (1 - order) for a, b in zip(p, q) if a > 0 and b > 0)) / (order - 1)
    return max(one_way(p, q), one_way(q, p))
# %% gauss
def gauss(sums, delta):
    c = sum(1 / (2 * sigma**2) for _, sigma in sums)
    return c + 2 * math.sqrt(c * math.log(1 / delta))
# %% sampled
def sampled(scale, rate):
    return [math.log(1 + rate * (math.exp(2 / scale) - 1))] * 2
# %% year
everything = math.log(1 + rate * (math.exp(questions * epsilon_0) - 1))
year = {"fresh": everything, "one": everything}
# %% exact
def exact(epsilon_0, count, epsilon):
    keep = math.exp(epsilon_0) / (1 + math.exp(epsilon_0))
    found = 0
    for true in range(count + 1):
        p = math.comb(count, true) * keep**true * (1 - keep) ** (count - true)
        q = math.comb(count, true) * keep ** (count - true) * (1 - keep) ** true
        found += max(0, p - q)
    return found
