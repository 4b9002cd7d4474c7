// The values of a dense array, or the cells of a sparse one and the means of their values: rows downwards, columns across. A map has
// the shape of its middle, and coasts.
const values = { left: 70, right: 14, top: 6, bottom: 40 };
state.attribute = 0;

function valueScale(width, height) {
  const V = D.values, { right, top, bottom } = values, left = V.down ? values.left : 14;
  let w = Math.max(10, width - left - right), h = Math.max(10, height - top - bottom);
  if (V.map) {
    const middle = Math.cos((V.down.from + V.down.to) / 2 * Math.PI / 180);
    const shape = Math.max(0.2, Math.min(5, Math.abs((V.across.to - V.across.from) * middle / (V.down.to - V.down.from || 1)) || 1));
    w = Math.min(w, h * shape);
    h = Math.min(h, w / shape);
  }
  return { left, top, w, h, columns: V.across.squares, rows: V.down ? V.down.squares : 1 };
}

// How deep the colour of a value is: of counts by their logarithm, since a few squares have most cells.
function depth(A, value) {
  if (A.high <= A.low) return 0.5;
  if (A.count) return 0.1 + 0.9 * Math.log(value / A.low) / Math.log(A.high / A.low);
  return (value - A.low) / (A.high - A.low);
}

function drawCoasts(to, scale) {
  const V = D.values, px = (x) => scale.left + (x - V.across.from) / (V.across.to - V.across.from || 1) * scale.w;
  const py = (y) => scale.top + (y - V.down.from) / (V.down.to - V.down.from || 1) * scale.h;
  to.save();
  to.beginPath();
  to.rect(scale.left, scale.top, scale.w, scale.h);
  to.clip();
  to.beginPath();
  // Longitudes of 0 to 360 continue those of -180 to 180.
  for (const turn of V.across.to > 180 ? [0, 360] : [0])
    for (const line of COASTS) {
      let x = 0, y = 0;
      for (let at = 0; at < line.length; at += 2) {
        x += line[at];
        y += line[at + 1];
        // A coast that goes on at the other end of the map is not joined across it.
        to[at && Math.abs(line[at]) < 1800 ? "lineTo" : "moveTo"](px(x / 10 + turn), py(y / 10));
      }
    }
  to.strokeStyle = colour("soft");
  to.lineWidth = 0.8;
  to.stroke();
  to.restore();
}

function drawValues() {
  $("values-panel").hidden = !D.values;
  if (!D.values) return;
  const V = D.values, A = V.attributes[state.attribute];
  $("values-title").textContent = V.sparse ? "Cells and their values" : "Values";
  const select = element("select");
  select.setAttribute("aria-label", "attribute");
  V.attributes.forEach((one, at) => select.append(new Option(one.name, at, false, at === state.attribute)));
  select.onchange = () => { state.attribute = Number(select.value); drawValues(); };
  $("values-controls").replaceChildren(select);
  const measure = $("values").getContext("2d");
  measure.font = '12px system-ui, "DejaVu Sans", sans-serif';
  if (V.down) values.left = Math.min(240, 32 + Math.ceil(most([V.down.low, V.down.high].map((text) => measure.measureText(text).width))));
  // A map that is narrow is low, too.
  if (V.map) $("values").style.height = Math.ceil(valueScale($("values").getBoundingClientRect().width, 420).h + values.top + values.bottom) + "px";
  const { to, width, height } = sharp($("values")), scale = valueScale(width, height);
  to.clearRect(0, 0, width, height);
  const image = new ImageData(scale.columns, scale.rows), low = parts(colour("low")), high = parts(colour("high"));
  A.cells.forEach((value, at) => {
    if (value === null) return;
    const share = depth(A, value);
    for (let part = 0; part < 3; part++) image.data[4 * at + part] = low[part] + (high[part] - low[part]) * share;
    image.data[4 * at + 3] = 255;
  });
  const small = document.createElement("canvas");
  small.width = scale.columns;
  small.height = scale.rows;
  small.getContext("2d").putImageData(image, 0, 0);
  to.imageSmoothingEnabled = false;
  to.drawImage(small, scale.left, scale.top, scale.w, scale.h);
  if (V.map) drawCoasts(to, scale);
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
    ramp.append(short(A.low) + " ", element("i", "", "ramp"), short(A.high) + (A.count ? " cells in a square" : ""));
    list.push(ramp);
  }
  if (A.mean) list.push(element("span", "each square is the mean of its cells"));
  if (V.sparse) list.push(element("span", `${count(V.all)} cells`));
  if (V.coarse) list.push(element("span", "neighbouring squares of few cells share their number"));
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
    if (V.sparse) {
      const bound = (at) => label(D.dimensions[side.axis], side.from + (side.to - side.from) * at / side.squares, Math.abs(side.to - side.from));
      return element("div", `${side.name}: ${bound(at)} to ${bound(at + 1)}`);
    }
    const from = Math.ceil(at * side.length / side.squares), to = Math.ceil((at + 1) * side.length / side.squares) - 1;
    return element("div", `${side.name}: index ${count(side.first + from)}` + (to > from ? ` to ${count(side.first + to)}` : ""));
  };
  tip(event, [element("b", value === null ? V.sparse ? "no cells" : "not stored" : `${A.name}: ${value}`), ...(V.down ? [place(V.down, row)] : []), place(V.across, column)]);
};
$("values").onmouseleave = () => tip();
