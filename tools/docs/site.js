// The search field, buttons that copy code, and the menu.
const field = document.getElementById("search");
const results = document.getElementById("results");
const menu = document.getElementById("menu");

// The index is loaded and built when the search is first used.
let loading = null;
function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "index.js";
    script.onload = () => resolve(indexOf(INDEX));
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function result(entry, query) {
  const [title, address, kind] = entry;
  const about = element("small", {}, element("b", {}, kind), " ", excerpt(entry, query));
  return element("li", {}, element("a", { href: address }, title, about));
}

async function show() {
  const query = field.value.trim();
  let index = null;
  if (query) {
    try {
      index = await load();
    } catch {
      results.replaceChildren(element("li", { className: "none" }, "The search index cannot be loaded."));
      return;
    }
    if (query !== field.value.trim()) return;
  }
  const found = query ? find(index, INDEX, query) : [];
  const none = query && found.length === 0;
  results.replaceChildren(...found.map((entry) => result(entry, query)));
  if (none) results.append(element("li", { className: "none" }, `Nothing matches “${query}”. Try fewer or other words.`));
}

field.addEventListener("focus", () => load().catch(() => {}));
field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  const first = results.querySelector("a");
  if (event.key === "Enter" && first) location.href = first.href;
  if (event.key === "Escape") {
    field.value = "";
    show();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});

// The clipboard needs a secure page; elsewhere the code is selected and copied.
async function copy(code) {
  if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code);
  if (!document.execCommand("copy")) throw new Error("not copied");
  getSelection().removeAllRanges();
}

for (const box of document.querySelectorAll(".code")) {
  const button = element("button", { type: "button", title: "Copy to the clipboard" }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = await copy(box.querySelector("code")).then(() => "Copied", () => "Not copied");
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  box.append(button);
}

// On narrow screens the text comes first; else the menu shows the current page.
if (matchMedia("(max-width: 50rem)").matches) menu.open = false;
const contents = document.querySelector("aside details");
if (contents && matchMedia("(max-width: 84rem)").matches) contents.open = false;
menu.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
