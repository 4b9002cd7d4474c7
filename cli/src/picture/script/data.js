// The data, numbers and dates for people, and what all drawings share.
const D = JSON.parse(document.getElementById("data").textContent);
const F = D.fragments, B = D.boxes, N = F.cells.length;
const $ = (id) => document.getElementById(id);
const sum = (list) => list.reduce((a, b) => a + b, 0);
const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);

const state = { x: 0, y: 1, tiles: false, outlines: true, inOrder: false, hover: -1 };

const count = (n) => Math.round(n).toLocaleString("en-US");
const short = (n) => {
  if (Math.abs(n) < 10000) return Number(n.toPrecision(6)).toLocaleString("en-US");
  if (Math.abs(n) >= 1e15) return n.toExponential(3);
  return new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 }).format(n);
};
function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (n >= 1024 && at + 1 < units.length) { n /= 1024; at++; }
  return (at ? n.toFixed(1) : n) + " " + units[at];
}
function moment(ms, span) {
  const date = new Date(ms);
  if (!(Math.abs(ms) < 8.64e15)) return short(ms);
  const text = date.toISOString();
  if (span > 8 * 864e5) return text.slice(0, 10);
  if (span > 864e5) return text.slice(0, 16).replace("T", " ");
  return text.slice(11, span > 12e4 ? 19 : 23);
}
const full = (ms) => Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString().replace("T", " ").replace(".000Z", "Z") : short(ms);

// The value at a place along a dimension, as text; `span` says how much else is to be seen.
function label(dimension, place, span) {
  if (dimension.kind === "date") return span === undefined ? full(place) : moment(place, span);
  if (dimension.kind !== "text") return span === undefined ? String(Number(place.toPrecision(12))) : short(place);
  const names = dimension.labels;
  let low = 0, high = names.length;
  while (low < high) { const middle = (low + high) >> 1; if (names[middle][0] <= Math.round(place)) low = middle + 1; else high = middle; }
  return low ? names[low - 1][1] : "";
}

// A pseudo-dimension: the order in which fragments were written.
const ORDER = { name: "written (order)", kind: "order", type: "", whole: true, domain: null, extent: null };
const AXES = [...D.dimensions, ORDER];
const LAST = AXES.length - 1;
const counting = Array.from({ length: N }, (_, at) => at);
const sidesOf = (axis) => axis === LAST ? [counting, counting] : F.sides[axis];
const boxSidesOf = (axis) => axis === LAST ? [B.fragment, B.fragment] : B.sides[axis];
// Whole numbers and texts take room: from their place to the next one.
const room = (axis) => AXES[axis].whole || AXES[axis].kind === "text" ? 1 : 0;

// What is stored of a dimension: its ends.
function ends(axis) {
  const [low, high] = sidesOf(axis);
  let from = Infinity, to = -Infinity;
  for (let at = 0; at < N; at++) { if (low[at] < from) from = low[at]; if (high[at] > to) to = high[at]; }
  if (!(from <= to)) { from = 0; to = 1; }
  // Dense fragments are whole tiles, which may reach out of the domain.
  const domain = AXES[axis].domain;
  if (domain && domain[0] <= to && from <= domain[1]) { from = Math.max(from, domain[0]); to = Math.min(to, domain[1]); }
  to += room(axis);
  if (from === to) { const half = Math.abs(from) * 1e-6 || 0.5; from -= half; to += half; }
  return [from, to];
}

// Round numbers between two ends.
function ticks(from, to, wanted, whole) {
  const rough = (to - from) / Math.max(wanted, 1), power = 10 ** Math.floor(Math.log10(rough));
  let step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) || 10);
  if (whole) step = Math.max(1, step);
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to + step * 1e-9 && found.length < 50; at += step) found.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return found;
}
// The same for moments: days, hours, ...
function momentTicks(from, to, wanted) {
  const steps = [1, 10, 100, 1e3, 5e3, 15e3, 6e4, 3e5, 9e5, 36e5, 108e5, 432e5, 864e5, 1728e5, 6048e5, 2592e6, 7776e6, 31536e6, 31536e7];
  const step = steps.find((one) => one * wanted >= to - from);
  return step ? ticksOf(from, to, step) : ticks(from, to, wanted);
}
function ticksOf(from, to, step) {
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to && found.length < 50; at += step) found.push(at);
  return found;
}
const ticksFor = (dimension, from, to, wanted) => dimension.kind === "date" ? momentTicks(from, to, wanted) : ticks(from, to, wanted, dimension.whole || dimension.kind === "text");

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const parts = (hex) => { const full = hex.length === 4 ? [...hex.slice(1)].map((c) => c + c).join("") : hex.slice(1); return [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16)); };

// A canvas as sharp as the screen.
function sharp(canvas) {
  const scale = window.devicePixelRatio || 1, { width, height } = canvas.getBoundingClientRect();
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const to = canvas.getContext("2d");
  to.setTransform(scale, 0, 0, scale, 0, 0);
  to.font = '12px system-ui, "DejaVu Sans", sans-serif';
  return { to, width, height };
}

function tip(event, build) {
  const box = $("tip");
  box.hidden = !build;
  if (!build) return;
  box.replaceChildren(...build);
  const { width, height } = box.getBoundingClientRect();
  box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  box.style.top = Math.max(4, event.clientY + 14 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 14) + "px";
}
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
// A fragment in words.
function told(at, before) {
  const lines = [element("b", `fragment ${count(at + 1)} of ${count(N)} (${F.name[at]}...)`)];
  const line = (text) => lines.push(element("div", text));
  if (before) line(before);
  line(F.from[at] === F.to[at] ? `written ${full(F.from[at])}` : `merged, written ${full(F.from[at])} to ${full(F.to[at])}`);
  line(`${count(F.cells[at])} stored cells, ${bytes(F.bytes[at])}, ${count(F.tiles[at])} tiles`);
  D.dimensions.slice(0, 6).forEach((dimension, axis) => line(`${dimension.name}: ${label(dimension, F.sides[axis][0][at])} to ${label(dimension, F.sides[axis][1][at])}`));
  if (D.dimensions.length > 6) line(`and ${D.dimensions.length - 6} more dimensions`);
  if (D.query) line((F.read[at] ? `the query reads ${count(F.tiles_read[at])} of its tiles` : "the query does not read it") + (F.tiles_excluded[at] ? `, ${count(F.tiles_excluded[at])} excluded by the condition` : ""));
  return lines;
}
