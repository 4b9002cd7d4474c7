/** Elements. Texts become text nodes only: there is no way from data to HTML. */

export type Child = Node | string | undefined;

type Listeners = { [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => void };
type Properties = Listeners & Record<string, unknown>;

/** Longest text of data that is shown at once. */
const MAX_TEXT = 20_000;

/** A text of data: without controls, and without marks that change the direction of what follows. */
export function clean(text: string): string {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length - MAX_TEXT} more characters)` : text;
  return shown.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** An element. `on...` are listeners, names with a hyphen, `role` and `for` are attributes, all others properties. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value as EventListener);
    else if (key.includes('-') || key === 'role' || key === 'for') node.setAttribute(key, String(value));
    else (node as any)[key] = value;
  }
  node.append(...children.filter((child) => child !== undefined).map((child) => (typeof child === 'string' ? clean(child) : child)));
  return node;
}

/** A control with its label. */
export function labelled(text: string, control: HTMLElement): HTMLLabelElement {
  return element('label', { className: 'control' }, element('span', {}, text), control);
}

export function select(options: readonly (readonly [string, string])[], value: string, change: (value: string) => void): HTMLSelectElement {
  const control = element('select', { onchange: () => change(control.value) });
  control.append(...options.map(([own, text]) => element('option', { value: own }, text)));
  control.value = value;
  if (control.selectedIndex < 0) control.selectedIndex = 0;
  return control;
}

export function button(text: string, click: () => void, properties: Properties = {}): HTMLButtonElement {
  return element('button', { type: 'button', onclick: click, ...properties }, text);
}

/** Replaces the children of an element. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((child) => child !== undefined));
}

/** A function that calls another one once after a pause. */
export function debounced(milliseconds: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
}

/** A function that calls another one at most once per frame. */
export function framed(work: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      work();
    });
  };
}
