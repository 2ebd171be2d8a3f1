"""Small worlds in which an attack must find something, and the same worlds in which there is nothing to find.

A world is called as ``world(informed, generator)`` and gives what the attacker gets, by the names of her arguments,
and the truth, bool [n]. Where she is not ``informed``, what she gets was drawn without a look at the truth. Neither the
order of what is asked nor the numbers of the nodes tell anything of it. A world says in its ``layout`` which of the
arguments hold questions and nodes, so that the same can be asked in another way.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor

from ..late import pyg
from ..nn import Backbone
from ..randomness import draw_seed, seeded, torch_seeded

N, KINDS, ASKED = 80, 4, 200  # nodes, communities, and pairs of each kind that are asked for
World = Callable[[bool, torch.Generator], tuple[dict, Tensor]]


def tried_on(world: World, symmetric: bool = True) -> Callable:
    """Say of an attack in which world ``check_attack`` tries it, and whether (u, v) and (v, u) have one score."""
    def mark(attack):
        attack.world, attack.symmetric = world, symmetric
        return attack
    return mark


@dataclass(frozen=True)
class Layout:
    """Where the questions and the nodes are among a world's arguments.

    :param asked: argument -> the dimension along which the questions lie, or what picks questions [k] of its value.
    :param numbers: argument -> the row of it that holds numbers of nodes; None: all do.
    :param nodes: argument -> the dimension along which the nodes lie.
    :param together: whether the attacker needs all questions at once, as what is known of one tells of the others.
    """

    asked: Mapping[str, int | Callable[[Tensor, Tensor], Tensor]]
    numbers: Mapping[str, int | None] = field(default_factory=dict)
    nodes: Mapping[str, int] = field(default_factory=dict)
    together: bool = False

    def ask(self, known: dict, which: Tensor) -> dict:
        """The same world, asked these questions: numbers of its own, int64 [k]."""
        return known | {name: part(known[name], which) if callable(part) else known[name].index_select(part, which)
                        for name, part in self.asked.items()}

    def count_nodes(self, known: dict) -> int:
        """How many nodes can have other numbers; 0 where nothing is said of them."""
        sizes = [known[name].size(where) for name, where in self.nodes.items()]
        return max(sizes, default=known.get("num_nodes", 0)) if self.numbers else 0

    def renumber(self, known: dict, order: Tensor) -> dict:
        """The same world, where the node of number ``order[i]`` has the number i."""
        found, new = dict(known), order.argsort()
        for name, row in self.numbers.items():
            value = known[name].clone()
            value[... if row is None else row] = new[value[... if row is None else row]]
            found[name] = value
        return found | {name: known[name].index_select(where, order) for name, where in self.nodes.items()}


def laid_out(layout: Layout) -> Callable[[World], World]:
    def mark(world: World) -> World:
        world.layout = layout
        return world
    return mark


def of_pairs(*numbers: str, **nodes: int) -> Layout:
    """The questions are pairs."""
    return Layout({"pairs": 1}, {"pairs": None} | dict.fromkeys(numbers), nodes)


def stand_ins(value: Tensor, which: Tensor) -> Tensor:
    """The columns [2, K] of these canaries, the first row renumbered in their order."""
    places = [(value[0] == canary).nonzero()[:, 0] for canary in which.tolist()]
    canary = torch.arange(len(which)).repeat_interleave(torch.tensor([len(place) for place in places]))
    return torch.stack([canary, value[1, torch.cat(places)]])


def mixed_up(truth: Tensor, generator: torch.Generator) -> Tensor:
    return truth[torch.randperm(len(truth), generator=generator)]


def communities(generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """(community of each node [N], pairs [2, 2 * ASKED], truth): linked pairs lie inside a community, others do not."""
    group = mixed_up(torch.arange(N) % KINDS, generator)
    return group, *drawn(group, torch.combinations(torch.arange(N)).t(), generator)


def drawn(group: Tensor, among: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """``ASKED`` of these pairs inside a community and as many that are not, in any order, and which is which."""
    inside = group[among[0]] == group[among[1]]
    parts = [part[:, torch.randperm(part.size(1), generator=generator)[:ASKED]]
             for part in (among[:, inside], among[:, ~inside])]
    order = torch.randperm(2 * ASKED, generator=generator)
    return torch.cat(parts, 1)[:, order], order < ASKED


def rows(name: str) -> World:
    """Rows of positive numbers that sum to 1, alike within a community: answers of a model, or features."""
    @laid_out(of_pairs(**{name: 0}))
    def world(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
        group, pairs, truth = communities(generator)
        clue = group if informed else group[torch.randperm(N, generator=generator)]
        known = (2 * F.one_hot(clue, KINDS) + 0.5 * torch.randn(N, KINDS, generator=generator)).softmax(1)
        return {name: known, "pairs": pairs}, truth
    return world


@laid_out(of_pairs(degree=0))
def degrees(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Degrees, and pairs of which those of the larger product are linked."""
    degree = torch.randint(1, 30, (N,), generator=generator)
    pairs = torch.combinations(torch.arange(N)).t()
    pairs = pairs[:, torch.randperm(pairs.size(1), generator=generator)[:2 * ASKED]]
    product = degree[pairs[0]] * degree[pairs[1]]
    truth = product > product.median()
    clue = degree if informed else degree[torch.randperm(N, generator=generator)]
    return {"degree": clue.float(), "pairs": pairs}, truth


@laid_out(of_pairs("edge_index", x=0))
def network(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """A GCN behind an interface: on the graph that is asked about, or on one with other edges."""
    edges = torch.combinations(torch.arange(N)).t()
    edges = edges[:, torch.randperm(edges.size(1), generator=generator)]
    linked, others, elsewhere = edges.split([ASKED // 2, ASKED // 2, edges.size(1) - ASKED], 1)
    behind = linked if informed else elsewhere[:, :ASKED // 2]
    known = dict(model=Backbone("gcn", 6, 3, generator=seeded(draw_seed(generator))),
                 x=torch.randn(N, 6, generator=generator), edge_index=torch.cat([behind, behind.flip(0)], 1))
    order = torch.randperm(ASKED, generator=generator)
    return known | {"pairs": torch.cat([linked, others], 1)[:, order]}, order < ASKED // 2


@laid_out(of_pairs("edge_index", x=0))
def deep_network(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """The same, with a network of three layers that is PyG's own, in double precision."""
    known, truth = network(informed, generator)
    with torch_seeded(generator):
        model = pyg.nn.GCN(6, 8, num_layers=3, out_channels=3).double()
    return known | {"model": model, "x": known["x"].double()}, truth


def answers(member: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """(posteriors [n, 3], true classes [n]): surer of the true class where ``member`` says so."""
    y = torch.randint(3, member.shape, generator=generator)
    sure = (1 + 3 * member.float())[:, None] * F.one_hot(y, 3)
    return (sure + torch.randn(len(y), 3, generator=generator)).softmax(1), y


@laid_out(Layout({"posteriors": 0, "y": 0}))
def one_model(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """A model that is surer of those on whom it was trained, or of others."""
    truth = mixed_up(torch.arange(2 * ASKED) < ASKED, generator)
    posteriors, y = answers(truth if informed else truth[torch.randperm(2 * ASKED, generator=generator)], generator)
    return {"posteriors": posteriors, "y": y}, truth


@laid_out(Layout({"target": 0}))
def one_shadow(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """The same, and a shadow model of whom the attacker knows the members."""
    known, truth = one_model(informed, generator)
    member = torch.arange(2 * ASKED) % 2 == 0
    shadow = answers(member, generator)[0]
    return {"shadow": shadow, "member": member, "target": known["posteriors"], "generator": generator}, truth


@laid_out(Layout({"target": 0, "shadows": 1, "member": 1}, together=True))
def many_shadows(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Confidences that are higher with a node than without it, by a level of its own."""
    truth = torch.rand(2 * ASKED, generator=generator) < 0.5
    level = 5 * torch.randn(2 * ASKED, generator=generator)
    member = torch.stack([torch.randperm(8, generator=generator) < 4 for _ in range(2 * ASKED)], 1)
    clue = truth if informed else truth[torch.randperm(2 * ASKED, generator=generator)]
    both = torch.cat([clue[None], member]).float()
    found = level + 2 * both + torch.randn(both.shape, generator=generator)
    return {"target": found[0], "shadows": found[1:], "member": member}, truth


def halves(informed: bool, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What the attacker is told of communities [N], other pairs than those asked about, these, and the truth on them.

    Not informed, she is told of communities that were drawn without a look at the truth.
    """
    group, pairs = mixed_up(torch.arange(N) % KINDS, generator), torch.combinations(torch.arange(N)).t()
    first = torch.rand(pairs.size(1), generator=generator) < 0.5
    clue = group if informed else group[torch.randperm(N, generator=generator)]
    return clue, pairs[:, ~first], *drawn(group, pairs[:, first], generator)


def vectors(clue: Tensor, generator: torch.Generator, width: int = 4) -> Tensor:
    """A vector for each node, alike within a community: random directions, and noise."""
    return torch.randn(KINDS, width, generator=generator)[clue] + 0.5 * torch.randn(N, width, generator=generator)


@laid_out(of_pairs("known", z=0))
def known_links(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Published vectors, and the answers for other pairs than those that are asked about."""
    clue, others, pairs, truth = halves(informed, generator)
    known, linked = drawn(clue, others, generator)
    return {"z": vectors(clue, generator), "pairs": pairs, "known": known, "linked": linked,
            "generator": generator}, truth


@laid_out(of_pairs(z=0))
def own_graph(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Published vectors, and others of a graph of the attacker's own, all of whose links she knows."""
    clue, others, pairs, truth = halves(informed, generator)
    own, linked = drawn(clue, others, generator)
    return {"z": vectors(clue, generator), "pairs": pairs, "shadow_z": vectors(clue, generator), "shadow_pairs": own,
            "shadow_linked": linked, "generator": generator}, truth


ANSWERS = ("posteriors", "reference", "x", "shadow_posteriors", "shadow_reference", "shadow_x")


def stealing(*given: str) -> World:
    """A network's answers, alike within a community, and what else is ``given`` of what a link stealer may have.

    Neither features nor a reference model know the communities. The attacker's own graph has the same nodes.
    """
    own = {"posteriors", "reference", "x"} & {*given}

    @laid_out(of_pairs(*{"known"} & {*given}, **dict.fromkeys(sorted(own), 0)))
    def world(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
        clue, others, pairs, truth = halves(informed, generator)
        (known, linked), (shadow_pairs, shadow_linked) = drawn(clue, others, generator), drawn(clue, others, generator)
        public = [mixed_up(clue, generator) for _ in range(4)]
        kinds = dict(zip(ANSWERS, [clue, *public[:2], clue, *public[2:]], strict=True))
        rows = {name: answers_alike(kind, generator) for name, kind in kinds.items()}
        every = rows | {"pairs": pairs, "known": known, "linked": linked, "shadow_pairs": shadow_pairs,
                        "shadow_linked": shadow_linked, "generator": generator}
        return {name: every[name] for name in given}, truth
    return world


def answers_alike(kind: Tensor, generator: torch.Generator) -> Tensor:
    """Rows of probabilities [N, KINDS], alike within a kind."""
    return (2 * F.one_hot(kind, KINDS) + 0.5 * torch.randn(len(kind), KINDS, generator=generator)).softmax(1)


@laid_out(Layout({"scores": 1}))
def several_scores(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Three attackers' scores, each on a scale of its own, and those of pairs at random."""
    truth = mixed_up(torch.arange(2 * ASKED) < ASKED, generator)
    clue = truth if informed else mixed_up(truth, generator)
    scale, start = torch.tensor([[0.01], [1.0], [300.0]]), torch.tensor([[5.0], [0.0], [-80.0]])
    usual, shift = torch.randn(3, 1000, generator=generator), torch.randn(3, 2 * ASKED, generator=generator)
    return {"scores": start + scale * (shift + clue.float()), "usual": start + scale * usual}, truth


@laid_out(of_pairs("edge_index"))
def published_graph(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """A graph of pairs inside communities, without those that are asked about."""
    clue, others, pairs, truth = halves(informed, generator)
    known, inside = drawn(clue, others, generator)
    links = known[:, inside]
    return {"edge_index": torch.cat([links, links.flip(0)], 1), "num_nodes": N, "pairs": pairs}, truth


@laid_out(of_pairs(uploads=1, others=2))
def another_client(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Two rounds of uploads, alike within a community of this client's; of two others, each with its own."""
    group, pairs, truth = communities(generator)
    clue = group if informed else group[torch.randperm(N, generator=generator)]
    everybody = [clue, *(group[torch.randperm(N, generator=generator)] for _ in range(2))]
    uploads = torch.stack([torch.stack([vectors(each, generator) for _ in range(2)]) for each in everybody])
    return {"uploads": uploads[0], "others": uploads[1:], "pairs": pairs}, truth


@laid_out(Layout({"uploads": 1, "answers": 1}))
def edges_and_none(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Two rounds in which rows move: further where a node has edges, or where others have."""
    truth = torch.rand(2 * ASKED, generator=generator) < 0.3
    clue = truth if informed else truth[torch.randperm(2 * ASKED, generator=generator)]
    moves = torch.randn(2, 2 * ASKED, 4, generator=generator) * (1 - 0.5 * clue.float())[:, None]
    answers = torch.randn(1, 2 * ASKED, 4, generator=generator)
    return {"uploads": moves + torch.cat([torch.zeros_like(answers), answers]), "answers": answers}, truth


@laid_out(Layout({"nodes": 0, "classes": 0}, {"nodes": None}, {"uploads": 0, "y": 0}))
def attributes(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Rows alike where private neighbours are of one class, to which most public nodes belong themselves."""
    kind = mixed_up(torch.arange(N) % KINDS, generator)
    clue = kind if informed else kind[torch.randperm(N, generator=generator)]
    y = torch.where(torch.rand(N, generator=generator) < 0.8, clue,
                    torch.randint(KINDS, (N,), generator=generator))
    order = torch.randperm(2 * N, generator=generator)
    nodes, classes = torch.arange(N).repeat(2)[order], torch.cat([kind, (kind + 1) % KINDS])[order]
    return {"uploads": vectors(clue, generator), "y": y, "nodes": nodes, "classes": classes}, kind[nodes] == classes


@laid_out(of_pairs(answer=0, own=0))
def fellow_client(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """The mean of one's own rows and of another's, which are alike within a community."""
    group, pairs, truth = communities(generator)
    clue = group if informed else group[torch.randperm(N, generator=generator)]
    own = torch.randn(N, 4, generator=generator)
    return {"answer": (own + vectors(clue, generator)) / 2, "own": own, "pairs": pairs}, truth


@laid_out(Layout({"left": stand_ins, "right": stand_ins}, {"left": 1, "right": 1}, {"uploads": 1}))
def bridges(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Two rows for either end of each pair, which are alike where the pair lies in a community."""
    group, pairs, truth = communities(generator)
    clue = group if informed else group[torch.randperm(N, generator=generator)]
    canary = torch.arange(pairs.size(1)).repeat(2)
    left, right = (torch.stack([canary, torch.cat([end, (end + KINDS) % N])]) for end in pairs)
    return {"uploads": torch.stack([vectors(clue, generator) for _ in range(2)]), "left": left, "right": right}, truth


@laid_out(Layout({"z": 0, "y": 0}, together=True))
def support_sets(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Vectors of ten graphs of each of many classes, and the mean of two of each: those that are asked, or others."""
    y = torch.arange(2 * ASKED) // 10
    z = torch.randn(len(y) // 10, 4, generator=generator)[y] + torch.randn(len(y), 4, generator=generator)
    truth, other = (torch.rand(len(y) // 10, 10, generator=generator).argsort(1).flatten() < 2 for _ in range(2))
    clue, order = truth if informed else other, torch.randperm(len(y), generator=generator)
    return {"published": z[clue].view(-1, 2, 4).mean(1), "z": z[order], "y": y[order]}, truth[order]


def some_clients(informed: bool, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Which of many clients lie, bool [k], three in ten; and whom it looks like."""
    truth = torch.rand(2 * ASKED, generator=generator) < 0.3
    return truth, truth if informed else mixed_up(truth, generator)


def turned(shared: Tensor, own: float, generator: torch.Generator) -> Tensor:
    """What clients [k, P, d] make of rows that they share, each in a space of its own."""
    turn = torch.linalg.qr(torch.randn(len(shared), *shared.shape[-1:] * 2, generator=generator))[0]
    return (shared + own * torch.randn(shared.shape, generator=generator)) @ turn


@laid_out(Layout({"uploads": 0}, together=True))
def liars(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Uploads of which most have something in common, in spaces of their own, and some nothing."""
    truth, clue = some_clients(informed, generator)
    shared, false = torch.randn(8, 3, generator=generator), torch.randn(len(truth), 8, 3, generator=generator)
    return {"uploads": turned(torch.where(clue[:, None, None], false, shared), 0.5, generator)}, truth


@laid_out(Layout({"uploads": 0}, together=True))
def sybils(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Uploads in spaces of their own, of which some are one of twenty."""
    truth, clue = some_clients(informed, generator)
    rows = torch.randn(len(truth), 8, 3, generator=generator)
    master = torch.where(clue, torch.arange(len(truth)) % 20, torch.arange(len(truth)))
    return {"uploads": turned(rows[master], 0.0, generator)}, truth


@laid_out(Layout({"uploads": 0, "answers": 0}))
def followers(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Uploads of two rounds, and answers from which some hardly move."""
    truth, clue = some_clients(informed, generator)
    first, answers = torch.randn(2, len(truth), 8, 3, generator=generator)
    moves = torch.where(clue, 0.3, 1.0)[:, None, None] * torch.randn(answers.shape, generator=generator)
    return {"uploads": torch.stack([first, answers + moves], 1), "answers": torch.stack([answers] * 2, 1)}, truth


@laid_out(Layout({"uploads": 0}, together=True))
def loud_clients(informed: bool, generator: torch.Generator) -> tuple[dict, Tensor]:
    """Uploads of which some are longer or shorter."""
    truth, clue = some_clients(informed, generator)
    loud = torch.where(torch.arange(len(truth)) % 2 == 0, 1.5, 0.6)
    return {"uploads": torch.where(clue, loud, 1.0)[:, None, None] * torch.randn(len(truth), 8, 3, generator=generator)
            }, truth
