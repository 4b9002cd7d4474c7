// Finds symbols by parts of their names and descriptions; names first, short ones before long ones.
const field = document.getElementById("search");
const results = document.getElementById("results");

function rank(entry, words) {
  const name = entry[0].toLowerCase();
  const all = name + " " + entry[2].toLowerCase();
  if (!words.every((word) => all.includes(word))) return null;
  const inName = words.filter((word) => name.includes(word)).length;
  return inName * 1000 - name.length + (name.endsWith(words[words.length - 1]) ? 100 : 0);
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : INDEX.map((entry) => [rank(entry, words), entry])
    .filter(([score]) => score !== null)
    .sort((a, b) => b[0] - a[0])
    .slice(0, 30);
  results.replaceChildren(...found.map(([, [name, address, brief]]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = address;
    link.textContent = name;
    link.title = brief;
    item.append(link);
    return item;
  }));
}

field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  const first = results.querySelector("a");
  if (event.key === "Enter" && first) location.href = first.href;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});
