// Bytes of fields as areas, what maintenance would gain, what a query reads.

// Divides a rectangle into areas that are as square as can be; `sizes` descend.
function squares(sizes, box) {
  const found = [], all = sum(sizes);
  let { x, y, w, h } = box, left = all, at = 0;
  while (at < sizes.length && left > 0) {
    const long = w >= h, side = Math.max(1e-9, Math.min(w, h)), scale = w * h / left;
    let row = [], worst = Infinity, area = 0;
    while (at + row.length < sizes.length) {
      const next = sizes[at + row.length] * scale, total = area + next;
      const shapes = [...row, next].map((one) => Math.max(side * side * one / (total * total), total * total / (side * side * Math.max(one, 1e-9))));
      if (row.length && Math.max(...shapes) > worst) break;
      worst = Math.max(...shapes);
      row.push(next);
      area = total;
    }
    const thick = area / side;
    let along = 0;
    for (const one of row) {
      const length = one / Math.max(thick, 1e-9);
      found.push(long ? { x, y: y + along, w: thick, h: length } : { x: x + along, y, w: length, h: thick });
      along += length;
    }
    for (let one = 0; one < row.length; one++) left -= sizes[at + one];
    at += row.length;
    if (long) { x += thick; w -= thick; } else { y += thick; h -= thick; }
  }
  return found;
}

function drawFields() {
  const svg = $("fields"), { width, height } = svg.getBoundingClientRect();
  const fields = D.fields.filter((field) => field.stored > 0).sort((a, b) => b.stored - a.stored);
  const all = sum(fields.map((field) => field.stored)), low = parts(colour("low")), high = parts(colour("high"));
  svg.replaceChildren();
  if (!all) svg.append(shape("text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "soft" }, "Nothing is stored yet."));
  squares(fields.map((field) => field.stored), { x: 0, y: 0, w: width, h: height }).forEach((box, at) => {
    const field = fields[at], share = field.stored / all, deep = 0.08 + 0.72 * Math.min(1, share * 1.6);
    const mixed = low.map((part, one) => Math.round(part + (high[one] - part) * deep));
    const group = shape("g", {});
    group.append(shape("rect", { x: box.x + 1, y: box.y + 1, width: Math.max(0.5, box.w - 2), height: Math.max(0.5, box.h - 2), rx: 3, fill: `rgb(${mixed})`, stroke: "var(--card)" }));
    const light = 0.3 * mixed[0] + 0.59 * mixed[1] + 0.11 * mixed[2] > 140 ? "#111" : "#fff";
    // A label that does not fit is smaller, or left out: the table below has all of them.
    const text = (line, at) => {
      const size = Math.min(12, (box.w - 14) / (0.6 * line.length));
      if (size < 8 || box.h < 24 + 17 * at) return;
      group.append(shape("text", { x: box.x + 8, y: box.y + 19 + 16 * at, style: `fill:${light};font-size:${size.toFixed(1)}px` }, line));
    };
    text(field.name, 0);
    text(bytes(field.stored), 1);
    text(`${(100 * share).toFixed(1)} %`, 2);
    group.onmousemove = (event) => tip(event, [element("b", field.name), element("div", `${bytes(field.stored)}, ${(100 * share).toFixed(1)} % of all`),
      element("div", field.decoded ? `${bytes(field.decoded)} before filters, ${(field.decoded / field.stored).toFixed(1)} times as much` : "")]);
    group.onmouseleave = () => tip();
    svg.append(group);
  });
  const table = element("table"), row = (name, ...cells) => { const line = element("tr"); cells.forEach((cell) => line.append(element(name, cell))); table.append(line); };
  row("th", "field", "stored", "share", "ratio");
  for (const field of fields.slice(0, 300)) row("td", field.name, bytes(field.stored), (100 * field.stored / all).toFixed(1) + " %", field.decoded ? (field.decoded / field.stored).toFixed(1) : "");
  $("field-list").replaceChildren(table);
}

function meter(text, value, top) {
  const line = element("div"), bar = element("div", undefined, "meter"), fill = element("i"), pair = element("div", undefined, "pair");
  fill.style.width = Math.max(0.8, 100 * value / Math.max(top, 1)) + "%";
  // Nothing is no bar.
  if (value > 0) bar.append(fill);
  pair.append(element("span", text), element("span", count(value)));
  line.append(pair, bar);
  return line;
}

function drawGain() {
  const list = [];
  for (const advice of D.advice) {
    const [work, what] = advice.split(/: (.*)/s), hint = element("div", undefined, "hint");
    hint.append(element("b", what), element("code", `tiledb-rs ${work} ${D.uri}`));
    list.push(hint);
  }
  if (N > 1) list.push(meter("fragments now", N, N), meter("after a consolidation of all", 1, N));
  if (D.to_vacuum) list.push(meter("fragments waiting for a vacuum", D.to_vacuum, Math.max(N, D.to_vacuum)));
  if (!list.length) list.push(element("p", N ? D.advised ? "Nothing: no recommended schema is clearly smaller." : "Nothing to consolidate, vacuum or sweep. tiledb-rs picture --advise measures other schemas." : "Nothing is stored yet."));
  $("gain").replaceChildren(...list);
}

function drawQuery() {
  $("query-panel").hidden = !D.query;
  if (!D.query) return;
  const fragments = sum(F.read), tiles = sum(F.tiles_read), share = (of) => sum(F[of].map((one, at) => F.read[at] && F.tiles[at] ? one * F.tiles_read[at] / F.tiles[at] : 0));
  const line = (what, part, all, show) => { const made = meter(`${what}: ${show(part)} of ${show(all)}`, part, all); made.firstChild.lastChild.textContent = all ? (100 * part / all).toFixed(1) + " %" : ""; return made; };
  $("query").replaceChildren(element("p", D.query.text), line("fragments", fragments, N, count), line("tiles", tiles, sum(F.tiles), count),
    line("bytes, about", share("bytes"), sum(F.bytes), bytes),
    ...(D.query.condition ? [line("excluded by the condition", sum(F.tiles_excluded), tiles + sum(F.tiles_excluded), count)] : []));
}
