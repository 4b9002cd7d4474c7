// Finds guides, their headings and symbols by parts of names and descriptions; names first, guides before symbols, short ones before long ones.
const field = document.getElementById("search");
const results = document.getElementById("results");
const menu = document.getElementById("menu");

function rank([title, , about], words) {
  const name = title.toLowerCase();
  const all = name + " " + about.toLowerCase();
  if (!words.every((word) => all.includes(word))) return null;
  const inName = words.filter((word) => name.includes(word)).length;
  const guide = about === "guide" || about.startsWith("in ") ? 50 : 0;
  return inName * 1000 - name.length + guide + (name.endsWith(words[words.length - 1]) ? 100 : 0);
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : INDEX.map((entry) => [rank(entry, words), entry])
    .filter(([score]) => score !== null)
    .sort((a, b) => b[0] - a[0])
    .slice(0, 30);
  results.replaceChildren(...found.map(([, [name, address, about]]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const small = document.createElement("small");
    link.href = address;
    link.textContent = name;
    link.title = small.textContent = about;
    link.append(small);
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

// On narrow screens the text comes first; else the menu shows where one is.
if (matchMedia("(max-width: 50rem)").matches) menu.open = false;
const contents = document.querySelector("aside details");
if (contents && matchMedia("(max-width: 84rem)").matches) contents.open = false;
menu.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
