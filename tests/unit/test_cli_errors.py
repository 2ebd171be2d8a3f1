"""Errors speak of what was typed: they name an option that exists, a file, or what was perhaps meant."""

import os
import re
import shlex
import sys
from dataclasses import fields

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from privgraph.checks.parameters import kinds_of
from privgraph.cli import command, main, parser, run
from privgraph.cli.options import add_fields
from privgraph.cli.spelling import ExactParser
from privgraph.datasets.layouts import MASKS
from privgraph.methods import Distilled, Sizes, all_methods

ODD = ("-7", "1e30", "banana")


class Constructed(Exception):
    """The method was made: nothing was wrong with the value."""


@pytest.fixture
def stopped(monkeypatch):
    """Commands that end where the method is made."""
    def introduce(*_):
        raise Constructed
    for name in ("introduce", "introduce_set"):
        monkeypatch.setattr(run, name, introduce)
    monkeypatch.setattr(run, "load_graphs", lambda name: None)
    monkeypatch.setattr(run, "graph_of", lambda options: Data(num_nodes=34, num_classes=2))


def options_of(kind) -> list[str]:
    own = ExactParser()
    add_fields(own, kind, needed=False)
    return [action.option_strings[0] for action in own._actions if action.nargs != 0]


TOP = parser(word="run")


@pytest.mark.parametrize("name", all_methods())
def test_what_is_wrong_with_a_parameter_is_said_of_its_option(name, stopped, capsys):
    kind = all_methods()[name]
    needed = ["--scale", "1"] if issubclass(kind, Distilled) else []
    refused = 0
    for option in options_of(kind):
        for value in ODD:
            try:
                command(TOP, ["run", name, *([] if option in needed else needed), option, value], ())
            except Constructed:
                continue
            except (ValueError, SystemExit) as error:  # SystemExit is argparse's
                said = capsys.readouterr().err or str(error)
            assert option in said, (option, value, said)
            refused += 1
    assert refused or not options_of(kind)


@pytest.mark.parametrize("name", all_methods())
def test_what_nothing_reads_is_said_by_names_of_fields(name):
    """A command refuses them, and says which other one is why; and what has an end names a size, or another field."""
    kind, sizes = all_methods()[name], {field.name for field in fields(Sizes)}
    own = {field.name for field in fields(kind)}
    for method in kind.examples():
        assert own >= {*method.unread(), *(why.split()[0] for why in method.unread().values())}
    assert {each.within for each in kinds_of(kind).values()} - {""} <= sizes | own


def test_more_than_a_graph_has_is_refused_of_what_was_said_alone(capsys):
    """The default window of DeepWalk is ten nodes, and its default walk has forty."""
    assert main("run deepwalk --graph karate --length 5 --epochs 1 --walks 1 --dimension 2 --repeats 1".split()) == 0
    assert main("run deepwalk --graph karate --length 5 --window 10".split()) == 2
    assert "--window must be at most 5, its --length, got 10" in capsys.readouterr().err


def test_a_default_that_nobody_said_is_called_one(capsys):
    assert main(["run", "rgnn", "--graph", "karate", "--group", "1", "--repeats", "1"]) == 2
    assert re.search(r"--clusters must be .* got 64, its default", capsys.readouterr().err)


LINES = {
    "run lpgnn --epsilon 1": "did you mean --epsilon-x, --epsilon-y?",
    "run gap --epoch 3": "did you mean --epochs?",
    "run lpgn": "did you mean lpgnn",
    "run deepwalk --walk-lenght 5": "privgraph run deepwalk: error: unrecognized arguments: --walk-lenght 5",
    "run lpgnn --graph karate --feature-range -1e308 1e308": "for files",
    "run lpgnn --graph karate --group 0": "--group: ",
    "run lpgnn --graph karate --domain-sizes 2x": "must be whole numbers with x between them",
    "run lpgnn --graph karate --domain-sizes axb": "must be whole numbers with x between them",
    "run lpgnn --graph nothing.npz --range-file .": "--range-file must name a text file",
    "run lpgnn --graph karate --save ''": "argument --save: is empty",
    "run lpgnn --graph= --seed 1": "argument --graph: is empty",
    "run gap --repeats 0": "--repeats must be a whole number",
    "run gap --repeats -1": "--repeats must be a whole number",
    "run gap --graph . --num-classes 2": "is a folder, and a graph is a file",
    "budget laplace": "laplace needs epsilon, laplace:epsilon=...",
    "budget grr-fs:epsilon=1": "grr-fs needs domain_sizes",
    "budget laplace:epsilon=1,count=0": "count must be a whole number",
    "budget laplace:epsilon=1 --delta 1": "--delta must lie in [0, 1)",
    "calibrate laplace --epsilon -1": "--epsilon must be",
    "predict setup.cfg": "setup.cfg",
    "check .": "is a folder",
    "check karate": "FILE must be a graph file, got karate, a named graph",
    "budget discrete_gaussian:sigma=1": "for discrete_gaussian, did you mean discrete-gaussian?",
    "run lpgnn --graph cora-twins": "for cora-twins, did you mean cora-twin?",
    "sweep gap --graph karate --epsilon -1,1 --to s": "--epsilon: must be numbers from 1e-06 to 1e+06 with commas",
    "attack recovered-similarity gap --graph karate": "attacks on GAP are link-stealing-2",
    "federate server federateddeepwalk --noise 2": "must be written key=value,... with epsilon, delta, clip, got '2'",
    "compare gap dpne --graph karate --public-fraction .5 --to s": "--public-fraction is for pate, privgnn, which",
}


# Of 700 wrong lines that were written down and read, those whose answers were obscure, silent or a traceback, by kind.
MENDED = {
    "run --graph karate lpgnn": "unrecognized arguments: --graph before METHOD, which options follow",
    "-v": "unrecognized arguments: -v; for -v, did you mean --version?",
    "run LPGNN": "for LPGNN, did you mean lpgnn?",
    "run lpgnn -graph karate": "for -graph, did you mean --graph?",
    "run lpgnn \u2014graph karate": "did you mean --graph?",
    "run lpgnn --json=yes": "argument --json: takes no value, got 'yes'",
    "run lpgnn --graph Karate": "for Karate, did you mean karate?",
    "run lpgnn --graph mine --classes 2": "--graph must be an .npz file that is there, or one of cora",
    "run lpgnn --graph /dev/null": "is a device or a pipe, and a graph is a file",
    "run lpgnn --graph triangles": "triangles is a set of graphs, which few-shot methods read with --set triangles",
    "data Cora": "NAME must be one of",
    "audit laplac": "for laplac, did you mean laplace?",
    "run lpgnn --hidden 99999999999999999999": "--hidden must be a whole number below 2^63",
    "run lpgnn --graph karate --hidden 1000000000000": "or say --anyway; extreme in it: --hidden 1e+12",
    "run lpgnn --graph karate --hidden 1000000000000 --anyway": "not enough memory for this; extreme in it: --hidden",
    "run lpgnn --graph karate --weight-decay 1e300 --repeats 1 --x-steps 1": "extreme in it: --weight-decay 1e+300",
    "run gap --graph karate --epsilon 1e300": "leaves the range of floats; extreme in it: --epsilon 1e+300",
    "run randomvectors --graph karate --scale 1e300": "extreme in it: --scale 1e+300",
    "run lpgnn --graph karate --x-steps 100000000": "--x-steps must be at most 34, the number of nodes",
    "run gap --graph karate --hops 35": "--hops must be at most 34, the number of nodes",
    "run nodegap --graph karate --bound 100000": "--bound must be at most 34, the number of nodes",
    "run pate --graph karate --scale 1 --teachers 100000": "--teachers must be at most 34, the number of nodes",
    "run publicfeatures --graph karate --dimension 1000": "--dimension must be at most 34, the number of features",
    "run deepwalk --graph karate --window 100000": "--window must be at most 40, its length",
    "attack closeness deepwalk --graph karate --sensitive-degree 9 --window 500": "--window must be at most 40",
    "federate server federateddeepwalk --window 100": "--window must be at most 20, its length",
    "run rgnn --graph karate --bins 1000000": "--bins must be at most 34, the number of nodes",
    "run lpgnn --graph karate --heads 3": "--heads must be left out, as --backbone gcn has no attention",
    "run lpgnn --graph karate --sampled 3 --epsilon-x inf": "--sampled must be left out, as --epsilon-x is inf",
    "run gae --graph karate --sensitive-degree 9": "--sensitive-degree must be left out, as --without is nothing",
    "run lppge --graph karate --target 9": "--target must be left out, as --privacy is trimmed",
    "run privgnn --graph karate --scale 1 --neighbours none --distance cosine": "as --neighbours is none",
    "run lpgnn --graph karate --epsilon-x 1e-300": "--epsilon-x must be so large that an estimate fits",
    "run dpne --graph karate --epsilon 1e-300": "--epsilon must be so large that its noise fits",
    "run lpgnn --graph karate --own-split": "--own-split needs a graph with train_mask, val_mask, test_mask, got",
    "run pate --graph karate --scale 1 --public-fraction 0": "--public-fraction must lie in (0, 1), got 0.0",
    "run pate --graph karate --scale 1 --public-fraction 0.999": "--public-fraction must leave at least two labelled",
    "run gae --graph karate --without links": "--sensitive-degree must say from how many links on a user is sensitive",
    "run lppge --graph karate": "--sensitive-degree must be at most 12, so that a link between",
    "attack closeness gae --graph karate --sensitive-degree 100": "--sensitive-degree must leave at least one",
    "attack closeness gae --graph karate --sensitive-degree 1": "at least four links that are not sensitive, got 0",
    "run gae --edges laplace:epsilon=1": "mechanism must be one of blink, degree-preserving-response, exponential",
    "run gae --edges symmetric-response:epsilon=one": "must be a number above 0, or inf, got 'one'",
    "run dpsgd --graph karate --rate 1e-12": "--rate must be so large that there are at most 10000000 steps",
    "run onehopgcn --graph karate": "--bound must be at least everybody's number of neighbours",
    "run federateddeepwalk --graph karate": "--dimension must be at most 13, the number of public nodes",
    "run federateddeepwalk --graph karate --clients 1000": "got 1000; 34 nodes are enough for 20 at most",
    "federate demo federateddeepwalk --graph karate --clients 2 --dimension 20": "--dimension must be at most 13",
    "federate demo federatedgat --graph karate --hidden 8": "--labels must be all where a part has no train_mask",
    "federate server federateddeepwalk --sizes nothing.json": "--sizes must be a file as `privgraph federate",
    "federate keys tls --server localhost --clients 99999999999": "--clients must be a whole number, between 1",
    "run gap --graph karate --save .": "--save must name a new folder, got .",
    "run gap --graph karate --save new --seed -1": "--seed must be a whole number",
    "run gap --graph karate --save new --budget-file no/such": "--budget-file must be a file in a folder that exists",
    "run lpgnn --config nothing.toml": "--config must name a TOML file, got nothing.toml: No such file or directory",
    "run lpgnn --config a.toml --config b.toml": "--config: must be said once, got --config a.toml and --config b.toml",
    "run lpgnn --config --graph karate": "argument --config: expected one argument",
    "run lpgnn --config=": "argument --config: is empty",
    "sweep gap --graph karate --to new --unit node": "--unit must be one of which GAP states an epsilon above 0",
    "sweep gap --graph karate --to new --epsilon 1e300": "must be numbers from 1e-06 to 1e+06",
    "sweep rgnn --graph karate --to new": "rgnn reads features that are categories",
    "attack linkteller lpgnn --graph karate --pairs -5": "--pairs must be a whole number, between 2 and 78",
    "attack confidence lpgnn --graph karate --pairs 5": "--pairs must be left out, as confidence asks about nodes",
    "attack shadow-links lpgnn": "it is for methods that publish vectors, such as gae",
    "attack shadow-links gae --graph karate --sensitive-degree 12": "with a smaller sensitive_degree",
    "audit laplace:epsilon=one": "epsilon of laplace must be a number above 0, or inf, got 'one'",
    "audit grr-fs:epsilon=1": "grr-fs needs domain_sizes and sampled",
    "audit graphprivatizer:structure=laplace": "laplace needs epsilon",
    "budget gaussian:sigma=1e-200": "sigma must lie in [1e-150, 1e+150]",
    "budget discrete-gaussian:sigma=1e300": "sigma must lie in [1e-150, 1e+07]",
    "budget approximate:epsilon=1,delta=1": "privgraph: delta must lie strictly between 0 and 1, got 1.0",
    "budget laplace:epsilon=1 --at-epsilon -1": "--at-epsilon must be at least 0",
    "calibrate symmetric-response --epsilon 1 --relation replace": "got --relation 'replace'\n",
    "convert a.csv --to b.npz --features ones --columns age": "--features ones stands in place of columns",
    "convert a.csv --to b.npz --columns age,age": "--columns must name each column once, got age",
    "convert a.csv --to b.npz --ranges age:0:1 --categories age:a:b": "got age in both",
}

# The same of 870 others.
MENDED |= {
    "run gap own.npz": "unrecognized arguments: own.npz; a graph is said with --graph own.npz",
    "sweep gap --graph karate --to new --epsilon 1 2": "--epsilon takes one word, such as 1,2, so that 2 is left over",
    "run gap --graph karate --labels yes": "--labels takes no word, so that yes is left over",
    "run gap --feature-range 0 1 2": "--feature-range takes 2 words, so that 2 is left over",
    "check a.npz b.npz": "only file can be said without an option before it",
    "run gap --graph karate --epsilon 1 --epsilon=2": "--epsilon: must be said once, got --epsilon 1 and --epsilon=2",
    "run gap --graph karate --labels --no-labels": "must be said once, got --labels and --no-labels",
    "run lpgnn --graph karate --eps 1": "for --eps, did you mean --epsilon-x, --epsilon-y?",
    "run lpgnn --graph karate --lr .1": "for --lr, did you mean --learning-rate?",
    "run lpgnn --graph karate --ways 3": "unrecognized arguments: --ways 3\n",
    "run lpgnn --graph karate --budget-unit edge": "for edge, did you mean undirected edge, private edge?",
    "run gap --graph karate --repeats 1.5": "argument --repeats: must be a whole number, got '1.5'",
    "run pate --scale 1 --public-fraction 50%": "argument --public-fraction: must be a number, got '50%'",
    "run noised --graph karate --of gae --scale -1": "--scale must be a finite number of at least 0, got -1.0",
    "run lpgnn --graph karate.npz": "--graph cannot be read: No such file or directory: 'karate.npz'",
    "run rgnn --graph karate --group 35": "--group must be at most 34, the number of features, got 35",
    "run pate --graph karate --scale 1 --public-graph patients": "classes of --graph, 34 and 2, got 30 and 2",
    "run lpgnn --graph karate --attack upload-similarity": "upload-similarity needs uploads, which one run of a method",
    "attack closeness lpgnn --save new": "privgraph attack closeness lpgnn --help says what there is",
    "sweep pate --graph karate --to new --scale 3": "--scale must be left out, as --epsilon says what shall hold",
    "compare gap:epsilon=2 progap --graph karate --to new": "METHOD must leave epsilon out, as --epsilon says",
    "calibrate gaussian:unit=edge --epsilon 1 --unit node": "privgraph: unit must be one of feature vector",
    "budget laplace:epsilon=1, count=2": "must be written NAME:key=value,... without blanks, got 'laplace:epsilon=1,'",
    "audit mine": "got 'mine'; one of your own is called module:Class",
    "audit mine.py:Mine": "as Python imports it, such as mine for mine.py, got 'mine.py'",
    "audit :Mine": "mechanism must be written module:Class",
    "advise --unit edge --epsilon 1 --nodes 100 --degree 300 --classes 2": "--degree must lie in [0, 99], got 300.0",
    "advise --unit edge --epsilon 1 --nodes 100 --degree 3 --classes 200": "--classes must be a whole number, between",
    "advise --unit edge --epsilon 1 --graph karate --classes 5": "--classes must be left out, as karate has 2 classes",
    "advise --unit record --epsilon 1 --graph karate --difference .5": "--difference is about --features, of which",
    "predict lpgnn": "MODEL must name a file with a model, got lpgnn, which does not exist",
    "federate server federateddeepwalk --port 0 --rounds 0": "--rounds must be a whole number, at least 1, got 0",
    "federate server federateddeepwalk --port 0 --host localhost:80": "--host must be a name or an address of this",
    "federate server federateddeepwalk --authority a --certificate b --key c": "got a and b and c, and no such file is",
}

# And of 290 more.
MENDED |= {
    "run gap --graph karate --epsilon inf --delta .001": "--delta must be left out, as --epsilon is inf, got 0.001",
    "run privgnn --graph karate --scale 1 --neighbours 1000": "--neighbours must be at most 34, the number of nodes",
    "run federatedgat --graph karate --hidden 8 --heads 16": "must be a multiple of --heads, got 8 and 16 heads",
    "run gap --graph karate --save new --budget-file b.json --budget-unit node": "of which GAP states a finite epsilon",
    "compare gap:hops=99 --graph karate --to new": "hops must be at most 34, the number of nodes, got 99",
    "compare gap: hops=2 --graph karate --to new": "METHOD must be written NAME:key=value,... without blanks",
    "compare gap --epochs 3 --graph karate --to new": "hyperparameters stand in METHOD, NAME:key=value,...",
    "audit laplace --epsilon 1": "what is said of a mechanism or a method stands in its name, NAME:key=value,...",
    "calibrate laplace --epsilon 1 --sensitivity 2": "what is said of a mechanism stands in its name, NAME:key=",
    "calibrate laplace --epsilon 1 --people 9": "--batch and --people must be said together: so many of",
    "convert a.csv --to b.npz --ranges age:0:1,age:0:2": "argument --ranges: must name each column once, got age again",
    "convert a.csv --to b.npz --categories g:a:b,g:c:d": "--categories: must name each column once, got g again",
    "convert a.csv --to b.npz --features degree --ranges age:0:1": "--ranges must name degree alone beside --features",
    "convert a.csv --to b.npz --columns age --ranges height:0:2": "got height, which is none of age",
    "run gap --graph karate --save new --budget-file new.owner.json": "got new.owner.json beside --save new",
    "run lpgnn --graph karate --epsilon-y 1e309": "above 0, or inf, got '1e309', which is too large for a number",
    "budget gaussian:sigma=1e400": "sigma of gaussian must be a number above 0, got '1e400', which is too large for",
    "run federateddeepwalk --noise clip=1": "argument --noise: upload noise needs epsilon, epsilon=...; it may be told",
}

# And of 400 more.
MENDED |= {
    "sweep gap --epochs 2 --to s --epsilon 1 2 4": "--epsilon takes one word, such as 1,2,4, so that 2 is left over",
    "run gap --graph my graph.npz": "--graph takes one word, in quotes where it holds blanks, so that graph.npz",
    "run gap --feature-range -1 1 2": "--feature-range takes 2 words, so that 2 is left over",
    "attack gap --graph karate": "argument ATTACK: is missing, as gap is for METHOD; the order is ATTACK METHOD",
    "attack gap linkteller": "argument ATTACK: is missing, as gap is for METHOD; the order is ATTACK METHOD",
    "attack linkteller linkteller": "argument METHOD: is missing, as linkteller is for ATTACK",
    "-V": "unrecognized arguments: -V; for -V, did you mean --version?",
    "-v run gap --graph karate": "unrecognized arguments: -v; for -v, did you mean --version?",
    "-- run gap": "-- ends the options of other programs, and is not needed here: leave it out",
    "run gap -- --graph karate": "-- ends the options of other programs, and is not needed here: leave it out",
    "--graph karate": "--graph; COMMAND comes first, and its --help says which options it has",
    "--graph karate run gap": "--graph; COMMAND comes first, and its --help says which options it has",
    "run --grph karate gap": "unrecognized arguments: --grph; for --grph, did you mean --graph?",
    "run gap -e 2": "for -e, did you mean --epochs, --epsilon?",
    "run gap --dataset karate": "for --dataset, did you mean --graph?",
    "run gap progap": "METHOD is said once; privgraph compare takes several of one graph",
    "sweep gap --to new --epochs 2 progap": "progap is left over; METHOD is said once; privgraph compare takes several",
    "run gap linkteller": "linkteller is said with --attack linkteller",
    "advise gap --unit edge --epsilon 1": "it names a METHOD, and is told none",
    "advise karate --unit edge --epsilon 1": "a graph is said with --graph karate",
    "doctor own.npz": "doctor takes no argument",
    "run gap,progap --graph karate": "one can be said here, gap or progap",
    "compare gap,progap --graph karate --to new": "METHOD must be said with blanks alone between several, gap progap",
    "compare gap, progap --graph karate --to new": "with blanks alone between several, gap, got 'gap,'",
    "federate federatedgat --graph karate": "argument STEP: is missing, as federatedgat is for METHOD; the order is",
    "compare gapp --graph karate --to new": "pate, privgnn, progap, rgnn; got 'gapp'; for gapp, did you mean gap",
    "compare gap:hop=2 progap --graph karate --to new": "got 'hop'; for hop, did you mean hops?",
    "compare gap:hops=two --graph karate --to new": "hops of gap must be a whole number, at least 1, got 'two'",
    "compare gap:labels=yes --graph karate --to new": "labels of gap must be one of false, true; got 'yes'",
    "compare gap: progap --graph karate --to new": "NAME:key=value,... without blanks, got 'gap:', where something",
    "compare progap:epochs=2, --graph karate --to new": "without blanks, got 'progap:epochs=2,', where something is",
    "budget laplace:,epsilon=1": "without blanks, got 'laplace:,epsilon=1', where something is missing",
    "compare gap gap --graph karate --to new": "METHOD must say each method once, got gap and gap, which are the same",
    "compare gap gap:hops=1 --graph karate --to new": "each method once, got gap and gap:hops=1, which are the same",
    "sweep gap --graph karate --to new --epsilon 1,1.0": "--epsilon: must name each epsilon once, got '1,1.0'",
    "calibrate gaussian --epsilon 1 --sample-rate 0.01": "for --sample-rate, did you mean --rate?\n",
    "calibrate gaussian --epsilon 1 --steps 5": "for --steps, did you mean --count?\n",
    "budget gaussian:noise_multiplier=1,steps=5": "rate, relation, sensitivity, sigma, trust, unit; got 'steps'; for s",
    "budget gaussian:sigma=1,sampling_rate=.1": "for sampling_rate, did you mean rate?",
    "budget laplace:scale=1,batch_size=9,people=99": "for batch_size, did you mean batch?",
    "calibrate gaussian:count=5 --epsilon 1": "got 'count'; how often, and on whom, is said with --count, --rate,",
    "attack linkteller gap --graph karate --pairs 5": "does not give away; attacks on GAP are link-stealing-2",
    "run gap --graph karate --attack linkteller": "does not give away; attacks on GAP are link-stealing-2",
    "attack linkteller deepwalk --graph karate": "for methods that predict, such as lpgnn; attacks on DeepWalk are",
    "attack upload-similarity deepwalk": "in Python it is privgraph.attacks.upload_similarity; attacks on DeepWalk are",
    "attack linkteller gap --least-degree 100": "--least-degree must come with --among, as it says which nodes these",
    "attack linkteller lpgnn --pairs 5 --among 9": "--pairs must be left out, as --among asks about all pairs of some",
    "run federateddeepwalk --graph karate --clients 9": "public = 0.4, got 9; or private at most 0.06667",
    "run federateddeepwalk --graph karate --public 1": "--public and --private must be at most 1 together, got 1.0 and",
    "federate keys tls --server 300.1.1.1": "--server must be an IP address or a name such as graphs.example.org, got",
    "run gap --epsilon 1e-400": "--epsilon: must be a number above 0, or inf, got '1e-400', which is too small for",
    "run gap --limit 1e400": "argument --limit: must be a number, got '1e400', which is too large for a number",
    "run gap --graph karate --feature-range 0 1e400": "--feature-range: must be a number, got '1e400', which is too",
    "budget laplace:epsilon=1,rate=1e-400": "rate must be a number, got '1e-400', which is too small for a number",
    "run gap --graph '' --epochs 2": "argument --graph: is empty",
}

# Others that were clear, each of another kind.
CLEAR = {
    "help": "invalid choice: 'help'", "lpgnn --graph karate": "argument COMMAND: invalid choice: 'lpgnn'",
    "run lpgnn karate": "unrecognized arguments: karate", "run lpgnn --epsilon_x 2": "did you mean --epsilon-x",
    "run lpgnn --epsilon-x 1/2": "--epsilon-x: must be a number above 0, or inf, got '1/2'",
    "run lpgnn --epochs \u22123": "--epochs: must be a whole number, at least 1, got '\u22123'",
    "run lpgnn --epsilon-x ''": "--epsilon-x: must be a number above 0, or inf, got ''",
    "run lpgnn --epsilon-x infinity --epsilon-y -inf": "--epsilon-y must be a positive number or inf, got -inf",
    "run lpgnn --graph cora-twin.npz --classes 2": "No such file or directory: 'cora-twin.npz'",
    "run lpgnn --feature-range 0,100": "argument --feature-range: expected 2 arguments",
    "run rgnn --graph karate": "say --group 1 where they are", "run gsm --set karate": "invalid choice: 'karate'",
    "run pate --scale 1 --public-graph a --public-fraction .3": "not allowed with argument --public-graph",
    "run deepwalk --p 0 --graph karate": "--p must lie in [0.01, 100], got 0.0",
    "run federatedgat --graph karate --hidden 8 --heads 3": "--hidden must be a multiple of --heads",
    "run gsm --set letters --ways 100": "--ways must be at most the 11 classes",
    "run gap --graph karate --seed 3": "--seed is about what --save", "run gap --limit 3": "is about --budget-file",
    "run gap --graph karate --report page.pdf": "--report must name a file that ends on .html or .md",
    "sweep gap --graph karate --to new --epsilon 1..4": "with commas between them, got '1..4'",
    "sweep gsm --to new": "invalid choice: 'gsm'", "compare gap lpgnn --graph karate --to new": "the same unit",
    "compare gap federatedgat --graph karate --to new": "METHOD must be of one whole graph",
    "attack link-teller lpgnn": "did you mean linkteller", "attack linkteller gap --graph karate": "does not give away",
    "federate": "required: STEP", "federate server federateddeepwalk --port 70000": "between 0 and 65535",
    "federate keys tls --server localhost:8765": "--server must be an IP address or a name",
    "federate client federateddeepwalk nothing.pt": "which does not exist",
    "federate server federateddeepwalk --resume": "--resume must come with --save FOLDER",
    "federate server federateddeepwalk --key k.pem": "must be given together",
    "audit nothing:Thing": "cannot be imported", "budget laplace:epsilon=1,scale=1": "keys that go together",
    "budget laplace:epsilon=1,batch=30,people=3": "batch must be a whole number, between 1 and 3",
    "budget gaussian:epsilon=1": "gaussian needs delta", "calibrate laplace:scale=1 --epsilon 1": "leave it out",
    "convert a.csv --edges b.csv --to c.npz": "name one file with", "convert a.csv --to b.csv": "ends on .npz",
    "convert a.csv --to b.npz --ranges age:120:0": "the lower one first", "data karate digits": "arguments: digits",
    "convert a.csv --to b.npz --classes a": "--classes must name two classes or more", "doctor --fix": "--fix",
    "export karate --to z.csv": "does not exist", "predict lp --seed 3": "unrecognized arguments: --seed 3",
}


def answered(words: list[str], capsys) -> str:
    """What a wrong line is told, in a sentence or two."""
    if words[0] in ("sweep", "compare"):  # without matplotlib they say so before anything else
        pytest.importorskip("matplotlib", reason="pictures need the extra pictures")
    try:
        status = main(words)
    except SystemExit as end:
        status = end.code
    told = capsys.readouterr()
    assert status in (1, 2), told.err
    assert "usage:" not in told.err and "Traceback" not in told.err and len(told.err.splitlines()) < 4, told.err
    assert not re.search(r"accuracy +\d", told.out), "it ran first"
    return told.err + told.out


@pytest.mark.parametrize("line, sentence", LINES.items())
def test_a_wrong_line_is_answered_in_its_own_words(line, sentence, capsys):
    assert sentence in (said := answered([word.strip("'") for word in line.split(" ")], capsys)), said


@pytest.mark.parametrize("line, sentence", (MENDED | CLEAR).items())
def test_a_line_of_another_kind_is_answered_too(line, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert sentence in (said := answered(shlex.split(line), capsys)), said
    assert not [path.name for path in tmp_path.iterdir() if path.name != "tls"], "something is left"


# The same of lines that name files.

IN_FOLDER = {
    "run lpgnn --graph text.npz": "text.npz cannot be read: it is no .npz file, or the end of it is missing",
    "run lpgnn --graph halves.npz": "halves.npz: num_classes must hold whole numbers",
    "run lpgnn --graph far.npz": "labels must be classes that are numbered 0, 1, 2, ..., at most 10000 of them",
    "run lpgnn --graph mine.npz --classes 2": "--num-classes must be above all classes in mine.npz, which go up to 2",
    "run lpgnn --graph mine.npz --classes 3 --feature-range 5 5": "--feature-range must be two finite numbers",
    "run lpgnn --graph mine.npz --classes 3 --range-file three.txt": "--range-file must be a pair (low, high), or",
    "check mine.npz --range-file three.txt": "--range-file must be a pair (low, high), or one for each of 2 columns",
    "check mine.npz --range-file .": "one line a column, got .: Is a directory",
    "run lpgnn --graph whole.npz --classes 3 --domain-sizes 99999999999999999999x2": "a whole number below 2^63",
    "run lpgnn --graph pipe.npz --classes 2": "'pipe.npz' is a device or a pipe",
    "run pate --graph mine.npz --classes 3 --scale 1 --num-queries 99": "--num-queries must be at most 3, the public",
    "attack posterior-similarity lpgnn --graph whole.npz --classes 3": "an attack needs two edges, and two pairs",
    "federate demo federateddeepwalk --graph whole.npz --classes 3 --dimension 2": "must hold an edge to walk along",
    "run lpgnn --config itself.toml": "--config must hold options of a run and no other such file",
    "run lpgnn --config false.toml": "at least 1, got 'False'; --epochs stands in false.toml",
    "run lpgnn --config odd.toml": "unrecognized arguments: --nonsense=False; --nonsense stands in odd.toml",
    "run lpgnn --config list.toml": "--config must hold one word for epochs, got [1, 2] in list.toml",
    "run gap --config saved.toml": '--config must hold one word for save, got ["a", "b"] in saved.toml',
    "run gap --graph karate --save new --budget-file odd.json": "--budget-file must hold what was spent on one set",
    "federate server federateddeepwalk --port 0 --sizes odd.json": "which does not hold num_public, num_features",
    "federate server federateddeepwalk --port 0 --save new --resume": "--resume must find a federation in new",
    "federate client federateddeepwalk part.pt --alone --server a:1": "--alone asks no server, so that --server must",
    "federate client federateddeepwalk part.pt --server http://a:1": "--server must be written HOST:PORT",
    "federate client federateddeepwalk part.pt --alone --dimension 2 --save folder": "'folder', which is a folder",
    "describe folder": "folder holds what the clients of a federation sent, and no model",
    "describe part.pt --delta 2": "--delta must lie strictly between 0 and 1",
    "describe part.pt --delta 1e-5": "--delta must be left out, as nothing is stated of a client's part",
    "convert --edges edges.csv --nodes kinds.csv --label kind --categories class:X:Y --to z.npz": "of them but x, y",
    "predict folder": "folder must be a folder with model.pt, as run --save writes it",
    "export part.pt --to z.csv": "part.pt must hold embeddings, got a client's part of a graph",
    "audit broken:Thing": "broken ends with SyntaxError", "audit ending:Thing": "ending ends with SystemExit, 3",
    "audit ending:Gone": "cannot be imported",
    "convert --edges quote.csv --nodes nodes.csv --to z.npz": "a quote that is opened and not closed, before a,b",
    "convert --edges edges.csv --nodes head.csv --to z.npz": "head.csv has one line only, id, class",
    "convert --edges edges.csv --nodes nodes.csv --label id --to z.npz": "another column than that of the ids",
    "convert edges.csv --id id --to z.npz": "--id must name a column of --nodes",
    "convert odd.pt --to z.npz": "it is damaged, or holds other things than tensors",
    "convert release.pt --to z.npz": "it holds a release or a model of privgraph, and no graph",
    "convert mine.npz --label class --to z.npz": "--label must be left out, as mine.npz has a class of each node",
    "convert mine.npz --columns a --to z.npz": "--columns must be left out, as mine.npz has features as numbers",
    "convert mine.npz --source a --to z.npz": "--source and --target must be left out, as mine.npz is no table",
    "convert empty.npz --to z.npz": "got 12 nodes, 0 features and 0 sizes",
    "convert links.json --to z.npz": "there is no node 9, and ids are 1, 2",
    "run lpgnn --config twice.toml": "got --epsilon-x=1 and --epsilon-x=2; --epsilon-x stands in twice.toml",
    "run lpgnn --graph karate --config false.toml --epochs 0": "--epochs must be a whole number, at least 1, got 0\n",
    "run gap --graph part.pt": "got part.pt; if it holds a graph, `privgraph convert part.pt --label COLUMN --to",
    "check part.pt": "part.pt is no .npz file; if it holds a graph, `privgraph convert",
    "describe mine.npz": "labels or a client's part: it holds arrays, as a graph file does",
    "export three.txt --to z.csv": "three.txt holds no embeddings: it holds text",
    "predict part.pt --to named.xlsx": "--to must end in .csv, .txt or nothing, as lines of text are written, got",
    "advise --unit edge --epsilon 1 --graph torch.npz": "torch.npz cannot be read: it is no .npz file, as it holds no",
    "predict cut.pt": "cut.pt holds no model: it was not written by this library, or is damaged",
    "convert mine.npz --nodes nodes.csv --label class --to z.npz": "id of nodes.csv holds no node of mine.npz: ids are",
    "federate split --graph mine.npz --classes 3 --clients 1 --to folder": "must be a new or an empty folder, got",
    "federate server federateddeepwalk --port 0 --save folder": "--save must be a new or an empty folder, got",
    "federate client federateddeepwalk part.pt --alone --wait 5": "--alone asks no server, so that --wait must be",
    "convert nodes.csv --nodes edges.csv --label class --to w.npz": "nodes.csv looks like a table of nodes, and edges.",
    "convert --edges kinds.csv --nodes edges.csv --to w.npz": "kinds.csv looks like a table of nodes, and edges.csv li",
    "convert edges.csv --nodes kinds.csv --label kind --categories class=x,y --to w.npz": "is written class:x:y",
    "convert edges.csv --nodes kinds.csv --categories class:x,y --to w.npz": "such as gender:f:m, got 'class:x'",
    "run gap --graph karate --save mine.npz": "mine.npz', which is a file",
    "run gap --graph karate --save mine.npz --replace": "mine.npz', which is a file",
    "run gap --graph karate --save folder": "/folder', which holds 'client-5.pt'",
    "run gap --graph karate --report page.md": "page.md, which is there already; --replace writes in its place",
    "convert edges.csv --nodes nodes.csv --label class --to mine.npz": "--to must be a new name, got mine.npz, which i",
    "export part.pt --to z.npy": "--to must be a new name, got z.npy, which is there already; --replace writes in its",
    "predict part.pt --to page.csv": "--to must be a new name, got page.csv, which is there already; --replace writes",
    "export part.pt --to part.pt": "--to must end in .csv, .npy, .parquet, got 'part.pt'",
    "predict part.pt --replace": "--replace is about what --to writes, got no --to",
    "federate client federateddeepwalk part.pt --alone --save z": "--save must be a new name, got z.npy, which is",
    "federate split --graph karate --clients 2 --to parts": "got parts, which is there already; --replace writes in",
    "federate split --graph karate --clients 1 --to parts --replace": "/parts', which holds 'client-1.pt'",
    "federate keys mine.npz --server localhost": "FOLDER must be a folder or a new name, got",
    "federate client federateddeepwalk part.pt --alone --save page.md": "--save must end in .npy, as vectors are",
    "check bare.npz --range-file three.txt": "bare.npz holds no features: expected x",
    "check unlabelled.npz": "problem: 0 labelled nodes: the graph can be loaded, but a split, and so `run`, needs 4",
    "predict part.pt": "MODEL must be a file with a model, got part.pt with a client's part of a graph",
    "predict release.pt": "MODEL must be a file with a model, got release.pt with fields edge_index, randomness",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of which each is wrong in another way."""
    place = tmp_path_factory.mktemp("lines")
    edges, x, y = np.array([[0, 1], [1, 2]]), np.random.default_rng(0).random((12, 2)), np.arange(12) % 3
    for name, change in {"mine": {}, "far": {"y": y * 10**6, "num_classes": 2}, "halves": {"num_classes": 2.5},
                         "whole": {"edge_index": edges[:, :0], "x": np.round(x)}, "empty": {"x": x[:, :0]},
                         "unlabelled": {"y": y * 0 - 1}}.items():
        np.savez(place / f"{name}.npz", **{"edge_index": edges, "x": x, "y": y} | change)
    part = {"client": 0, "clients": 2, "num_nodes": 3, "num_public": 2, "edge_index": torch.tensor([[0, 1], [1, 0]])}
    np.savez(place / "bare.npz", edge_index=edges, y=y)
    for name, content in {"part": part, "release": {"edge_index": edges.tolist(), "randomness": "secret"},
                          "odd": torch.nn.Linear(1, 1)}.items():
        torch.save(content, place / f"{name}.pt")
    torch.save({"rows": torch.ones(2000)}, place / "cut.pt")
    (place / "torch.npz").write_bytes((place / "part.pt").read_bytes())
    os.truncate(place / "cut.pt", 5000), (place / "folder").mkdir(), (place / "folder/client-5.pt").touch()
    for name, text in {
            "twice.toml": "epsilon-x = 1\nepsilon_x = 2\n",
            "text.npz": "a,b\n", "three.txt": "0,1\n" * 3, "itself.toml": 'config = "itself.toml"\n',
            "false.toml": "epochs = false\n", "odd.toml": "nonsense = false\n", "list.toml": "epochs = [1, 2]\n",
            "saved.toml": 'save = ["a", "b"]\n',
            "odd.json": '{"a": 1}', "broken.py": "def f(:\n", "ending.py": "import sys; sys.exit(3)\n",
            "quote.csv": 'source,target\na,b\n"a,b\n', "edges.csv": "source,target\na,b\n",
            "kinds.csv": "id,class,kind\na,x,u\nb,y,v\n", "nodes.csv": "id,class\na,x\nb,y\n", "head.csv": "id,class\n",
            "links.json": '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 9}]}'}.items():
        (place / name).write_text(text)
    (place / "parts").mkdir()
    for name in ("page.md", "page.csv", "z.npy", "parts/client-0.pt", "parts/client-1.pt", "folder/rounds.json"):
        (place / name).write_text("{}")
    os.mkfifo(place / "pipe.npz")
    return place


@pytest.mark.parametrize("line, sentence", IN_FOLDER.items())
def test_a_wrong_file_is_answered_too(line, sentence, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    there = {*folder.iterdir()}
    assert sentence in (said := answered(shlex.split(line), capsys)), said
    assert {*folder.iterdir()} - there <= {folder / "__pycache__"}, "something is left"


def test_what_a_method_of_compare_cannot_do_is_said_with_the_words_that_change_it(tmp_path, capsys):
    words = f"compare pate privgnn --graph karate --to {tmp_path / 'new'} --repeats 1 --epsilon 1".split()
    assert "; another is said as METHOD:num-queries=..." in (said := answered(words, capsys)), said


@pytest.mark.parametrize("line, remark", {
    "run gap --graph alone.npz --repeats 1 --epochs 1 --epsilon 1e-300": "is stated, where 1e-300 was asked for",
    "run gae --graph karate --without users --sensitive-degree 1 --repeats 1 --epochs 1": "34 of 34 users are sensiti",
    "run gae --graph karate --without links --sensitive-degree 9 --repeats 1 --epochs 1": "5 of 34 users are sensitiv",
    "run lppge --graph karate --sensitive-degree 1 --repeats 1 --epochs 1": "none is left beside what is hidden",
    "check mine.npz --feature-range 0 .1": "feature values lie outside of the bounds that are stated",
    "run gap --graph mine.npz --classes 3 --repeats 1 --epochs 1 --delta .1": "delta = 0.1 is much: with this chance",
    "run gap --graph alone.npz --repeats 1 --epochs 1": "alone.npz: the graph has no edges: legal, nobody",
    "convert stated.npz --classes a,b,c --to z.npz": "stated.npz says 2 classes, and what is stated counts: 3",
    "convert mine.npz --nodes some.csv --label kind --to z.npz": "1 row of some.csv with ids that no node has, 99",
    "convert --edges many.csv --nodes own.csv --label class --features degree --ranges degree:0:1 --to z.npz": "7 fea",
    "run lpgnn --graph stated.npz --classes 3 --repeats 1 --epochs 1 --x-steps 1": "the file says num_classes = 2, and",
    "convert mine.npz --ranges x:0:.1 --to z.npz": "feature values lie outside of the bounds that are stated",
    "convert --edges many.csv --nodes own.csv --label class --to z.npz": "is class the column of classes?",
    "convert --edges many.csv --nodes twice.csv --label class --to z.npz": "several columns have one name",
    "convert --edges many.csv --nodes own.csv --label class --classes 0,1 --to z.npz": "mind: 7 labels of class, 2, 3",
    "check masked.npz": "train_mask, val_mask, test_mask: hold no node, so that --own-split cannot be used",
}.items())
def test_what_goes_on_all_the_same_is_remarked(line, remark, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.npz").write_bytes((folder / "mine.npz").read_bytes())
    np.savez("stated.npz", **dict(np.load("mine.npz")) | {"y": np.arange(12) % 2, "num_classes": 2})
    np.savez("alone.npz", **dict(np.load("stated.npz")) | {"edge_index": np.zeros((2, 0), dtype=int)})
    np.savez("masked.npz", **dict(np.load("mine.npz")) | dict.fromkeys(MASKS, np.zeros(12, dtype=bool)))
    (tmp_path / "many.csv").write_text("source,target\n" + "".join(f"p{at},p{at + 1}\n" for at in range(8)))
    (tmp_path / "some.csv").write_text("id,kind\n" + "".join(f"{at},{'ab'[at % 2]}\n" for at in [*range(12), 99]))
    (tmp_path / "own.csv").write_text("id,age,class\n" + "".join(f"p{at},{at},{at}\n" for at in range(9)))
    (tmp_path / "twice.csv").write_text("id,age,age,class\n" + "".join(f"p{at},1,{at},{at % 2}\n" for at in range(9)))
    assert main(shlex.split(line)) == 0
    told = capsys.readouterr()
    assert remark in told.out + told.err


def test_a_model_is_asked_about_graphs_with_its_features(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main("run dpsgd --graph karate --repeats 1 --epochs 1 --save new".split()) == 0
    capsys.readouterr()
    said = answered("predict new digits".split(), capsys)
    assert "GRAPH is none that the model can be asked about: features must have 34 columns, as the network" in said


def test_mechanisms_of_ones_own_are_found_from_here(tmp_path, monkeypatch, capsys):
    """Whichever command asks; who does not ask for one imports nothing from there."""
    (tmp_path / "found_here.py").write_text("from privgraph.mechanisms import Laplace as Mine\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main("budget laplace:epsilon=1".split()) == 0 and str(tmp_path) not in sys.path
    assert main("budget found_here:Mine:epsilon=1".split()) == 0 and sys.path[-1] == str(tmp_path)
    assert "report this one: epsilon = " in capsys.readouterr().out


def test_a_parameter_of_two_options_keeps_its_name():
    own = ExactParser()
    own.add_argument("--student-epochs", dest="student.epochs"), own.add_argument("--teacher-epochs",
                                                                                  dest="teacher.epochs")
    both, one = own.parse_args([]), own.parse_args(["--student-epochs", "0"])
    assert own.spelt("epochs must be positive", both) == "epochs must be positive"
    assert own.spelt("epochs must be positive", one) == "--student-epochs must be positive"
    assert own.spelt("this is none of them", one) == "this is none of them"


def test_the_parser_of_a_subcommand_is_found():
    assert parser().asked(["run", "gap", "--epsilon", "run"]).prog == "privgraph run gap"
