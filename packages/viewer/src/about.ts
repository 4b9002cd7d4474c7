/** Schemas and metadata as text. */
import type { OpenArray } from './client.js';
import { element } from './dom.js';
import type { Metadata } from './engine/index.js';
import { MAX_LISTED } from './limits.js';
import { counted, valueText } from './texts.js';

/** Longest value of metadata that is shown. */
const MAX_VALUE = 2_000;

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') {
    const big = (value as { bigint?: string }).bigint;
    return big ?? JSON.stringify(value);
  }
  return String(value);
}

export function schemaElement({ schema }: OpenArray): HTMLElement {
  const rows: HTMLElement[] = [];
  const row = (...texts: string[]) => rows.push(element('tr', {}, ...texts.map((text) => element('td', {}, text))));
  const filters = (part: { filters?: { type: string }[] }) => (part.filters ?? []).map(({ type }) => type).join(', ');
  for (const dimension of schema.dimensions.slice(0, MAX_LISTED)) {
    const domain = dimension.domain === undefined ? '' : dimension.domain.map(shown).join(' to ');
    const tile = shown(dimension.tile);
    row(dimension.name, 'dimension', dimension.type, [domain, tile === '' ? '' : `tiles of ${tile}`].filter(Boolean).join(', '), filters(dimension));
  }
  for (const attribute of schema.attributes.slice(0, MAX_LISTED)) {
    const values = attribute['cell_values'];
    const details = [
      values === 'var' ? 'variable size' : values === 1 ? '' : `${shown(values)} values`,
      attribute['nullable'] === true ? 'nullable' : '',
      typeof attribute['enumeration'] === 'string' ? `enumeration ${attribute['enumeration']}` : '',
    ];
    row(attribute.name, 'attribute', attribute.type, details.filter(Boolean).join(', '), filters(attribute));
  }
  const more = schema.dimensions.length + schema.attributes.length - rows.length;
  const head = element('tr', {}, ...['field', 'kind', 'type', '', 'filters'].map((text) => element('th', { scope: 'col' }, text)));
  const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
  return element(
    'details',
    { className: 'about' },
    element('summary', {}, `Schema: ${schema.array_type} array, ${counted(schema.dimensions.length, 'dimension')}, ${counted(schema.attributes.length, 'attribute')}`),
    element('div', { className: 'wide', tabIndex: 0, role: 'region', 'aria-label': 'Schema' }, table),
    more > 0 ? element('p', {}, `and ${more} more`) : undefined,
  );
}

export function metadataElement(metadata: Metadata): HTMLElement | undefined {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return undefined;
  const text = (value: Metadata[string]) => {
    const whole = typeof value === 'string' ? value : valueText(Array.isArray(value) && value.length === 1 ? value[0] : (value as any));
    return whole.length > MAX_VALUE ? `${whole.slice(0, MAX_VALUE)}… (${whole.length} characters)` : whole;
  };
  const rows = entries.slice(0, MAX_LISTED).map(([key, value]) => element('tr', {}, element('th', { scope: 'row' }, key), element('td', {}, text(value))));
  const more = entries.length - rows.length;
  return element(
    'details',
    { className: 'about' },
    element('summary', {}, `Metadata: ${counted(entries.length, 'key')}`),
    element('div', { className: 'wide', tabIndex: 0, role: 'region', 'aria-label': 'Metadata' }, element('table', {}, element('tbody', {}, ...rows))),
    more > 0 ? element('p', {}, `and ${more} more`) : undefined,
  );
}
