// When fragments were written, and how many cells they have; and how many fragments have as many.
function timeScale(width, height) {
  const left = 58, right = 14, top = 10, bottom = 28;
  let from = 0, to = Math.max(N - 1, 1);
  if (!state.inOrder) {
    from = F.from.reduce((a, b) => Math.min(a, b), Infinity);
    to = most(F.to);
    if (!(from < to)) { from = (N ? from : 0) - 500; to = from + 1000; }
  }
  const high = Math.log10(Math.max(10, most(F.cells))), w = width - left - right, h = height - top - bottom;
  return { left, top, w, h, from, to, high, px: (at) => left + 6 + (at - from) / (to - from) * (w - 12),
    py: (cells) => top + h - Math.log10(Math.max(1, cells)) / high * (h - 8) };
}
const begins = (at) => state.inOrder ? at : F.from[at];
const finishes = (at) => state.inOrder ? at : F.to[at];

function drawTime() {
  const { to, width, height } = sharp($("time")), scale = timeScale(width, height);
  to.clearRect(0, 0, width, height);
  to.strokeStyle = colour("line");
  to.strokeRect(scale.left, scale.top, scale.w, scale.h);
  if (!N) return nothing(to, width, height);
  to.fillStyle = colour("soft");
  to.textBaseline = "middle";
  to.textAlign = "right";
  const step = Math.max(1, Math.ceil(scale.high / 5));
  for (let power = 0; power <= scale.high + 0.01; power += step) {
    const y = scale.py(10 ** power);
    to.fillText(short(10 ** power), scale.left - 6, y);
    to.beginPath();
    to.moveTo(scale.left, y);
    to.lineTo(scale.left + scale.w, y);
    to.stroke();
  }
  to.textAlign = "center";
  to.textBaseline = "top";
  const span = scale.to - scale.from, wanted = scale.w / 130;
  let end = -Infinity;
  for (const at of state.inOrder ? ticks(scale.from, scale.to, wanted, true) : momentTicks(scale.from, scale.to, wanted)) {
    const text = state.inOrder ? count(at + 1) : moment(at, span), half = to.measureText(text).width / 2;
    if (scale.px(at) - half < end + 8 || scale.px(at) + half > width) continue;
    to.fillText(text, scale.px(at), scale.top + scale.h + 7);
    end = scale.px(at) + half;
  }
  // Too many sticks are a wall: then there are points.
  const points = N > 800;
  const wide = points ? 2 : Math.max(1, Math.min(7, scale.w / N - 1.5));
  const draw = (wanted, name, alpha) => {
    to.fillStyle = colour(name);
    to.globalAlpha = alpha;
    for (let at = 0; at < N; at++) {
      if (!wanted(at)) continue;
      const x = scale.px(begins(at)), y = scale.py(F.cells[at]), length = scale.px(finishes(at)) - x;
      if (length > wide) to.fillRect(x - wide / 2, y - (points ? 1 : 3), length + wide, points ? 2 : 6);
      else to.fillRect(x - wide / 2, y - (points ? 1 : 0), wide, points ? 2.5 : Math.max(2, scale.top + scale.h - y));
    }
    to.globalAlpha = 1;
  };
  draw(() => true, "bar", (D.query ? 0.4 : 0.9) * (points ? 0.6 : 1));
  if (D.query) draw((at) => F.read[at], "mark", 1);
  if (state.hover >= 0) draw((at) => at === state.hover, "ink", 1);
  const list = [element("span", `height: stored cells (logarithmic); a ${points ? "point" : "stick"} is one write, a bar lying flat is a merge of writes from its left to its right end`)];
  if (D.query) list.push(element("span", "strong: the query reads it"));
  $("time-legend").replaceChildren(...list);
}

// The fragment nearest to a moment, and to a number of cells among those at the same place.
function at(event) {
  const box = $("time").getBoundingClientRect(), scale = timeScale(box.width, box.height);
  const mx = event.clientX - box.left, my = event.clientY - box.top;
  let best = -1, near = 15;
  for (let one = 0; one < N; one++) {
    const a = scale.px(begins(one)), b = scale.px(finishes(one)), y = scale.py(F.cells[one]);
    const away = Math.max(0, a - mx, mx - b) + (b - a > 7 || my < y ? 0.2 * Math.abs(my - y) : 0);
    if (away < near) { near = away; best = one; }
  }
  return best;
}

const SVG = "http://www.w3.org/2000/svg";
function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawCells() {
  const svg = $("cells"), { width, height } = svg.getBoundingClientRect();
  svg.replaceChildren();
  if (!N) return svg.append(shape("text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "soft" }, "Nothing is stored yet."));
  // Each bar holds twice as many cells as the one before it.
  const bin = (cells) => cells < 1 ? 0 : Math.floor(Math.log2(cells)), bins = new Map();
  for (const cells of F.cells) bins.set(bin(cells), (bins.get(bin(cells)) || 0) + 1);
  let first = Math.min(...bins.keys()), last = Math.max(...bins.keys());
  while (last - first < 4) { last++; if (first > 0) first--; }
  const top = Math.max(...bins.values()), left = 8, base = height - 20, step = (width - 16) / (last - first + 1);
  const every = Math.max(1, Math.ceil(44 / step));
  for (let at = first; at <= last; at++) {
    const many = bins.get(at) || 0, tall = many / top * (base - 26), x = left + (at - first) * step;
    if (many) {
      const bar = shape("rect", { x: x + 1.5, y: base - tall, width: Math.max(2, step - 3), height: Math.max(1.5, tall), rx: 2, fill: "var(--bar)" });
      bar.onmousemove = (event) => tip(event, [element("b", `${count(many)} fragments`), element("div", `with ${count(2 ** at)} to ${count(2 ** (at + 1) - 1)} stored cells`)]);
      bar.onmouseleave = () => tip();
      svg.append(bar);
      if (step > 22 || bins.size < 6) {
        const text = short(many), half = 4 * text.length;
        svg.append(shape("text", { x: Math.max(half, Math.min(width - half, x + step / 2)), y: base - tall - 6, "text-anchor": "middle" }, text));
      }
    }
    if ((at - first) % every === 0) {
      const right = x + 46 > width;
      svg.append(shape("text", { x: right ? width - 2 : x + 2, y: base + 15, class: "soft", "text-anchor": right ? "end" : "start" }, short(2 ** at)));
    }
  }
  svg.append(shape("line", { x1: left, x2: width - 8, y1: base + 0.5, y2: base + 0.5, stroke: "var(--grid)" }));
}
