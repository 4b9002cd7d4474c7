/** Cells as a table, page by page. */
import type { Cells, Cursor, OpenArray } from './client.js';
import { isCancelled } from './client.js';
import { button, element, fill } from './dom.js';
import type { FieldInfo, Range } from './engine/index.js';
import { MAX_BATCH_BYTES, MAX_LISTED, MAX_TABLE_ROWS, PAGE_ROWS } from './limits.js';
import { textAt } from './points.js';
import { countText } from './texts.js';
import type { Host, View } from './view.js';

/** Fields that are shown at first. */
const FIRST_FIELDS = 12;

/** What a table shows: a condition, and the ranges of another view. */
export interface TableSelection {
  where: string | undefined;
  ranges: Record<string, Range>;
}

export class TableView implements View {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #array: OpenArray;
  readonly #selection: () => TableSelection;
  readonly #fields: FieldInfo[];
  #chosen: Set<string>;
  readonly #body = element('div', { className: 'cells', tabIndex: 0, role: 'region', 'aria-label': 'Cells' });
  readonly #place = element('span', { className: 'place', role: 'status' });
  readonly #previous = button('Previous', () => this.#turn(-1));
  readonly #next = button('Next', () => this.#turn(1));
  readonly #enumerations = new Map<string, string[]>();
  /** Rows that were read, as texts; pages go back to them. */
  #rows: string[][] = [];
  #shown: string[] = [];
  #cursor: Cursor | undefined;
  #isEnded = false;
  #page = 0;
  #generation = 0;

  constructor(host: Host, array: OpenArray, selection: () => TableSelection) {
    this.#host = host;
    this.#array = array;
    this.#selection = selection;
    this.#fields = array.schema.fields.filter(({ kind }) => kind === 'dimension' || kind === 'attribute');
    const named = new Set((host.state.get('fields') ?? '').split(','));
    const chosen = this.#fields.filter(({ name }) => named.has(name));
    this.#chosen = new Set((chosen.length > 0 ? chosen : this.#fields.slice(0, FIRST_FIELDS)).map(({ name }) => name));
    this.element = element(
      'section',
      { className: 'table', 'aria-label': 'Table' },
      this.#choice(),
      this.#body,
      element('div', { className: 'pages' }, this.#previous, this.#place, this.#next),
    );
    void this.load();
  }

  dispose(): void {
    this.#generation += 1;
    this.#end();
  }

  #choice(): HTMLElement {
    const boxes = this.#fields.slice(0, MAX_LISTED).map(({ name }) => {
      const box = element('input', {
        type: 'checkbox',
        checked: this.#chosen.has(name),
        onchange: () => {
          if (box.checked) this.#chosen.add(name);
          else this.#chosen.delete(name);
          this.#host.state.set('fields', [...this.#chosen].join(','));
          void this.load();
        },
      });
      return element('label', { className: 'choice' }, box, name);
    });
    return element('details', {}, element('summary', {}, 'Fields'), element('div', { className: 'choices' }, ...boxes));
  }

  #end(): void {
    this.#cursor?.end().catch(() => {});
    this.#cursor = undefined;
  }

  /** Reads the first page anew. */
  async load(): Promise<void> {
    this.#generation += 1;
    this.#end();
    this.#rows = [];
    this.#isEnded = false;
    this.#page = 0;
    this.#shown = this.#fields.map(({ name }) => name).filter((name) => this.#chosen.has(name));
    if (this.#shown.length === 0) {
      fill(this.#body, element('p', {}, 'Choose a field.'));
      return;
    }
    await this.#show();
  }

  #turn(step: number): void {
    this.#page = Math.max(0, this.#page + step);
    void this.#show();
  }

  async #show(): Promise<void> {
    const generation = this.#generation;
    this.#body.setAttribute('aria-busy', 'true');
    try {
      const end = (this.#page + 1) * PAGE_ROWS;
      while (!this.#isEnded && this.#rows.length <= end && this.#rows.length < MAX_TABLE_ROWS) {
        if (!(await this.#more(generation))) return;
      }
      if (this.#page * PAGE_ROWS >= this.#rows.length && this.#page > 0) this.#page = Math.ceil(this.#rows.length / PAGE_ROWS) - 1;
      this.#draw();
    } catch (error) {
      if (generation === this.#generation && !isCancelled(error)) this.#host.report(error);
    } finally {
      if (generation === this.#generation) this.#body.setAttribute('aria-busy', 'false');
    }
  }

  /** Reads a batch; false if its rows are no longer of use. */
  async #more(generation: number): Promise<boolean> {
    if (this.#cursor === undefined) {
      const { where, ranges } = this.#selection();
      // Small batches: a page is not many rows.
      const selection = { fields: this.#shown, ranges, batchBytes: 256 << 10, ...(where === undefined ? {} : { where }) };
      const cursor = await this.#array.cursor(selection);
      if (generation !== this.#generation) {
        await cursor.end();
        return false;
      }
      this.#cursor = cursor;
    }
    const cells = await this.#cursor.next(MAX_BATCH_BYTES);
    if (generation !== this.#generation) return false;
    if (cells === null) {
      this.#isEnded = true;
      this.#end();
      return true;
    }
    const texts = await this.#texts(cells);
    if (generation !== this.#generation) return false;
    this.#rows.push(...texts);
    this.#host.clearError();
    return true;
  }

  async #texts(cells: Cells): Promise<string[][]> {
    const rows = Math.min(cells.length, MAX_TABLE_ROWS - this.#rows.length);
    const columns = await Promise.all(this.#shown.map(async (name) => {
      const column = cells.column(name);
      const names = await this.#names(column.field);
      return Array.from({ length: rows }, (_, row) => {
        const value = names === undefined || column.isNull(row) ? undefined : names[Number(column.values[row])];
        return value ?? textAt(column, row);
      });
    }));
    return Array.from({ length: rows }, (_, row) => columns.map((column) => column[row]!));
  }

  async #names({ enumeration }: FieldInfo): Promise<string[] | undefined> {
    if (enumeration === null) return undefined;
    const loaded = this.#enumerations.get(enumeration);
    if (loaded !== undefined) return loaded;
    const names = (await this.#array.enumeration(enumeration)).map(String);
    this.#enumerations.set(enumeration, names);
    return names;
  }

  #draw(): void {
    const start = this.#page * PAGE_ROWS;
    const rows = this.#rows.slice(start, start + PAGE_ROWS);
    const types = new Map(this.#fields.map(({ name, type }) => [name, type]));
    const isRight = this.#shown.map((name) => /^(U?INT|FLOAT)/.test(types.get(name) ?? ''));
    const head = element('tr', {}, ...this.#shown.map((name) => element('th', { scope: 'col', title: types.get(name) ?? '' }, name)));
    const body = rows.map((row) => element('tr', {}, ...row.map((text, at) =>
      element('td', { className: isRight[at] ? 'number' : text === 'null' ? 'null' : '' }, text.length > 200 ? `${text.slice(0, 200)}…` : text))));
    fill(this.#body, element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)));
    const total = this.#isEnded ? ` of ${countText(this.#rows.length)}` : '';
    const isFull = !this.#isEnded && this.#rows.length >= MAX_TABLE_ROWS && start + PAGE_ROWS >= this.#rows.length;
    const note = isFull ? '; pages end here: choose a condition' : '';
    fill(this.#place, rows.length === 0 ? 'No cells' : `Cells ${countText(start + 1)} to ${countText(start + rows.length)}${total}${note}`);
    this.#previous.disabled = this.#page === 0;
    this.#next.disabled = start + PAGE_ROWS >= this.#rows.length;
    this.element.dataset['rows'] = String(this.#rows.length);
    this.element.dataset['ended'] = String(this.#isEnded);
  }
}
