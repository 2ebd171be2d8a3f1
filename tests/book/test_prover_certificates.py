"""Certificates that somebody has changed: the checker says no to each, at once, and raises nothing."""

import json
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privbook.prover import certificates, interval_proofs, statements
from privbook.prover import decide as prover
from privbook.prover.certificates import Certificate, Statement, Unknown, verify
from privbook.prover.decide import decide
from privgraph.mechanisms import RandomisedResponse

SECONDS = 2.0  # of the processor for one answer; the right file of the largest of these families takes a tenth of it
HUGE = "1e" + "9" * 9


def entry(i, **change):
    """Another value for some keys of one certificate."""
    return lambda found: [each | change if at == i else each for at, each in enumerate(found)]


def taken(i, key, *others):
    """Keys of one certificate, each as another certificate has it."""
    return lambda found: [each | {name: found[i + 1][name] for name in (key, *others)} if at == i else each
                          for at, each in enumerate(found)]


def without(i, key):
    return lambda found: [{name: part for name, part in each.items() if name != key or at != i}
                          for at, each in enumerate(found)]


def inside(i, change):
    """Another list of polynomials for one certificate: ``change`` of the right one."""
    return lambda found: [each | {"never_negative": change(each["never_negative"])} if at == i else each
                          for at, each in enumerate(found)]


def written(old, new, family="randomised-response"):
    """The text itself changed, once."""
    text = statements.text_of(family)
    assert old in text
    return lambda found: text.replace(old, new, 1)


def raw(text):
    return lambda found: text


def nested(depth):
    return raw("[" * depth + "]" * depth)


def deep(value, depth):
    for _ in range(depth):
        value = [value]
    return value


def one_more(polynomials):
    return [*polynomials[:-1], {"u": [*polynomials[-1]["u"][:-1], polynomials[-1]["u"][-1] + 1]}]


RESPONSE = {  # of randomised response: seven statements, that hold
    "no statement": lambda found: [],
    "the first dropped": lambda found: found[1:],
    "the last dropped": lambda found: found[:-1],
    "one twice": lambda found: [*found, found[-1]],
    "one twice, another missing": lambda found: [*found[:-1], found[0]],
    "two exchanged": lambda found: [found[1], found[0], *found[2:]],
    "one more, unknown": lambda found: [*found, found[0] | {"name": "5 answers"}],
    "renamed": entry(0, name="5 answers"),
    "renamed as the next": taken(0, "name"),
    "an empty name": entry(0, name=""),
    "a name that is a number": entry(0, name=2),
    "another variable": entry(0, variable="e^(2 epsilon)"),
    "inputs of another": taken(0, "inputs"),
    "inputs and polynomials of another": taken(0, "inputs", "never_negative"),
    "all of another but its name": taken(1, "inputs", "never_negative", "degree", "pairs"),
    "an input less": entry(1, inputs=[0, 1]),
    "an input more": entry(0, inputs=[0, 1, 2]),
    "an input twice": entry(1, inputs=[0, 1, 1]),
    "inputs in another order": entry(1, inputs=[2, 1, 0]),
    "no inputs": without(0, "inputs"),
    "inputs that are true": entry(0, inputs=[False, True]),
    "inputs as text": entry(0, inputs=["0", "1"]),
    "inputs in lists": entry(0, inputs=[[0], [1]]),
    "inputs far down": entry(0, inputs=[deep(0, 500), 1]),
    "a million inputs": entry(0, inputs=list(range(10**6))),
    "a set of sets of nothing": entry(0, inputs=[{"set": [{"set": []}]}, {"set": 1}]),
    "no pairs": without(0, "pairs"),
    "fewer pairs": entry(1, pairs=[[0, 1]]),
    "pairs of places that are none": entry(0, pairs=[[0, 7]]),
    "pairs of three": entry(0, pairs=[[0, 1, 1]]),
    "pairs by another word": entry(0, pairs="every"),
    "the other verdict": entry(0, verdict="breaks"),
    "the other verdict, with a number": entry(0, verdict="breaks", breaks=["2"]),
    "the other verdict, with what is never negative": entry(0, verdict="breaks", always_negative=[0, 2, 1],
                                                            never_negative=[{"u": [1]}, {"u": [1, 1]}]),
    "the other verdict, with nothing": entry(0, verdict="breaks", always_negative=[0],
                                             never_negative=[{"u": [1]}, {"u": [1, 1]}]),
    "an unknown verdict": entry(0, verdict="true"),
    "a number beside the proof": entry(0, breaks=["2"]),
    "a polynomial below 0 beside the proof": entry(0, always_negative=[-1]),
    "a start": entry(0, start="2"),
    "an end": entry(0, end="9"),
    "a start as a number": entry(0, start=1),
    "a degree of one more": lambda found: [found[0] | {"degree": found[0]["degree"] + 1}, *found[1:]],
    "a degree of one less": lambda found: [found[0] | {"degree": found[0]["degree"] - 1}, *found[1:]],
    "no degree": without(0, "degree"),
    "a degree below 0": entry(0, degree=-1),
    "a degree of a billion": entry(0, degree=10**9),
    "a degree of 1,000 digits": entry(0, degree=10**1000),
    "a degree of 10,000 digits": written('"degree":3', '"degree":' + "9" * 10_000),
    "a degree as text": entry(0, degree="3"),
    "a degree with a point": entry(0, degree=3.0),
    "a degree that is true": entry(0, degree=True),
    "a degree of nothing": entry(0, degree=None),
    "a coefficient of one more": inside(0, one_more),
    "a coefficient as text": inside(0, lambda found: [*found[:-1], {"u": ["1", "1"]}]),
    "a coefficient with a point": inside(0, lambda found: [*found[:-1], {"u": [1.0, 1.0]}]),
    "a coefficient that is true": inside(0, lambda found: [*found[:-1], {"u": [1, True]}]),
    "a coefficient of 4,000 digits": inside(0, lambda found: [*found[:-1], {"u": [1, 10**4000]}]),
    "a coefficient that is no number": written('"u":[1]', '"u":[NaN]'),
    "a coefficient without an end": written('"u":[1]', '"u":[-Infinity]'),
    "a coefficient of a huge power": written('"u":[1]', f'"u":[{HUGE}]'),
    "a coefficient of 1e400": written('"u":[1]', '"u":[1e400]'),
    "a negative polynomial": inside(0, lambda found: [*found[:-1], {"u": [-1]}]),
    "a polynomial less": inside(1, lambda found: found[:-1]),
    "no polynomials": without(0, "never_negative"),
    "a polynomial twice": inside(0, lambda found: [*found, found[0]]),
    "a polynomial more": inside(0, lambda found: [*found, {"u": [7, 7]}]),
    "a hundred thousand polynomials": inside(0, lambda found: [{"u": [1]}] * 10**5),
    "a million polynomials": inside(0, lambda found: [{"u": [1]}] * 10**6),
    "a polynomial of a million coefficients": inside(0, lambda found: [*found[:-1], {"u": [1] * 10**6}]),
    "a polynomial by another name": inside(0, lambda found: [*found[:-1], {"v": [1, 1]}]),
    "a polynomial that is a list": inside(0, lambda found: [*found[:-1], [1, 1]]),
    "polynomials in an object": inside(0, lambda found: {"u": [1, 1]}),
    "a chain alone": inside(0, lambda found: [*found[:-1], {"u": [1, 1], "chain": [{"u": [1, 1]}]}]),
    "an empty chain": inside(0, lambda found: [*found[:-1], {"u": [1, -1], "square": [1], "chain": []}]),
    "a chain of numbers": inside(0, lambda found: [*found[:-1], {"u": [1, 1], "square": [1], "chain": [1, 2]}]),
    "links without a and b": inside(0, lambda found: [*found[:-1], {"u": [1, 1], "square": [1],
                                                                   "chain": [{"u": [1, 1]}, {"u": [1]}]}]),
    "an unknown key": entry(0, proof="see above"),
    "a key twice": written('{"name":"2 answers"', '{"name":"7 answers","name":"2 answers"'),
    "a certificate that is a list": lambda found: [list(found[0]), *found[1:]],
    "a certificate that is nothing": lambda found: [None, *found[1:]],
    "an object of certificates": lambda found: {"certificates": found},
    "one certificate alone": lambda found: found[0],
    "nothing": lambda found: None,
    "a number": lambda found: 7,
    "an empty file": raw(""),
    "half a file": lambda found: json.dumps(found)[:-100],
    "two files": lambda found: json.dumps(found) * 2,
    "no JSON": raw("the prover says that all is well"),
    "a hundred thousand brackets": nested(100_000),
    "a thousand brackets": nested(1000),
    "an object in an object, and so on": raw('[{"name":' * 50_000),
}
SIDES = {  # of the coins: one statement without an end, and two with one side of a root each
    "a wider interval": entry(1, end="5"),
    "an interval that ends nowhere": without(1, "end"),
    "an interval that starts earlier": entry(2, start="1"),
    "a gap between two intervals": entry(2, start="6"),
    "an interval turned round": entry(1, start="9", end="1"),
    "intervals exchanged": lambda found: [found[0], found[1] | {"start": found[2]["start"]}, *found[2:]],
    "an end of a huge power": entry(1, end=HUGE),
    "a start of a huge power": entry(2, start="1e1000000"),
    "sizes exchanged": lambda found: [*found[:1], *found[3:], *found[1:3]],
    "a name of another size": lambda found: [*found[:1], found[1] | {"name": found[3]["name"]}, *found[2:]],
}
LISTED = {  # of symmetric response: the first is about lists of which some are neighbours
    "any two are neighbours": entry(0, pairs="all"),
    "a pair less": lambda found: [found[0] | {"pairs": found[0]["pairs"][1:]}, *found[1:]],
    "a pair more": lambda found: [found[0] | {"pairs": [*found[0]["pairs"], [0, 3]]}, *found[1:]],
    "a pair twice": lambda found: [found[0] | {"pairs": [found[0]["pairs"][0], *found[0]["pairs"]]}, *found[1:]],
    "a pair turned round": lambda found: [found[0] | {"pairs": [found[0]["pairs"][0][::-1], *found[0]["pairs"][1:]]},
                                          *found[1:]],
    "pairs of another": taken(0, "pairs"),
    "pairs as text": entry(0, pairs=["0-1", "0-2", "1-3", "2-3"]),
    "a list for a set": lambda found: [found[0] | {"inputs": [each["set"] for each in found[0]["inputs"]]}, *found[1:]],
    "a set for a list": lambda found: [*found[:-1], found[-1] | {"inputs": [{"set": each}
                                                                            for each in found[-1]["inputs"]]}],
}
BROKEN = {  # of neighbour replacement: two statements that are false everywhere
    "said to hold": entry(0, verdict="holds"),
    "said to hold, without a witness": lambda found: [
        {name: part for name, part in found[0].items() if name != "always_negative"} | {"verdict": "holds"},
        *found[1:]],
    "no witness": without(0, "always_negative"),
    "a witness of 0": entry(0, always_negative=[0]),
    "a witness that is not negative": entry(0, always_negative=[1]),
    "a witness of another": taken(0, "always_negative"),
    "a witness as text": entry(0, always_negative=["-1"]),
    "a witness of a million coefficients": entry(0, always_negative=[-1] * 10**6),
    "two witnesses": entry(0, breaks=["2"]),
}
NO_POINT = ["1e1000000", HUGE, "1e-1000000", "-2", "0", "1", "3/2", "1/0", "0/0", "2/", "/2", "2/1/1", "2.5", "0x10",
            "nan", "inf", "-inf", "two", "", " 2", "2\n", "\u0663", "9" * 101, "9" * 10**6, "2_0", 2, 2.5, None, True,
            deep("2", 500), {"t": "2"}]


def text_after(family, change):
    found = change(json.loads(statements.text_of(family)))
    return found if isinstance(found, str) else json.dumps(found)


def refused_at_once(answer):
    start = time.process_time()
    found = answer()
    return found is False and time.process_time() - start < SECONDS


@pytest.mark.parametrize("family, name", [*(("randomised-response", name) for name in RESPONSE),
                                          *(("grr-fs-coins", name) for name in SIDES),
                                          *(("symmetric-response", name) for name in LISTED),
                                          *(("neighbour-replacement-elsewhere", name) for name in BROKEN)])
def test_a_changed_certificate_proves_nothing(family, name):
    said, text = list(statements.FAMILIES[family]()), text_after(family, (RESPONSE | SIDES | LISTED | BROKEN)[name])
    assert refused_at_once(lambda: certificates.verify_text(said, text))


@pytest.mark.parametrize("family", ["randomised-response", "grr-fs-coins", "neighbour-replacement-elsewhere"])
def test_it_is_the_change_that_is_refused(family):
    """The same files pass as they are, and written with spaces and other orders of keys."""
    said = list(statements.FAMILIES[family]())
    assert certificates.verify_text(said, statements.text_of(family))
    assert certificates.verify_text(said, text_after(family, lambda found: json.dumps(found, indent=2, sort_keys=True)))
    assert not certificates.verify_text([], "[]")


def sometimes_false() -> Statement:
    """Two answers, and a bound of (t + 1) / 2 up to t = 2 or so: false where t^2 - 3t + 1 > 0, which is beyond 2.6."""
    return Statement("two", RandomisedResponse(1.0, 2), (0, 1), lambda t: (3 * t - 1, t))


def test_a_number_at_which_it_is_false_is_a_number():
    right = decide(sometimes_false())
    assert right.verdict == "breaks" and right.breaks and verify(sometimes_false(), right)
    assert verify(sometimes_false(), replace(right, breaks=["3", "27/10"]))
    for t in NO_POINT:
        for points in ([t], ["3", t]):
            assert refused_at_once(lambda points=points: verify(sometimes_false(), replace(right, breaks=points))), t
    for points in ("3", ("3",), ["3"] * 101, {"3": "3"}, 3):
        assert refused_at_once(lambda points=points: verify(sometimes_false(), replace(right, breaks=points))), points


def test_a_million_polynomials_are_too_many_without_a_file_too():
    said, right = list(statements.FAMILIES["randomised-response"]())[0], statements.load("randomised-response")[0]
    assert refused_at_once(lambda: verify(said, replace(right, never_negative=[{"u": [1]}] * 10**6)))


def test_a_polynomial_below_zero_has_no_reason():
    """All the polynomials of a statement that is false, each with the reason that there could be, or with none."""
    for family, at in (("grr-fs-coins", 1), ("neighbour-replacement-elsewhere", 0)):
        said, right = list(statements.FAMILIES[family]())[at], statements.load(family)[at]
        chances, gaps = ({prover.in_u(f, said, right.degree) for f in each} for each in prover.polynomials(said))
        for reason in (prover.reason, lambda f: {"u": list(f)}):
            forged = replace(right, verdict="holds", always_negative=[],
                             never_negative=[reason(f) for f in sorted(chances | gaps)])
            assert certificates.well_formed(forged) and certificates.is_about(forged, said)
            assert not verify(said, forged)


JUNK = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
                        st.sampled_from(["u", "a", "b", "q", "square", "chain", "set", "name"]), inner, max_size=4),
                    max_leaves=8)


@settings(max_examples=300)
@given(st.sampled_from(sorted(Certificate.__dataclass_fields__)), JUNK)
def test_whatever_a_certificate_holds_the_answer_is_no(key, junk):
    said = list(statements.FAMILIES["grr-fs-coins"]())[1]
    right = statements.load("grr-fs-coins")[1]
    if junk != getattr(right, key) and (key, junk) != ("always_negative", right.always_negative):
        assert verify(said, replace(right, **{key: junk})) is False


@settings(max_examples=300)
@given(JUNK)
def test_whatever_a_file_holds_the_answer_is_no(junk):
    said = list(statements.FAMILIES["neighbour-replacement"]())
    for text in (json.dumps(junk), json.dumps([junk] * 2)):
        assert certificates.verify_text(said, text) is False
        assert interval_proofs.verify_text([(3, "1", True, "1.85")], text) is False


@pytest.mark.parametrize("other", [None, "holds", 7, [], {}, ("two", "holds")])
def test_what_is_no_certificate_proves_nothing(other):
    assert verify(sometimes_false(), other) is False and interval_proofs.verify(other) is False


# Weights that would like to know who asks.


class Looking(RandomisedResponse):
    """Randomised response that says less of the truth than it does where it notices the prover or the checker."""

    def weights(self, answer, t, one=1):
        return super().weights(answer, self.seen(t), one)


class ByType(Looking):
    def seen(self, t):
        return t if isinstance(t, (int, float, Fraction)) else 1 + 0 * t


class ByChecker(Looking):
    def seen(self, t):
        return 1 + 0 * t if isinstance(t, Unknown) else t


class ByProver(Looking):
    def seen(self, t):
        return 1 + 0 * t if isinstance(t, tuple) else t


class BySize(Looking):
    def seen(self, t):
        return t if t > 1000 else 1 + 0 * t


class ByEquality(Looking):
    def seen(self, t):
        return 1 + 0 * t if t in range(1, 100) else t


class ByTruth(Looking):
    def seen(self, t):
        return t or 1


class AsNumber(Looking):
    def seen(self, t):
        return float(t)


class Counting(Looking):
    """The first hundred times that it is asked."""

    calls = [0]

    def seen(self, t):
        self.calls[0] += 1
        return 1 + 0 * t if self.calls[0] < 100 else t


def shows_less(kind) -> bool:
    """Whether somebody is persuaded that three answers keep a bound of 1, of whom a test would think that they are the
    library's."""
    statement = Statement("three", kind(1.0, 3), (0, 1, 2), lambda t: (1, 1))
    try:
        agrees = all(abs(found[x][x] - 3 / 5) < 1e-9 for found in [certificates.stated(statement, 3)] for x in found)
        return agrees and verify(statement, decide(statement)) and decide(statement).verdict == "holds"
    except TypeError:  # a t without a value cannot be asked for one
        return False


@pytest.mark.parametrize("kind", [ByType, ByChecker, ByProver, BySize, ByEquality, ByTruth, AsNumber, Counting])
def test_weights_cannot_look_at_t(kind):
    assert not shows_less(kind)


def test_of_t_nothing_is_known_and_it_is_asked_for_once():
    asked = []

    class Asked(RandomisedResponse):
        def weights(self, answer, t, one=1):
            asked.append(answer)
            return super().weights(answer, t, one)

    statement = Statement("three", Asked(1.0, 3), (0, 1, 2), lambda t: (t, 1))
    right = decide(statement)
    asked.clear()
    assert verify(statement, right) and asked == [0, 1, 2]
    t = Unknown([], "t")
    for look in (bool, int, float, hash, lambda t: t == 1, lambda t: t != 1, lambda t: t < 1, lambda t: 1 >= t,
                 lambda t: t % 2, lambda t: t / 2, lambda t: abs(t), lambda t: t**-1, lambda t: t**0.5, lambda t: 2**t,
                 lambda t: t + 0.5, lambda t: t * True, lambda t: t + Unknown([], "t"), sorted, "{:d}".format):
        with pytest.raises(TypeError):
            look(t)


# Proofs about the Laplace arg max.

PIECES = {
    "no proof": lambda found: [],
    "one less": lambda found: found[1:],
    "one twice": lambda found: [found[0], *found],
    "another's right proof": lambda found: [found[1], found[1], *found[2:]],
    "more pieces than a proof needs": lambda found: [*found[:3], found[3] | {"steps": [-11] * 12_000}, *found[4:]],
    "classes of another": lambda found: [found[0] | {"num_classes": 4}, *found[1:]],
    "classes exchanged": lambda found: [found[0] | {"num_classes": 3}, found[1] | {"num_classes": 2}, *found[2:]],
    "a smaller factor": lambda found: [*found[:3], found[3] | {"factor": "1.17"}, *found[4:]],
    "a factor of a huge power": lambda found: [found[0] | {"factor": "1e1000000"}, *found[1:]],
    "a factor that is none": lambda found: [found[0] | {"factor": "nan"}, *found[1:]],
    "a factor without an end": lambda found: [found[0] | {"factor": "inf"}, *found[1:]],
    "a factor as a number": lambda found: [found[0] | {"factor": 2}, *found[1:]],
    "a factor of a million digits": lambda found: [found[0] | {"factor": "1." + "3" * 10**6}, *found[1:]],
    "said to be above": lambda found: [found[0] | {"above": True}, *found[1:]],
    "above as a number": lambda found: [found[0] | {"above": 0}, *found[1:]],
    "a wider interval": lambda found: [*found[:-1], found[-1] | {"last": "9.99"}],
    "a narrower interval": lambda found: [*found[:-1], found[-1] | {"last": "0.01"}],
    "an interval of a huge power": lambda found: [*found[:-1], found[-1] | {"last": HUGE}],
    "an interval as a number": lambda found: [*found[:-1], found[-1] | {"last": 5}],
    "no pieces": lambda found: [found[0] | {"steps": []}, *found[1:]],
    "a piece less": lambda found: [found[0] | {"steps": found[0]["steps"][:-1]}, *found[1:]],
    "a piece more": lambda found: [found[0] | {"steps": [*found[0]["steps"], 0]}, *found[1:]],
    "a gap": lambda found: [*found[:-1], found[-1] | {"steps": found[-1]["steps"][:4] + found[-1]["steps"][8:]}],
    "one piece for all": lambda found: [found[0] | {"steps": [9]}, *found[1:]],
    "a piece of a huge length": lambda found: [found[0] | {"steps": [10**9]}, *found[1:]],
    "a piece of no length": lambda found: [found[0] | {"steps": [-10**9]}, *found[1:]],
    "a length of half a step": lambda found: [found[0] | {"steps": [-5.5]}, *found[1:]],
    "a length as text": lambda found: [found[0] | {"steps": ["-5"]}, *found[1:]],
    "a length that is true": lambda found: [found[0] | {"steps": [True]}, *found[1:]],
    "a million pieces": lambda found: [found[0] | {"steps": [-30] * 10**6}, *found[1:]],
    "pieces in an object": lambda found: [found[0] | {"steps": {"0": 1}}, *found[1:]],
    "a billion classes": lambda found: [found[0] | {"num_classes": 10**9}, *found[1:]],
    "one class": lambda found: [found[0] | {"num_classes": 1}, *found[1:]],
    "classes below 0": lambda found: [found[0] | {"num_classes": -2}, *found[1:]],
    "classes with a point": lambda found: [found[0] | {"num_classes": 2.0}, *found[1:]],
    "classes as text": lambda found: [found[0] | {"num_classes": "2"}, *found[1:]],
    "an unknown key": lambda found: [found[0] | {"why": "so"}, *found[1:]],
    "a key missing": lambda found: [{"num_classes": 2}, *found[1:]],
    "far down": lambda found: [found[0] | {"steps": deep(0, 500)}, *found[1:]],
    "no list": lambda found: {"proofs": found},
}


def proofs():
    """Those of five classes at most, within and above."""
    return [each for each in json.loads(statements.text_of(statements.LAPLACE)) if each["num_classes"] <= 5]


def wanted():
    return [(each["num_classes"], each["factor"], each["above"], each["last"]) for each in proofs()]


@pytest.mark.parametrize("name", PIECES)
def test_a_changed_proof_about_laplace_noise_proves_nothing(name):
    text = json.dumps(PIECES[name](proofs()))
    assert refused_at_once(lambda: interval_proofs.verify_text(wanted(), text))


def test_the_right_proofs_about_laplace_noise_pass():
    assert interval_proofs.verify_text(wanted(), json.dumps(proofs()))
    assert not interval_proofs.verify_text([], "[]")


@settings(max_examples=200)
@given(st.sampled_from(["num_classes", "factor", "above", "last", "steps"]), JUNK)
def test_whatever_a_proof_about_laplace_noise_holds_the_answer_is_no(key, junk):
    right = interval_proofs.read(json.dumps(proofs()))[-1]
    for value in (junk, tuple(junk) if isinstance(junk, list) else junk):
        assert value == getattr(right, key) or interval_proofs.verify(replace(right, **{key: value})) is False
