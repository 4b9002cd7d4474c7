// The values of a dense array: rows downwards, columns across.
const values = { left: 70, right: 14, top: 6, bottom: 40 };
state.attribute = 0;

function valueScale(width, height) {
  const V = D.values, { right, top, bottom } = values, left = V.down ? values.left : 14;
  return { left, top, w: Math.max(10, width - left - right), h: Math.max(10, height - top - bottom), columns: V.across.squares, rows: V.down ? V.down.squares : 1 };
}

function drawValues() {
  $("values-panel").hidden = !D.values;
  if (!D.values) return;
  const V = D.values, A = V.attributes[state.attribute];
  const select = element("select");
  select.setAttribute("aria-label", "attribute");
  V.attributes.forEach((one, at) => select.append(new Option(one.name, at, false, at === state.attribute)));
  select.onchange = () => { state.attribute = Number(select.value); drawValues(); };
  $("values-controls").replaceChildren(select);
  const measure = $("values").getContext("2d");
  measure.font = '12px system-ui, "DejaVu Sans", sans-serif';
  if (V.down) values.left = Math.min(240, 32 + Math.ceil(most([V.down.low, V.down.high].map((text) => measure.measureText(text).width))));
  const { to, width, height } = sharp($("values")), scale = valueScale(width, height);
  to.clearRect(0, 0, width, height);
  const image = new ImageData(scale.columns, scale.rows), low = parts(colour("low")), high = parts(colour("high"));
  A.cells.forEach((value, at) => {
    if (value === null) return;
    const share = A.high > A.low ? (value - A.low) / (A.high - A.low) : 0.5;
    for (let part = 0; part < 3; part++) image.data[4 * at + part] = low[part] + (high[part] - low[part]) * share;
    image.data[4 * at + 3] = 255;
  });
  const small = document.createElement("canvas");
  small.width = scale.columns;
  small.height = scale.rows;
  small.getContext("2d").putImageData(image, 0, 0);
  to.imageSmoothingEnabled = false;
  to.drawImage(small, scale.left, scale.top, scale.w, scale.h);
  to.strokeStyle = colour("line");
  to.strokeRect(scale.left, scale.top, scale.w, scale.h);
  const text = (text, x, y, align, name) => { to.textAlign = align; to.fillStyle = colour(name); to.fillText(text, x, y); };
  to.textBaseline = "top";
  text(V.across.low, scale.left, scale.top + scale.h + 6, "left", "soft");
  if (V.across.length > 1) text(V.across.high, scale.left + scale.w, scale.top + scale.h + 6, "right", "soft");
  text(V.across.name, scale.left + scale.w / 2, scale.top + scale.h + 23, "center", "ink");
  if (V.down) {
    text(V.down.low, scale.left - 6, scale.top + 1, "right", "soft");
    to.textBaseline = "bottom";
    if (V.down.length > 1) text(V.down.high, scale.left - 6, scale.top + scale.h - 1, "right", "soft");
    to.save();
    to.translate(4, scale.top + scale.h / 2);
    to.rotate(-Math.PI / 2);
    to.textBaseline = "top";
    text(V.down.name, 0, 0, "center", "ink");
    to.restore();
  }
  const list = [];
  if (A.low === null) list.push(element("span", "no values are stored here"));
  else {
    const ramp = element("span");
    ramp.append(short(A.low) + " ", element("i", "", "ramp"), short(A.high));
    list.push(ramp);
  }
  if (A.mean) list.push(element("span", "each square is the mean of its cells"));
  if (V.fixed) list.push(element("span", "at " + V.fixed));
  if (V.sample) list.push(element("span", "a sample: the block in the middle of the array"));
  $("values-legend").replaceChildren(...list);
}

$("values").onmousemove = (event) => {
  const V = D.values, A = V.attributes[state.attribute], box = $("values").getBoundingClientRect(), scale = valueScale(box.width, box.height);
  const column = Math.floor((event.clientX - box.left - scale.left) / scale.w * scale.columns), row = Math.floor((event.clientY - box.top - scale.top) / scale.h * scale.rows);
  if (column < 0 || row < 0 || column >= scale.columns || row >= scale.rows) return tip();
  const value = A.cells[row * scale.columns + column];
  const place = (side, at) => {
    const from = Math.ceil(at * side.length / side.squares), to = Math.ceil((at + 1) * side.length / side.squares) - 1;
    return element("div", `${side.name}: index ${count(side.first + from)}` + (to > from ? ` to ${count(side.first + to)}` : ""));
  };
  tip(event, [element("b", value === null ? "not stored" : `${A.name}: ${value}`), ...(V.down ? [place(V.down, row)] : []), place(V.across, column)]);
};
$("values").onmouseleave = () => tip();
