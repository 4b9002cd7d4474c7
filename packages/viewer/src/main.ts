/** The page: what is opened, and which views show it. */
import { metadataElement, schemaElement } from './about.js';
import { axesOf, isNumeric } from './axes.js';
import type { Level } from './blocks.js';
import { Client, isCancelled } from './client.js';
import type { OpenArray, OpenGroup } from './client.js';
import { DenseView } from './dense.js';
import { DensityView } from './density.js';
import { button, clean, element, fill } from './dom.js';
import { TileDBError } from './engine/index.js';
import type { Member } from './engine/index.js';
import { imageLevels, openLevels } from './images.js';
import { isSameOrigin, lastName, memberName } from './members.js';
import { canBeCoordinate } from './points.js';
import type { Source } from './protocol.js';
import { explain } from './remedies.js';
import { SomaView, isExperiment } from './soma.js';
import { ViewState } from './state.js';
import { TableView } from './table.js';
import { bytesText, counted } from './texts.js';
import { Tree } from './tree.js';
import type { Host, View } from './view.js';

function byId<Type extends HTMLElement>(id: string): Type {
  return document.getElementById(id) as Type;
}

class Page implements Host {
  readonly state = new ViewState();
  readonly #client = new Client();
  readonly #address = byId<HTMLInputElement>('address');
  readonly #error = byId('error');
  readonly #status = byId('status');
  readonly #members = byId('members');
  readonly #content = byId('content');
  readonly #memory = byId('memory');
  #views: View[] = [];
  #tree: Tree | undefined;
  #url: string | undefined;
  /** Number of what is shown: what comes later for another one is dropped. */
  #generation = 0;

  constructor() {
    byId('open').addEventListener('submit', (event) => {
      event.preventDefault();
      const text = this.#address.value.trim();
      if (text === '') return;
      history.pushState(null, '', `${location.pathname}?url=${encodeURIComponent(text)}`);
      this.state.clear();
      this.#openAddress(text);
    });
    const folder = byId<HTMLInputElement>('folder');
    folder.addEventListener('change', () => {
      const files = Array.from(folder.files ?? [], (file): [string, File] => [file.webkitRelativePath || file.name, file]);
      if (files.length === 0) return;
      history.pushState(null, '', location.pathname);
      this.state.clear();
      this.#address.value = '';
      this.#url = undefined;
      void this.#open(files);
    });
    window.addEventListener('popstate', () => this.#fromLocation());
    window.addEventListener('error', (event) => this.report(event.error ?? event.message));
    window.addEventListener('unhandledrejection', (event) => this.report(event.reason));
    setInterval(() => fill(this.#memory, this.#client.memoryBytes === 0 ? '' : `Memory of the engine: ${bytesText(this.#client.memoryBytes)}`), 1_000);
    this.#fromLocation();
  }

  report(error: unknown): void {
    if (isCancelled(error)) return;
    const { problem, remedy } = explain(error, this.#url);
    this.#error.hidden = false;
    fill(this.#error, element('strong', {}, problem), remedy === undefined ? undefined : element('p', {}, remedy));
    this.#busy(false);
  }

  clearError(): void {
    this.#error.hidden = true;
    fill(this.#error);
  }

  status(text: string): void {
    fill(this.#status, clean(text));
  }

  #busy(isBusy: boolean): void {
    this.#content.setAttribute('aria-busy', String(isBusy));
  }

  #fromLocation(): void {
    this.state.reload();
    const url = new URLSearchParams(location.search).get('url');
    if (url !== null && url !== '') {
      this.#address.value = url;
      this.#openAddress(url);
    }
  }

  #openAddress(text: string): void {
    let url: URL;
    try {
      url = new URL(text, document.baseURI);
    } catch {
      return this.report(new TileDBError('InvalidArgument', `'${text}' is no address; write one such as https://example.org/data/flights`));
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      const hint = 'a browser reads https: and http: addresses; for files of this computer choose their folder, or run `tiledb-rs view ARRAY`';
      return this.report(new TileDBError('Unsupported', `Cannot open '${url.protocol}' addresses: ${hint}`));
    }
    url.hash = '';
    url.pathname = url.pathname.replace(/\/(index\.html|__tiledb_index\.json)?$/, '');
    this.#url = url.href;
    void this.#open(url.href);
  }

  #clear(): void {
    for (const view of this.#views) view.dispose();
    this.#views = [];
    fill(this.#content);
    this.clearError();
  }

  async #open(source: Source): Promise<void> {
    const generation = (this.#generation += 1);
    this.#clear();
    fill(this.#members);
    this.#tree = undefined;
    this.status('Opening …');
    this.#busy(true);
    try {
      const opened = await this.#client.open(source);
      if (generation !== this.#generation) return;
      document.title = clean(lastName(opened.uri)).slice(0, 80);
      if (opened.kind === 'array') return await this.#showArray(opened, generation);
      const members = await opened.members();
      if (generation !== this.#generation) return;
      this.#tree = new Tree(this.#client, opened, members, ({ member, path }) => void this.#choose(member, path), (error) => this.report(error));
      fill(this.#members, this.#tree.element);
      const path = this.#path();
      if (path.length === 0) return await this.#showGroup(opened, members, generation);
      await this.#follow(opened, members, path, generation);
    } catch (error) {
      if (generation !== this.#generation) return;
      this.status('');
      this.report(error);
    }
  }

  #path(): string[] {
    const text = this.state.get('member') ?? '';
    return text === '' ? [] : text.split('/').map(decodeURIComponent);
  }

  /** Opens the member that a link names, unless it is on another server: links are made by others, too. */
  async #follow(group: OpenGroup, members: Member[], path: string[], generation: number): Promise<void> {
    for (const [at, name] of path.entries()) {
      const member = members.find((member) => memberName(member) === name);
      if (member === undefined) throw new TileDBError('NotFound', `The group has no member '${path.slice(0, at + 1).join('/')}'`);
      if (!isSameOrigin(group, member)) throw new TileDBError('Unsupported', `The member '${name}' is on another server, ${member.uri}; open it in the tree`);
      if (at === path.length - 1) return this.#showMember(member, path, generation);
      const opened = await this.#client.open(member.uri);
      if (generation !== this.#generation) return;
      if (opened.kind === 'array') throw new TileDBError('NotFound', `'${name}' is an array and has no members`);
      [group, members] = [opened, await opened.members()];
    }
  }

  async #choose(member: Member, path: string[]): Promise<void> {
    const generation = (this.#generation += 1);
    const name = path.map(encodeURIComponent).join('/');
    if (name !== this.state.get('member')) {
      this.state.clear();
      this.state.set('member', name);
    }
    try {
      await this.#showMember(member, path, generation);
    } catch (error) {
      if (generation === this.#generation) this.report(error);
    }
  }

  async #showMember(member: Member, path: string[], generation: number): Promise<void> {
    this.#clear();
    this.#busy(true);
    this.#tree?.mark(path);
    const opened = await this.#client.open(member.uri);
    if (generation !== this.#generation) return;
    document.title = clean(path.at(-1) ?? '').slice(0, 80);
    if (opened.kind === 'array') return this.#showArray(opened, generation);
    const members = await opened.members();
    if (generation === this.#generation) await this.#showGroup(opened, members, generation);
  }

  #heading(name: string, kind: string): HTMLElement {
    return element('h2', {}, name, element('span', { className: 'kind' }, kind));
  }

  async #showGroup(group: OpenGroup, members: Member[], generation: number): Promise<void> {
    const metadata = await group.metadata();
    if (generation !== this.#generation) return;
    const levels = imageLevels(members, metadata);
    const kind = isExperiment(metadata) ? 'SOMA experiment' : levels === undefined ? 'group' : 'image';
    this.#content.append(this.#heading(lastName(group.uri), kind));
    const about = metadataElement(metadata);
    if (about !== undefined) this.#content.append(about);
    if (isExperiment(metadata)) {
      this.#add(new SomaView(this, this.#client, group, members));
    } else if (levels !== undefined) {
      const opened = await openLevels(this.#client, group, members, levels, new AbortController().signal);
      if (generation !== this.#generation) return;
      this.#add(new DenseView(this, opened));
    } else {
      this.#content.append(element('p', {}, members.length === 0 ? 'The group is empty.' : 'Choose a member.'));
    }
    this.status(counted(members.length, 'member'));
    this.#busy(false);
  }

  async #showArray(array: OpenArray, generation: number): Promise<void> {
    this.#content.append(this.#heading(lastName(array.uri), array.isDense ? 'dense array' : 'sparse array'), schemaElement(array));
    const metadata = await array.metadata();
    if (generation !== this.#generation) return;
    const about = metadataElement(metadata);
    if (about !== undefined) this.#content.append(about);
    this.status('');
    if (array.isDense) await this.#showDense(array, generation);
    else this.#showSparse(array);
    this.#busy(false);
  }

  async #showDense(array: OpenArray, generation: number): Promise<void> {
    const axes = await axesOf(array);
    if (generation !== this.#generation) return;
    const level: Level = { array, axes };
    const hasNumbers = array.schema.fields.some((field) => field.kind === 'attribute' && isNumeric(field));
    if (hasNumbers) this.#add(new DenseView(this, [level]));
    const details = element('details', { className: 'about', open: !hasNumbers || axes.length === 1 }, element('summary', {}, 'Cells as a table'));
    let isShown = false;
    const show = () => {
      if (!details.open || isShown) return;
      isShown = true;
      const table = new TableView(this, array, () => ({ where: undefined, ranges: {} }));
      this.#views.push(table);
      details.append(table.element);
    };
    details.addEventListener('toggle', show);
    this.#content.append(details);
    show();
  }

  #showSparse(array: OpenArray): void {
    const where = () => this.state.get('where');
    const hasMap = array.schema.fields.filter(canBeCoordinate).length >= 2;
    const isVisibleOnly = () => hasMap && this.state.get('all') === undefined;
    const table = new TableView(this, array, () => ({ where: where(), ranges: isVisibleOnly() ? (density?.ranges ?? {}) : {} }));
    const density = hasMap
      ? new DensityView(this, array, where, () => {
          if (isVisibleOnly()) void table.load();
        })
      : undefined;
    const reload = () => {
      this.clearError();
      void density?.load();
      void table.load();
    };
    this.#content.append(this.#condition(reload));
    if (density !== undefined) this.#add(density);
    if (hasMap) {
      const box = element('input', {
        type: 'checkbox',
        checked: isVisibleOnly(),
        onchange: () => {
          this.state.set('all', box.checked ? undefined : 1);
          void table.load();
        },
      });
      this.#content.append(element('label', { className: 'choice' }, box, 'Only cells that the map shows'));
    }
    this.#add(table);
  }

  #condition(changed: () => void): HTMLElement {
    const input = element('input', {
      type: 'text',
      id: 'where',
      value: this.state.get('where') ?? '',
      placeholder: 'dep_delay > 60',
      spellcheck: false,
      autocomplete: 'off',
    });
    const apply = (text: string) => {
      input.value = text;
      this.state.set('where', text.trim());
      changed();
    };
    return element(
      'form',
      {
        className: 'condition',
        onsubmit: (event) => {
          event.preventDefault();
          apply(input.value);
        },
      },
      element('label', { for: 'where' }, 'Condition'),
      input,
      element('button', { type: 'submit' }, 'Filter'),
      button('Clear', () => apply('')),
    );
  }

  #add(view: View): void {
    this.#views.push(view);
    this.#content.append(view.element);
  }
}

new Page();
