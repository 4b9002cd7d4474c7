/** The members of a group as a tree, opened level by level. */
import type { Client, OpenGroup } from './client.js';
import { element, fill } from './dom.js';
import type { Member } from './engine/index.js';
import { MAX_LISTED } from './limits.js';
import { isSameOrigin, memberName } from './members.js';
import { countText } from './texts.js';

/** A member that the user has chosen, with the names that lead to it. */
export interface Chosen {
  member: Member;
  path: string[];
}

export class Tree {
  readonly element: HTMLElement;
  readonly #client: Client;
  readonly #choose: (chosen: Chosen) => void;
  readonly #report: (error: unknown) => void;
  readonly #items = new Map<string, HTMLElement>();

  constructor(client: Client, root: OpenGroup, members: Member[], choose: (chosen: Chosen) => void, report: (error: unknown) => void) {
    this.#client = client;
    this.#choose = choose;
    this.#report = report;
    this.element = element('nav', { className: 'tree', 'aria-label': 'Members' }, this.#list(root, members, []));
  }

  /** Marks the member that is shown. */
  mark(path: string[]): void {
    const key = path.join('\n');
    for (const [own, item] of this.#items) {
      if (own === key) item.setAttribute('aria-current', 'true');
      else item.removeAttribute('aria-current');
    }
  }

  #list(group: OpenGroup, members: Member[], path: string[]): HTMLElement {
    if (members.length === 0) return element('p', {}, 'The group is empty.');
    const items = members.slice(0, MAX_LISTED).map((member) => element('li', {}, this.#item(group, member, [...path, memberName(member)])));
    const more = members.length - items.length;
    if (more > 0) items.push(element('li', {}, `and ${countText(more)} more`));
    return element('ul', {}, ...items);
  }

  #item(group: OpenGroup, member: Member, path: string[]): HTMLElement {
    const name = memberName(member);
    const other = isSameOrigin(group, member) ? undefined : element('span', { className: 'kind' }, `on another server: ${member.uri}`);
    const choose = () => this.#choose({ member, path });
    if (member.kind !== 'group') {
      const item = element('button', { type: 'button', className: 'member', onclick: choose }, name, element('span', { className: 'kind' }, member.kind ?? ''), other);
      this.#items.set(path.join('\n'), item);
      return item;
    }
    const inner = element('div', {});
    const summary = element('summary', { className: 'member', onclick: choose }, name, element('span', { className: 'kind' }, 'group'), other);
    this.#items.set(path.join('\n'), summary);
    let isLoaded = false;
    const details: HTMLDetailsElement = element('details', {
      ontoggle: () => {
        if (!details.open || isLoaded) return;
        isLoaded = true;
        this.#load(member, inner, path).catch((error: unknown) => {
          isLoaded = false;
          this.#report(error);
        });
      },
    }, summary, inner);
    return details;
  }

  async #load(member: Member, inner: HTMLElement, path: string[]): Promise<void> {
    fill(inner, element('p', {}, 'Reading …'));
    try {
      const opened = await this.#client.open(member.uri);
      if (opened.kind === 'array') return fill(inner, element('p', {}, 'This is an array.'));
      fill(inner, this.#list(opened, await opened.members(), path));
    } catch (error) {
      fill(inner);
      throw error;
    }
  }
}
