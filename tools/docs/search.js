// Full-text search of the index: every word of the query must occur in an entry. tools/docs/test_site.py runs this file, too.
const LIMIT = 40;
const WEIGHTS = { guide: 90, term: 90, section: 60, parameter: 80, option: 70, class: 40, function: 40, type: 30 };

// A word without the ending of its plural, so that "queries" finds "query".
function stem(word) {
  return word.length > 4 ? word.replace(/(ies|es|s|y)$/, "") : word;
}

// Words that nearly every text has are not searched, unless there are no others.
const COMMON = new Set("a an and are as at by for from in is it its of on or so that the they this to with".split(" "));

function wordsOf(query) {
  const words = query.toLowerCase().split(/[\s,;]+/).filter(Boolean);
  const rare = words.filter((word) => !COMMON.has(word));
  return (rare.length > 0 ? rare : words).map(stem);
}

// How well an entry matches: words in its title count most, then in its description, then in its text; null if one is missing.
function score([title, , kind, about, text], words, phrase) {
  const places = [[title.toLowerCase(), 1000], [about.toLowerCase(), 100], [text.toLowerCase(), 10]];
  let sum = WEIGHTS[kind] ?? 0;
  for (const word of words) {
    const place = places.find(([where]) => where.includes(word));
    if (!place) return null;
    const at = place[0].indexOf(word);
    // Within a longer word, as "read" in "thread", it counts half.
    sum += at === 0 || /[\W_]/.test(place[0][at - 1]) ? place[1] : place[1] / 2;
  }
  if (places[0][0] === phrase) sum += 5000;
  else if (places[0][0].startsWith(phrase)) sum += 500;
  if (words.length > 1 && places.some(([where]) => where.includes(phrase))) sum += 300 * words.length;
  return sum - Math.min(title.length, 60);
}

// The best entries, best first.
function find(index, query) {
  const words = wordsOf(query);
  const phrase = query.toLowerCase().trim().replace(/\s+/g, " ");
  if (words.length === 0) return [];
  return index.map((entry) => [score(entry, words, phrase), entry])
    .filter(([points]) => points !== null)
    .sort((a, b) => b[0] - a[0])
    .slice(0, LIMIT)
    .map(([, entry]) => entry);
}

// What of an entry is shown: its description, or the text around the first match that is not in its title.
function excerpt([title, , kind, about, text], query) {
  const outside = wordsOf(query).find((word) => !title.toLowerCase().includes(word) && !about.toLowerCase().includes(word));
  const place = outside ? text.toLowerCase().indexOf(outside) : -1;
  if (place < 0) return kind === "section" || kind === "change" ? `${about}: ${text.slice(0, 120)}` : about;
  const start = place < 50 ? 0 : text.lastIndexOf(" ", place - 40) + 1;
  return (kind === "section" || kind === "change" ? `${about}: ` : "") + (start > 0 ? "… " : "") + text.slice(start, start + 160);
}
