// Full-text search: MiniSearch on stemmed words, with these rules of ranking. tools/docs/test_site.py runs this file, too.
const LIMIT = 40;
const FIELDS = { title: 8, about: 2, text: 1 };
const WEIGHTS = { guide: 1.3, term: 1.5, section: 1.2, parameter: 1.1, option: 0.9, member: 0.6, change: 0.25 };
// Pages about the project rather than about its use.
const INTERNAL = /^docs-(architecture|testing|rejected)/;
// Words that nearly every text has.
const COMMON = new Set("a an and are as at be by can do does for from how i in is it its my of on or so that the they this to what when with".split(" "));
// Words of readers for which the book has another one.
const SYNONYMS = { limit: ["budget"], ram: ["memory"], remove: ["delete"], insert: ["append"], compact: ["consolidate"], row: ["cell"],
  rows: ["cells"], column: ["attribute"], columns: ["attributes"], categorical: ["enumeration"], compaction: ["consolidation"] };

// Words and names; an option begins with its dashes.
const WORD = /(?:(?<!\S)--?)?[\p{L}\p{N}]+(?:(?:::|[-._:/])+[\p{L}\p{N}]+)*/gu;

// The parts of a name, such as sm, memory and budget of `sm.memory_budget`.
function partsOf(word) {
  return word.split(/[^\p{L}\p{N}]+|(?<=\p{Ll}{2})(?=\p{Lu}\p{Ll})/u).filter(Boolean);
}

// The words of a text, and the parts of those that are names.
function wordsOf(text) {
  const words = [];
  for (const [word] of text.matchAll(WORD)) {
    const parts = partsOf(word);
    words.push(...(parts[0] === word ? [word] : [word, ...parts]));
  }
  return words;
}

const stems = new Map();
function stemOf(word) {
  const lower = word.toLowerCase();
  if (!stems.has(lower)) stems.set(lower, COMMON.has(lower) ? null : /^[a-z]+$/.test(lower) ? stemmer(lower) : lower);
  return stems.get(lower);
}

// What a word is found by: its stem, and in titles and descriptions itself, since a misspelled ending has another stem.
function termsOfWord(word, field) {
  const stem = stemOf(word), lower = word.toLowerCase();
  return stem === null || stem === lower || field === "text" ? stem : [stem, lower];
}

// The index of the entries [title, address, kind, description, text].
function indexOf(entries) {
  const index = new MiniSearch({ fields: Object.keys(FIELDS), tokenize: wordsOf, processTerm: termsOfWord });
  index.addAll(entries.map(([title, , , about, text], id) => ({ id, title, about, text })));
  return index;
}

// The words of a query; common ones only if it has no others.
function termsOf(query) {
  const words = query.match(WORD) ?? [];
  const rare = words.filter((word) => stemOf(word) !== null);
  return rare.length ? rare : words;
}

// A word, as a query of MiniSearch: a name by all of its parts, or one of its synonyms; a misspelled word also as it is.
function queryOf(word, fuzzy) {
  const terms = (part) => [stemOf(part) ?? part.toLowerCase(), ...(fuzzy ? [part.toLowerCase()] : [])];
  const either = (part) => ({ combineWith: "OR", queries: terms(part) });
  const parts = word.startsWith("-") ? [word] : partsOf(word).filter((part) => stemOf(part) !== null);
  const synonyms = SYNONYMS[word.toLowerCase()] ?? [];
  return { combineWith: "OR", queries: [{ combineWith: "AND", queries: (parts.length ? parts : [word]).map(either) }, ...synonyms.map(stemOf)] };
}

// The best entries, best first: those with all words; if there are none, those with similar words; at last, those with one of them.
function find(index, entries, query) {
  const words = termsOf(query), wanted = query.trim().replace(/\s+/g, " "), phrase = wanted.toLowerCase();
  if (words.length === 0) return [];
  const isName = words.length > 1 || partsOf(words[0]).length > 1;
  let results = [];
  for (const [fuzzy, combineWith] of [[false, "AND"], [true, "AND"], [false, "OR"]]) {
    if (results.length) break;
    results = index.search({ combineWith, queries: words.map((word) => queryOf(word, fuzzy)) }, {
      boost: FIELDS, prefix: (term) => term.length > 2, weights: { prefix: 0.3, fuzzy: 0.2 },
      fuzzy: (term) => fuzzy && term.length > 3 ? (term.length > 7 ? 2 : 1) : false,
      tokenize: (term) => [term], processTerm: (term) => term,
    });
  }
  const ranked = results.map(({ id, score }) => {
    const [title, address, kind, about, text] = entries[id], lower = title.toLowerCase();
    let points = score * (WEIGHTS[kind] ?? 1) * (INTERNAL.test(address) ? 0.05 : 1);
    if (title === wanted) points *= 1e6;
    else if (lower === phrase) points *= 1e3;
    else if (lower.startsWith(phrase)) points *= 4;
    // Who types so many words quotes a message or a passage.
    if (isName && [title, about, text].some((where) => where.toLowerCase().includes(phrase))) points *= words.length > 3 ? 1e3 : 4;
    return [points, entries[id]];
  });
  return ranked.sort((a, b) => b[0] - a[0]).slice(0, LIMIT).map(([, entry]) => entry);
}

// What of an entry is shown: its description, or the text around the first match that is not in its title.
function excerpt([title, , kind, about, text], query) {
  const lower = text.toLowerCase(), known = `${title} ${about}`.toLowerCase();
  const places = termsOf(query).map((word) => stemOf(word) ?? word.toLowerCase()).filter((word) => !known.includes(word)).map((word) => lower.indexOf(word));
  const place = places.find((at) => at >= 0) ?? -1;
  const before = kind === "section" || kind === "change" ? `${about}: ` : "";
  if (place < 0) return before ? before + text.slice(0, 120) : about;
  const start = place < 50 ? 0 : text.lastIndexOf(" ", place - 40) + 1;
  return before + (start > 0 ? "… " : "") + text.slice(start, start + 160);
}
