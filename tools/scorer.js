// How the site's search ranks (tools/site_search.py). Sphinx adds this to a script that all pages load, behind a
// statement that has no end of its own.
;(() => {
  const SUBJECTS = SUBJECTS_OF_PAGES; // page -> what readers call what it is about
  const SMALL = new Set(("a about am an and any are as at be by can do does for from had has have how i if in into is it " +
    "its me much my of on one or our should so than that the their them there they this to use used using was we were " +
    "what when where which who why will with you your").split(" "));
  const ALIKE = 40, NEAR = 0.5; // points of a page whose subject was asked for; from when on it is one
  // Points of pages that explain less than a chapter, and of the library's objects, unless a name of code was asked for.
  const BEHIND = [[/^book\/api/, -9], [/_evidence$|^book\/assignments|^chapters\/1[45]/, -4], [/^book\/(ex|st|bi)/, -4]];
  const OBJECT = -12, MOST = 20, CODE = /^\S*([._]|[a-z][A-Z])\S*$/; // what Sphinx found has at most so many; a name of code
  const STRANGE = 2; // weight of a word that no subject has; of those that one has it is 6
  const SHORT = {dp: "differential privacy", ldp: "local differential privacy", gnn: "graph neural network",
    gnns: "graph neural network", mia: "membership inference attack"};

  let stemmer; // Sphinx's own, which may come after this in the same file

  /** Words as they count: stems, of one spelling, without those that say nothing. */
  function words(text) {
    const plain = text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/[’']s\b/g, "")
      .replace(/neighbor/g, "neighbour").replace(/([a-z])iz(?=[aei])/g, "$1is")
      .replace(/[a-z]+/g, word => SHORT[word] ?? word);
    return new Set(plain.split(/[^\p{L}\p{N}]+/u).filter(word => word && !SMALL.has(word))
      .map(word => (stemmer ??= new Stemmer()).stemWord(word)));
  }

  /** What tells pages apart counts more: a word's weight falls with the number of subjects that have it. */
  function weigher(subjects) {
    const count = new Map();
    for (const word of subjects.flatMap(subject => [...subject])) count.set(word, (count.get(word) ?? 0) + 1);
    return some => [...some].reduce((sum, word) =>
      sum + (count.has(word) ? Math.log(1 + subjects.length / count.get(word)) : STRANGE), 0);
  }

  /** From 0 to 1: the share of what both say. A subject of which all was asked for may have been asked for in more. */
  function alike(asked, subject, weight) {
    const both = weight([...asked].filter(word => subject.has(word)));
    if (!both) return 0;
    const whole = both === weight(subject) ? 0.3 + 0.7 * both / weight(asked) : 0;
    return Math.max(whole, both / Math.max(weight(asked), weight(subject)));
  }

  /** The results, the best at the end, as Sphinx wants them: [page, title, anchor, what it is, score, file]. */
  function ranked(query, results, {docnames, titles, filenames}) {
    const asked = words(query), pages = Object.keys(SUBJECTS);
    const subjects = docnames.map((page, i) => [titles[i], ...SUBJECTS[page] ?? []].map(words));
    const weight = weigher(subjects.flat());
    const fit = new Map(docnames.map((page, i) =>
      [page, Math.max(...subjects[i].map(subject => alike(asked, subject, weight)))]));
    const code = CODE.test(query.trim()) && Math.max(...fit.values()) < 1; // LapGraph is both, and explained on a page
    if (code) fit.clear();
    const whole = ([, , anchor, what]) => anchor === "" && what === null;
    const there = new Set(results.filter(whole).map(([page]) => page));
    const more = docnames.flatMap((page, i) => there.has(page) || !(fit.get(page) >= NEAR) || !SUBJECTS[page] ? [] :
      [[page, titles[i], "", null, Scorer.term, filenames[i]]]);
    const place = page => pages.includes(page) ? pages.indexOf(page) : pages.length;
    const behind = page => BEHIND.reduce((sum, [kind, points]) => sum + (kind.test(page) ? points : 0), 0);
    const scored = [...results, ...more].map(found => {
      const [page, , , what, score] = found;
      const subject = whole(found) && fit.get(page) >= NEAR ? ALIKE * fit.get(page) : 0;
      const points = code ? score : Math.min(score, MOST) + subject + behind(page) + (what === null ? 0 : OBJECT);
      return [points - place(page) / 1000, found];
    });
    return scored.sort(([one], [other]) => one - other).map(([, found]) => found);
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (typeof Search === "undefined") return; // a page that cannot search
    const found = Search._performSearch;
    Search._performSearch = (query, ...rest) => ranked(query, found(query, ...rest), Search._index);
  });
})();
