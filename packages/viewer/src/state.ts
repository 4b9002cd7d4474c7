/**
 * What is shown, as the fragment of the page's address: a link shows the same.
 *
 * `?url=` names the array or group; the fragment has the member that is shown, and the settings of its views.
 */
import { debounced } from './dom.js';

export class ViewState {
  #values = new URLSearchParams(location.hash.slice(1));
  readonly #write = debounced(150, () => {
    const text = this.#values.toString();
    history.replaceState(null, '', `${location.pathname}${location.search}${text === '' ? '' : `#${text}`}`);
  });

  get(name: string): string | undefined {
    return this.#values.get(name) ?? undefined;
  }

  /** A number, or `undefined` for what is none. */
  number(name: string): number | undefined {
    const text = this.get(name);
    const value = Number(text);
    return text === undefined || text.trim() === '' || !Number.isFinite(value) ? undefined : value;
  }

  set(name: string, value: string | number | undefined): void {
    if (value === undefined || value === '') this.#values.delete(name);
    else this.#values.set(name, typeof value === 'number' ? String(Number(value.toPrecision(12))) : value);
    this.#write();
  }

  /** Forgets the settings of the views. */
  clear(): void {
    this.#values = new URLSearchParams();
    this.#write();
  }

  /** Reads the address anew, after the user has gone to another one. */
  reload(): void {
    this.#values = new URLSearchParams(location.hash.slice(1));
  }
}
