# at most 3: the largest release alone, and a rate that multiplies epsilon
# says: Only the largest release counts
# says: Only the costliest sum counts
# says: multiplied by the rate
# says: for one sample far less
# says: limit of very large orders
# says: as if it were certain
# %% total
def total(releases):
    return max([epsilon for epsilon, who in releases], default=0)
# %% renyi
def renyi(p, q, order):
    losses = []
    for a, b in zip(p, q):
        if a > 0 and b > 0:
            losses.append(abs(math.log(a / b)))
        elif a + b > 0:
            return math.inf
    return max(losses)
# %% gauss
def gauss(sums, delta):
    c = max(change**2 / (2 * sigma**2) for change, sigma in sums)
    return c + 2 * math.sqrt(c * math.log(1 / delta))
# %% sampled
def sampled(scale, rate):
    return [rate * 1 / scale, rate * 2 / scale]
# %% year
year = {"fresh": questions * rate * epsilon_0, "one": rate * questions * epsilon_0}
# %% exact
def exact(epsilon_0, count, epsilon):
    return max(0, 1 - math.exp(epsilon - count * epsilon_0))
