"""Everything that leaves is an output: fields, shapes, class counts, ranges, refusals and what they say.

The replay audit over every method and every mechanism. The neighbours are those on whom such a thing could hang: the
only member of a class, the last person with a label, the first edge beyond the limit.
"""

import math
from dataclasses import fields, replace

import pytest
import torch
import torch_geometric.transforms as T
from torch_geometric.data import Data

from privgraph import datasets, methods
from privgraph import mechanisms as M
from privgraph.audit import replay
from privgraph.datasets import Categories, Quantiles
from privgraph.graph import to_undirected
from privgraph.mechanisms import edge_mechanism
from privgraph.methods import LPGNN, PATE, RGNN, GraphPrivatizer, NodeClassifier
from privgraph.privacy import find_guarantee

N = 8
PATH = torch.stack([torch.arange(N - 1), torch.arange(1, N)])
BITS = (torch.arange(N)[:, None] // torch.tensor([1, 2, 4]) % 2).float()  # everybody's number in binary


# 1. Methods whose people report their own features and labels.

def asked(y, x=BITS, **stated) -> Data:
    """Eight people on a path, all of whom are asked for their label."""
    data = datasets.from_edge_list(PATH, x, y, **stated)
    data.train_mask = torch.arange(N) < 5
    data.val_mask = ~data.train_mask
    return data


def everything(release) -> list:
    """A release and all that it says of itself."""
    return [release, release.public, release.guarantees, release.total, release.node]


# Every method that the library has, found by itself.
FOUND = {kind.__name__: kind for kind in methods.all_methods().values()}
LOCAL = {name: (kind.examples()[0], Categories((2, 2, 2))) for name, kind in FOUND.items()
         if issubclass(kind, methods.Local)}
LABELS = {"the only member of the last class": ([0, 1, 0, 1, 0, 1, 0, 2], [0, 1, 0, 1, 0, 1, 0, 1]),
          "the only member of a second class": ([1, 0, 0, 0, 0, 0, 0, 0], [0] * N),
          "the last person with a label": ([-1] * (N - 1) + [1], [-1] * N),
          "one person without a label": ([0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, -1])}


@pytest.mark.bears("for", "lpgnn-total")
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", LOCAL)
def test_no_label_shows_in_anything_but_noise(name, labels):
    (method, prepare), (y, other) = LOCAL[name], LABELS[labels]

    def pipeline(labels, generator):
        return everything(method.collect(prepare(asked(labels, num_classes=3)), generator))
    assert replay(pipeline, y, other) == [] == replay(pipeline, other, y)


@pytest.mark.bears("for", "lpgnn-total")
@pytest.mark.parametrize("name", LOCAL)
def test_no_features_show_in_anything_but_noise(name):
    """The only person with some value of a feature, and the only one with anything at all."""
    method, prepare = LOCAL[name]

    def pipeline(x, generator):
        return everything(method.collect(prepare(asked([0, 1] * 4, x, num_classes=2)), generator))
    for others in (torch.zeros(N - 1, 3), BITS[:-1]):
        x, other = (torch.cat([others, torch.full((1, 3), value)]) for value in (0.0, 1.0))
        assert replay(pipeline, x, other) == [] == replay(pipeline, other, x)


@pytest.mark.parametrize("name", LOCAL)
def test_a_number_of_classes_that_nobody_states_is_refused_alike(name):
    """Eight people on a path, y = 0 1 0 1 0 1 0 2 against ... 1: counted, the releases would say 3 and 2."""
    method, prepare = LOCAL[name]
    with pytest.raises(ValueError, match="state how many classes there can be, with num_classes=7"):
        replay(lambda y, g: method.collect(prepare(asked(y)), g), *LABELS["the only member of the last class"])


@pytest.mark.parametrize("name", LOCAL)
def test_every_field_of_a_release_is_noisy_or_stated_or_public(name):
    """Who adds a field to a release says in its class which of these it is."""
    method, prepare = LOCAL[name]
    release = method.collect(prepare(asked([0, 1] * 4, num_classes=2)), torch.Generator())
    noisy = {"report", "y"}
    reported = {"edge_index", "edge_weight"} - {*release.public}  # GraphPrivatizer's are, LPGNN's have no weights
    said = noisy | {*release.ARGUMENTS} | reported | {*release.public, "unaccounted", "randomness"}
    assert {field.name for field in fields(release)} == said
    assert not noisy & {*release.public} and all(hasattr(method, argument) or argument == "structure"
                                                 for argument in release.ARGUMENTS)
    assert name not in ("LPGNN", "RGNN", "GraphPrivatizer") or (
        "edge_index" in release.public) == (name != "GraphPrivatizer")


@pytest.mark.parametrize("settings, public", [
    (dict(epsilon_x=math.inf), {"report"}), (dict(epsilon_y=math.inf), {"y"}),
    (dict(structure=M.SymmetricResponse(math.inf)), {"edge_index"}),
    (dict(structure=M.ExponentialReplacement(1.0)), set()),
    (dict(structure=M.NeighbourReplacement(1.0)), {"edge_index"})])  # replaced, but with no finite epsilon
def test_what_no_finite_epsilon_holds_for_is_public(settings, public):
    release = GraphPrivatizer(**dict(structure=M.SymmetricResponse(1.0)) | settings).collect(
        asked([0, 1] * 4, num_classes=2), torch.Generator())
    assert {*release.public} == {"train_mask", "val_mask", "num_classes", "feature_range"} | public


# 2. What was read off raw data is said in the release.

def test_a_release_after_cut_points_from_the_data_says_so_and_proves_nothing_of_features(tmp_path):
    data, method = asked([0, 1] * 4, num_classes=2), RGNN(sampled=2, epsilon_y=2.0)
    stated, counted = (method.collect(cut(data), torch.Generator()) for cut in (Categories((2,) * 3), Quantiles(2)))
    assert stated.unaccounted == () and [g.basis for g in (*stated.guarantees, stated.total)] == ["proved"] * 4
    assert "Quantiles" in counted.unaccounted[0]
    assert {g.unit: g.basis for g in (*counted.guarantees, counted.total)} == {
        "label": "proved", "feature vector": "none", "undirected edge": "proved", "features and label": "none"}
    counted.save(tmp_path / "release.pt")
    assert type(counted).load(tmp_path / "release.pt").unaccounted == counted.unaccounted


@pytest.mark.parametrize("name, words", [("patients", ("edges", "scale")), ("digits", ("edges",)), ("karate", ())])
def test_a_card_that_names_such_a_thing_is_heard(name, words):
    release = LPGNN().collect(datasets.split(datasets.load(name), torch.Generator()), torch.Generator())
    assert all(word in text for word, text in zip(words, release.unaccounted, strict=True))
    assert release.total.basis == ("none" if words else "proved")


@pytest.mark.parametrize("graph", [Quantiles(2)(asked([0, 1] * 4, num_classes=2)), datasets.load("patients")],
                         ids=["cut points", "patients"])
def test_a_graph_that_was_written_and_read_or_converted_still_says_so(graph, tmp_path):
    datasets.save_npz(graph, tmp_path / "graph.npz")
    problems, remarks = datasets.check_file(tmp_path / "graph.npz")
    assert not problems and all(any(text in remark for remark in remarks) for text in graph.unaccounted)
    for again in (datasets.from_npz(tmp_path / "graph.npz", num_classes=2),
                  datasets.from_npz(tmp_path / "graph.npz", num_classes=2, unaccounted=graph.unaccounted),
                  datasets.from_pyg(graph, num_classes=2)):
        release = LPGNN().collect(datasets.split(again, torch.Generator()), torch.Generator())
        assert release.unaccounted == graph.unaccounted and release.total.basis == "none"


def test_people_who_were_chosen_by_their_labels_are_said_to_be(tmp_path):
    """As many of each class: then whether somebody is private tells of the labels of all, and no basis is left."""
    data = asked([0, 1] * 4, num_classes=2)
    for per_class in (False, True):
        private, public = datasets.private_public(data, torch.Generator(), 2, 3, per_class=per_class)
        answers = PATE(scale=1.0, num_queries=1, teachers=2, teacher=replace(QUICK, kind="mlp"), student=QUICK).collect(
            private, public, torch.Generator())
        public.val_mask = public.test_mask
        release = LPGNN().collect(public, torch.Generator())
        assert [answers.guarantee(1e-5).basis, *(find_guarantee(release.guarantees, unit).basis
                                                 for unit in ("label", "feature vector"))] == (
            ["none"] * 3 if per_class else ["accounted", "proved", "proved"])
        assert "labels" in "".join(answers.unaccounted + release.unaccounted) or not per_class
    assert "unaccounted" not in data


def test_refusing_a_split_per_class_tells_no_number_of_anybody():
    """Classes of three and of four people: the refusals say the same."""
    said = []
    for y in ([0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, 0]):
        with pytest.raises(ValueError, match="private must be at most") as caught:
            datasets.private_public(asked(y, num_classes=2), torch.Generator(), 5, 2, per_class=True)
        said.append(str(caught.value))
    assert said[0] == said[1]


# values; column names are public by the same rule
MADE_OF_ALL = {"pubmed": "TF-IDF", "facebook-pages-128": "fitted to all"}


@pytest.mark.parametrize("name", datasets.CARDS)
def test_one_rule_says_of_every_graph_what_was_computed_from_all_records(name):
    """Of the columns it is said and taken as public; values that others' records are in, and such edges,
    void the basis."""
    card = datasets.card(name)
    assert card.columns and not any("column" in text.split(":")[0] for text in card.unaccounted)
    computed = [text for text in card.unaccounted if text.startswith("the values")]
    assert len(computed) == (name in MADE_OF_ALL) and MADE_OF_ALL.get(name, "") in "".join(computed)
    assert ("TF-IDF" in card.remark) == ("TF-IDF" in "".join(computed))
    data = asked([0, 1] * 4, **card.stated)
    release = LPGNN().collect(data, torch.Generator())
    assert find_guarantee(release.guarantees, "feature vector").basis == ("none" if card.unaccounted else "proved")


@pytest.mark.parametrize("structure, edges", [(M.SymmetricResponse(0.5), 0.5), (M.Blink(0.1, 0.2), 0.6),
                                              (M.NeighbourReplacement(0.1), math.inf)])
def test_a_node_pays_for_all_her_edges(structure, edges):
    """Eight people: any of a node's 7 pairs may change."""
    release = GraphPrivatizer(structure=structure).collect(asked([0, 1] * 4, num_classes=2), torch.Generator())
    assert (release.total.unit, release.total.epsilon) == ("features and label", 6.0)
    assert (release.node.unit, release.node.relation) == ("node", "replace")
    assert release.node.epsilon == pytest.approx(6.0 + 7 * edges)


# 3. Methods with a private and a public graph: a person joins or leaves with all her edges.

QUICK = NodeClassifier(hidden=4, epochs=2)
ANSWERED = {f"{name} {number}": example for name, kind in FOUND.items() if issubclass(kind, methods.Distilled)
            for number, example in enumerate(kind.examples())}


def private_graph(y, x=None) -> Data:
    n = len(y)
    x = BITS[:n] if x is None else x
    edges = PATH[:, :max(n - 1, 0)]
    data = Data(x=x, y=torch.tensor(y, dtype=torch.long), edge_index=torch.cat([edges, edges.flip(0)], 1))
    data.num_classes = 2
    return data


def other_people() -> Data:
    """A public graph as large as the private one, and not the same: that one would be refused."""
    return asked([0, 1] * 4, BITS[[1, 0, *range(2, N)]], num_classes=2)


HUGE = BITS.clone()
HUGE[0] = 3e38  # finite; what is trained on it is not
PRIVATE = {"the only member of a class": (private_graph([1, 0, 0, 0, 0, 0]), private_graph([0, 0, 0, 0, 0], BITS[1:6])),
           "the last person": (private_graph([1]), private_graph([])),
           "the last but one": (private_graph([1, 0]), private_graph([0], BITS[1:2])),
           "the last person with a label": (private_graph([0, -1, -1]), private_graph([-1, -1], BITS[1:3])),
           "one person without a label": (private_graph([-1, 0, 1, 0]), private_graph([0, 1, 0], BITS[1:4])),
           "one person whose features are huge": (private_graph([1, 0] * 4, HUGE),
                                                      private_graph([0, 1, 0, 1, 0, 1, 0], BITS[1:]))}


@pytest.mark.parametrize("people", PRIVATE)
@pytest.mark.parametrize("name", ANSWERED)
def test_no_private_person_shows_in_anything_but_noise(name, people):
    public = asked([0, 1] * 4, num_classes=2)

    def pipeline(private, generator):
        return ANSWERED[name].collect(private, public, generator)
    private, without = PRIVATE[people]
    assert replay(pipeline, private, without) == [] == replay(pipeline, without, private)


def test_every_field_of_a_release_of_labels_is_noisy_or_of_the_public_graph():
    release = ANSWERED["PATE 0"].collect(private_graph([0, 1] * 4), other_people(), torch.Generator())
    of_the_public_graph = {"x", "edge_index", "num_classes", "queries"}
    arguments = {"budget", "unaccounted", "randomness"}
    assert {field.name for field in fields(release)} == {"labels"} | of_the_public_graph | arguments


@pytest.mark.parametrize("name", ANSWERED)
def test_labels_that_teachers_learnt_from_cut_points_of_the_data_prove_nothing(name):
    public, private = other_people(), private_graph([0, 1] * 4)
    stated, counted = (ANSWERED[name].collect(cut(private), public, torch.Generator())
                       for cut in (Categories((2,) * 3), Quantiles(2)))
    assert stated.unaccounted == () and stated.guarantee(1e-5).basis == "accounted"
    assert "Quantiles" in counted.unaccounted[0] and counted.guarantee(1e-5).basis == "none"


# 4. Mechanisms.

EDGES = {f"{name} {i}": mechanism for name, kind in M.all_mechanisms().items() if issubclass(kind, M.GraphMechanism)
         for i, mechanism in enumerate(kind.examples())}
# The server makes an undirected graph of what is said.
SERVED = [name for name, m in EDGES.items()
          if isinstance(m, M.SymmetricResponse | M.SensitiveResponse | M.PrivateEndResponse | M.LapGraph |
                                         M.DegreePreservingResponse | M.Blink)]
COMPLETE = torch.combinations(torch.arange(N)).t()


def people(pairs) -> Data:
    """Eight people, all of them known as sensitive, and none as public."""
    return Data(x=BITS + 0.1, edge_index=to_undirected(pairs, N), num_nodes=N,
                sensitive_users=torch.ones(N, dtype=torch.bool), num_public=0)


def with_edges(number: int) -> Data:
    return people(COMPLETE[:, :number])


# A noisy name for each neighbour: they need x, and the length of a list shows.
LISTS = [name for name, m in EDGES.items() if isinstance(m, M.ExponentialReplacement | M.NeighbourReplacement)]


def reported(graph, generator, name):
    told = EDGES[name](graph, generator=generator)
    return told.edge_index, told.edge_weight, EDGES[name].guarantees


@pytest.mark.parametrize("number", [0, 1, 9, COMPLETE.size(1) - 1])
@pytest.mark.parametrize("name", EDGES)
def test_no_edge_shows_in_anything_but_noise(name, number):
    """The edge after the first ``number``, of eight people: the first of all, and the last that is missing.

    Where it does show, in the lengths of two lists, no finite epsilon is stated for an edge added or removed.
    """
    data, neighbour = with_edges(number), with_edges(number + 1)
    shown = ["noisy output 0['list lengths']"] if name in LISTS else []
    for pair in ((data, neighbour), (neighbour, data)):
        assert [leak.place for leak in replay(lambda graph, g: reported(graph, g, name), *pair)] == shown
    if shown:
        assert {g.epsilon for g in EDGES[name].guarantees if g.relation == "add/remove"} == {math.inf}


@pytest.mark.parametrize("name", EDGES)
def test_no_swapped_friends_show_in_anything_but_noise(name):
    """0-1 and 2-3 become 0-3 and 2-1: all lists keep their lengths."""
    first, second = (people(torch.tensor(pairs).t())
                     for pairs in ([[0, 1], [2, 3], [4, 5]], [[0, 3], [2, 1], [4, 5]]))
    assert replay(lambda graph, g: reported(graph, g, name), first, second) == []


@pytest.mark.parametrize("name", EDGES)
def test_the_order_of_reported_pairs_tells_nothing(name):
    """Pairs come sorted by person and name, whether they are true or lies; eight people on a path, five seeds."""
    data = people(PATH)
    for seed in range(5):
        generator = torch.Generator().manual_seed(seed)
        for tell in (EDGES[name], EDGES[name].report):
            edges = tell(data, generator=generator).edge_index
            first, second = edges if tell is EDGES[name] and name in SERVED else edges.flip(0)
            assert (torch.diff(first * N + second) >= 0).all()


@pytest.mark.parametrize("name", EDGES)
def test_a_mechanism_of_edges_freezes_nothing_but_edges(name):
    """A label that goes along as it is, is found."""
    first, second = with_edges(9), with_edges(9)
    first.y, second.y = torch.zeros(N), torch.ones(N)
    leak, = replay(lambda graph, g: EDGES[name](graph, generator=g).y, first, second)
    assert leak.place == "release"


@pytest.mark.parametrize("name", EDGES)
def test_what_belongs_to_true_edges_stays_behind(name):
    """Weights, kinds and features of edges, and an adjacency: one number for each true edge. ``y`` goes along."""
    data, data.y = with_edges(9), torch.arange(N)
    data.edge_weight, data.edge_attr, data.edge_type = torch.rand(18), torch.rand(18, 2), torch.ones(18)
    data.adj_t = data.edge_index.flip(0)
    told = T.Compose([EDGES[name].transform(generator=torch.Generator())])(data)
    weighted = ["edge_weight"] if getattr(EDGES[name], "output", "") == "soft" else []
    assert sorted(told.keys()) == sorted(["x", "y", "num_nodes", "num_public", "sensitive_users", "edge_index",
                                          *weighted])
    assert "edge_weight" not in told or len(told.edge_weight) == told.edge_index.size(1) == N * (N - 1)
    assert len(data.edge_weight) == 18


@pytest.mark.parametrize("name", [name for name in EDGES if name not in LISTS])
def test_a_number_of_people_that_nobody_states_is_refused_alike(name):
    """Read off the edges, it would be 2 with one edge and 3 with another, and the reports would show it."""
    first, second = (Data(edge_index=torch.tensor([[0, v], [v, 0]])) for v in (1, 2))
    with pytest.raises(ValueError, match="state how many people there are, with num_nodes"):
        replay(lambda graph, g: [EDGES[name](graph, generator=g).edge_index, graph.num_nodes], first, second)


BOUNDED = [name for name, mechanism in EDGES.items() if hasattr(mechanism, "expected_pairs")]


@pytest.mark.parametrize("number", [0, 1, 9, COMPLETE.size(1) - 1])
@pytest.mark.parametrize("name", BOUNDED)
def test_the_first_edge_beyond_the_limit_is_not_refused(name, number, monkeypatch):
    """The limit is what a graph with ``number`` edges is expected to report."""
    mechanism = EDGES[name]
    monkeypatch.setattr(edge_mechanism, "MOST_PAIRS", mechanism.expected_pairs(N, number))

    def pipeline(graph, generator):
        return mechanism.report(graph, generator=generator).edge_index
    data, neighbour = with_edges(number), with_edges(number + 1)
    assert replay(pipeline, data, neighbour) == [] == replay(pipeline, neighbour, data)


@pytest.mark.parametrize("name", BOUNDED)
def test_too_long_a_report_is_refused_alike_with_and_without_an_edge(name, monkeypatch):
    monkeypatch.setattr(edge_mechanism, "MOST_PAIRS", 0.99 * EDGES[name].expected_pairs(N, 0))
    with pytest.raises(M.TooManyPairs, match="without any edge"):
        replay(lambda graph, g: EDGES[name].report(graph, generator=g).edge_index, with_edges(0), with_edges(1))
