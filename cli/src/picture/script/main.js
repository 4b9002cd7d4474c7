// Puts all together: figures, buttons, keys, pointer.
const started = performance.now();

function drawHead() {
  $("name").textContent = D.name;
  const dims = D.dimensions.map((dimension) => `${dimension.name} ${dimension.type}`).slice(0, 6).join(", ") + (D.dimensions.length > 6 ? ", ..." : "");
  $("kind").textContent = `${D.uri} · ${D.dense ? "dense" : "sparse"} array over ${dims} · format version ${D.version}`;
  const figure = (value, text) => { const made = element("span", text); made.prepend(element("b", value)); return made; };
  const list = [figure(N ? short(sum(F.cells)) : "0", "stored cells"), figure(count(N), N === 1 ? "fragment" : "fragments"), figure(short(sum(F.tiles)), "tiles"),
    figure(bytes(sum(F.bytes)), "stored"), figure(count(D.attributes), D.attributes === 1 ? "attribute" : "attributes")];
  if (N) list.push(figure(full(most(F.to)).slice(0, 19), "last written (UTC)"));
  $("figures").replaceChildren(...list);
}

function button(text, pressed, does) {
  const made = element("button", text);
  made.setAttribute("aria-pressed", pressed);
  made.onclick = does;
  return made;
}
function chooser(which) {
  const made = element("select");
  made.setAttribute("aria-label", which);
  AXES.forEach((axis, at) => made.append(new Option(axis.name, at, false, at === state[which])));
  made.onchange = () => choose(which, Number(made.value));
  return made;
}
function choose(which, axis) {
  const other = which === "x" ? "y" : "x";
  if (axis === state[other]) state[other] = state[which];
  state[which] = axis;
  draw();
}

function drawControls() {
  const list = ["across", chooser("x"), "down", chooser("y"), button("swap", false, swap)];
  if (B.fragment.length) list.push(button("fragments", !state.tiles, () => show(false)), button("tiles", state.tiles, () => show(true)));
  list.push(button("outlines", state.outlines, edges));
  $("space-controls").replaceChildren(...list);
  $("time-controls").replaceChildren(button("by time", !state.inOrder, () => order(false)), button("in order", state.inOrder, () => order(true)));
}
const swap = () => { [state.x, state.y] = [state.y, state.x]; draw(); };
const show = (tiles) => { state.tiles = tiles && B.fragment.length > 0; draw(); };
const edges = () => { state.outlines = !state.outlines; draw(); };
const order = (is) => { state.inOrder = is; draw(); };
const next = (which) => { const other = state[which === "x" ? "y" : "x"]; let axis = state[which]; do axis = (axis + 1) % AXES.length; while (axis === other); choose(which, axis); };

function draw() {
  drawControls();
  drawSpace();
  drawTime();
}
function drawAll() {
  drawHead();
  drawGain();
  drawQuery();
  drawFields();
  drawCells();
  drawValues();
  draw();
}

let waiting = 0;
function hover(at) {
  if (at === state.hover) return;
  state.hover = at;
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => { drawSpace(); drawTime(); });
}
const leave = () => { tip(); hover(-1); };
$("space").onmousemove = (event) => {
  const { best, many } = under(event);
  hover(best);
  tip(event, best < 0 ? null : told(best, many > 1 ? `${count(many)} fragments lie here; this is the smallest` : ""));
};
$("time").onmousemove = (event) => { const best = at(event); hover(best); tip(event, best < 0 ? null : told(best)); };
$("space").onmouseleave = $("time").onmouseleave = leave;

const dark = (is) => { document.documentElement.classList.toggle("dark", is); drawAll(); };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const does = { x: () => next("x"), y: () => next("y"), s: swap, m: () => show(!state.tiles), o: edges, t: () => order(!state.inOrder), d: () => dark(!document.documentElement.classList.contains("dark")) }[event.key];
  if (does) does();
});
let resizing = 0;
addEventListener("resize", () => { cancelAnimationFrame(resizing); resizing = requestAnimationFrame(drawAll); });
const wish = matchMedia("(prefers-color-scheme: dark)");
wish.onchange = () => dark(wish.matches);

// A matrix has its rows downwards and its columns across; of more dimensions the last two are drawn.
const isMatrix = D.dense || D.dimensions.slice(0, 2).every((dimension) => dimension.kind === "number" && dimension.whole);
if (D.dimensions.length === 1) state.y = LAST;
else if (D.values && D.values.map) { state.x = D.values.across.axis; state.y = D.values.down.axis; }
else if (isMatrix) { state.y = D.dense ? D.dimensions.length - 2 : 0; state.x = state.y + 1; }
// Writes that came at equal distances, or all at once, are seen better in order.
state.inOrder = N > 1 && (most(F.to) - F.from.reduce((a, b) => Math.min(a, b), Infinity)) === 0;
document.documentElement.classList.toggle("dark", wish.matches);
drawAll();
document.documentElement.dataset.drawn = (performance.now() - started).toFixed(1);
