// Fragments and tiles in two dimensions: overlaps as heat, outlines, the tile grid, the query.
const space = { margin: { left: 104, right: 14, top: 10, bottom: 40 }, heat: null };

// On a map north is at the top.
const isNorthUp = () => Boolean(D.values && D.values.map && D.values.down.axis === state.y);

function spaceScale(width, height) {
  const { left, right, top, bottom } = space.margin;
  const [x0, x1] = ends(state.x), [y0, y1] = ends(state.y);
  const w = Math.max(10, width - left - right), h = Math.max(10, height - top - bottom);
  return { left, top, w, h, x0, x1, y0, y1,
    px: (x) => left + (x - x0) / (x1 - x0) * w, py: (y) => top + (isNorthUp() ? y1 - y : y - y0) / (y1 - y0) * h };
}

// How many boxes lie over each small square: a sum of corners, so that the number of boxes hardly matters.
function heatOf(scale, sides, weights, many) {
  const columns = Math.max(1, Math.floor(scale.w / 4)), rows = Math.max(1, Math.floor(scale.h / 4));
  const grid = new Float64Array((columns + 1) * (rows + 1));
  const cut = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
  const [[xl, xh], [yl, yh]] = sides, rx = room(state.x), ry = room(state.y);
  const last = (low, high, r, from, to, size) => { const end = (high + r - from) / (to - from) * size; return cut(r || high > low ? Math.ceil(end) - 1 : end, size); };
  for (let at = 0; at < many; at++) {
    const a = cut((xl[at] - scale.x0) / (scale.x1 - scale.x0) * columns, columns), b = Math.max(a, last(xl[at], xh[at], rx, scale.x0, scale.x1, columns));
    const c = cut((yl[at] - scale.y0) / (scale.y1 - scale.y0) * rows, rows), d = Math.max(c, last(yl[at], yh[at], ry, scale.y0, scale.y1, rows));
    const weight = weights ? weights[at] : 1, width = columns + 1;
    grid[c * width + a] += weight;
    grid[c * width + b + 1] -= weight;
    grid[(d + 1) * width + a] -= weight;
    grid[(d + 1) * width + b + 1] += weight;
  }
  for (let row = 0; row <= rows; row++)
    for (let column = 0; column <= columns; column++) {
      const at = row * (columns + 1) + column;
      grid[at] += (column ? grid[at - 1] : 0) + (row ? grid[at - columns - 1] : 0) - (column && row ? grid[at - columns - 2] : 0);
    }
  let top = 0, filled = 0, all = 0;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const value = grid[row * (columns + 1) + column];
      if (value > 0.5) { filled++; all += value; if (value > top) top = value; }
    }
  return { grid, columns, rows, top, mean: filled ? all / filled : 0 };
}

function paintHeat(to, scale, heat) {
  const image = new ImageData(heat.columns, heat.rows), low = parts(colour("low")), high = parts(colour("high"));
  const over = Math.log(Math.max(heat.top, 2));
  for (let row = 0; row < heat.rows; row++)
    for (let column = 0; column < heat.columns; column++) {
      const value = heat.grid[row * (heat.columns + 1) + column];
      if (value < 0.5) continue;
      const share = 0.12 + 0.88 * Math.log(value) / over, at = 4 * ((isNorthUp() ? heat.rows - 1 - row : row) * heat.columns + column);
      for (let part = 0; part < 3; part++) image.data[at + part] = low[part] + (high[part] - low[part]) * share;
      image.data[at + 3] = 255;
    }
  const small = document.createElement("canvas");
  small.width = heat.columns;
  small.height = heat.rows;
  small.getContext("2d").putImageData(image, 0, 0);
  to.imageSmoothingEnabled = false;
  to.drawImage(small, scale.left, scale.top, scale.w, scale.h);
}

function rectangle(scale, sides, at, least) {
  const [[xl, xh], [yl, yh]] = sides;
  const x = scale.px(xl[at]), ends = [scale.py(yl[at]), scale.py(yh[at] + room(state.y))], y = Math.min(...ends);
  return [x, y, Math.max(least, scale.px(xh[at] + room(state.x)) - x), Math.max(least, Math.max(...ends) - y)];
}

function outline(to, scale, sides, many, wanted) {
  to.beginPath();
  for (let at = 0; at < many; at++) if (wanted(at)) to.rect(...rectangle(scale, sides, at, 2));
  to.stroke();
}

// A kind of axis along the left or the bottom.
// Labels of whole numbers and texts are in the middle of their room, and not behind the last one.
const ticksOfAxis = (axis, from, to, wanted) => ticksFor(AXES[axis], from, to - room(axis), wanted);
// The margin that the labels down the side need.
function fitLabels(to, height) {
  const [from, until] = ends(state.y), { top, bottom } = space.margin;
  const widths = ticksOfAxis(state.y, from, until, (height - top - bottom) / 45).map((at) => to.measureText(label(AXES[state.y], at, until - from)).width);
  space.margin.left = Math.min(310, Math.max(56, Math.ceil(most(widths)) + 30));
}

function axisLines(to, scale) {
  to.strokeStyle = colour("line");
  to.fillStyle = colour("soft");
  to.lineWidth = 1;
  to.strokeRect(scale.left, scale.top, scale.w, scale.h);
  const x = AXES[state.x], y = AXES[state.y], unit = (axis) => axis.type && axis.kind === "date" ? " (date)" : "";
  to.textAlign = "center";
  to.textBaseline = "top";
  let end = -Infinity;
  for (const at of ticksOfAxis(state.x, scale.x0, scale.x1, scale.w / 110)) {
    const text = label(x, at, scale.x1 - scale.x0), place = scale.px(at + room(state.x) / 2), half = to.measureText(text).width / 2;
    if (place - half < end + 8 || place + half > scale.left + scale.w + 12) continue;
    to.fillText(text, place, scale.top + scale.h + 6);
    end = place + half;
  }
  to.fillStyle = colour("ink");
  to.fillText(x.name + unit(x), scale.left + scale.w / 2, scale.top + scale.h + 23);
  to.textAlign = "right";
  to.textBaseline = "middle";
  to.fillStyle = colour("soft");
  for (const at of ticksOfAxis(state.y, scale.y0, scale.y1, scale.h / 45)) {
    let text = label(y, at, scale.y1 - scale.y0);
    while (text.length > 2 && to.measureText(text).width > scale.left - 28) text = text.slice(0, -2) + "…";
    to.fillText(text, scale.left - 6, scale.py(at + room(state.y) / 2));
  }
  to.save();
  to.translate(10, scale.top + scale.h / 2);
  to.rotate(-Math.PI / 2);
  to.textAlign = "center";
  to.fillStyle = colour("ink");
  to.fillText(y.name + unit(y), 0, 0);
  to.restore();
}

function tileGrid(to, scale) {
  to.strokeStyle = colour("grid");
  to.lineWidth = 0.6;
  to.beginPath();
  const along = (axis, from, to_, length, draw) => {
    const { extent, domain } = AXES[axis];
    if (!extent || !domain || length * extent / (to_ - from) < 5) return;
    for (let at = domain[0] + Math.ceil((from - domain[0]) / extent) * extent; at < to_; at += extent) draw(at);
  };
  along(state.x, scale.x0, scale.x1, scale.w, (at) => { to.moveTo(scale.px(at), scale.top); to.lineTo(scale.px(at), scale.top + scale.h); });
  along(state.y, scale.y0, scale.y1, scale.h, (at) => { to.moveTo(scale.left, scale.py(at)); to.lineTo(scale.left + scale.w, scale.py(at)); });
  to.stroke();
}

function queryBox(to, scale) {
  const all = (axis, from, to_) => axis === LAST || !D.query.ranges[axis].length ? [[from, to_]] : D.query.ranges[axis].map(([a, b]) => [Math.max(from, a), Math.min(to_, b + room(axis))]);
  to.setLineDash([6, 4]);
  to.strokeStyle = colour("mark");
  to.lineWidth = 2;
  for (const [a, b] of all(state.x, scale.x0, scale.x1))
    for (const [c, d] of all(state.y, scale.y0, scale.y1))
      if (a <= b && c <= d) to.strokeRect(scale.px(a), Math.min(scale.py(c), scale.py(d)), Math.max(3, scale.px(b) - scale.px(a)), Math.max(3, Math.abs(scale.py(d) - scale.py(c))));
  to.setLineDash([]);
}

function drawSpace() {
  const { to, width, height } = sharp($("space"));
  fitLabels(to, height);
  const scale = spaceScale(width, height);
  to.clearRect(0, 0, width, height);
  axisLines(to, scale);
  if (!N) return nothing(to, width, height);
  const byTile = state.tiles && B.fragment.length > 0;
  const sides = byTile ? [boxSidesOf(state.x), boxSidesOf(state.y)] : [sidesOf(state.x), sidesOf(state.y)];
  const many = byTile ? B.fragment.length : N, read = byTile ? B.read : F.read;
  space.heat = heatOf(scale, sides, byTile ? B.tiles : null, many);
  to.save();
  to.beginPath();
  to.rect(scale.left - 1, scale.top - 1, scale.w + 2, scale.h + 2);
  to.clip();
  paintHeat(to, scale, space.heat);
  tileGrid(to, scale);
  if (state.outlines) {
    to.strokeStyle = colour("edge");
    to.lineWidth = 1;
    to.globalAlpha = many < 60 ? 0.85 : many < 1000 ? 0.45 : 0.14;
    outline(to, scale, sides, many, () => true);
    to.globalAlpha = 1;
  }
  if (D.query) {
    to.strokeStyle = colour("mark");
    to.lineWidth = many < 1000 ? 2 : 1.2;
    outline(to, scale, sides, many, (at) => read[at]);
    queryBox(to, scale);
  }
  if (state.hover >= 0) {
    to.strokeStyle = colour("ink");
    to.lineWidth = 3;
    to.strokeRect(...rectangle(scale, [sidesOf(state.x), sidesOf(state.y)], state.hover, 4));
  }
  to.restore();
  legend(byTile);
}

function nothing(to, width, height) {
  to.fillStyle = colour("soft");
  to.textAlign = "center";
  to.textBaseline = "middle";
  to.fillText("Nothing is stored yet.", width / 2, height / 2);
}

function legend(byTile) {
  const one = (className, text) => { const span = element("span"); span.append(element("i", "", className), text); return span; };
  const what = byTile ? "tiles" : "fragments", top = space.heat.top;
  const list = [one("ramp", top > 1.5 ? `1 to ${count(top)} ${what} over each other, ${space.heat.mean.toFixed(1)} on average` : `one of the ${what} at each place`)];
  list.push(one("box", byTile ? (B.together > 1 ? `${B.together} neighbouring tiles each` : "tile") : "fragment"));
  if (D.dense) list.push(element("span", "thin lines: tile grid, where wide enough"));
  if (D.query) list.push(one("marked", `${what} that the query reads`), ...(D.query.ranges.some((own) => own.length) ? [one("dashed", "ranges of the query")] : []));
  $("space-legend").replaceChildren(...list);
}

// The smallest fragment under a place, and how many there are.
function under(event) {
  const box = $("space").getBoundingClientRect(), scale = spaceScale(box.width, box.height);
  const mx = event.clientX - box.left, my = event.clientY - box.top, sides = [sidesOf(state.x), sidesOf(state.y)];
  let best = -1, area = Infinity, many = 0;
  for (let at = 0; at < N; at++) {
    const [x, y, w, h] = rectangle(scale, sides, at, 4);
    if (mx < x || my < y || mx > x + w || my > y + h) continue;
    many++;
    if (w * h < area) { area = w * h; best = at; }
  }
  return { best, many };
}
