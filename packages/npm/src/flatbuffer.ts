// Flatbuffers (https://flatbuffers.dev/internals/), as far as the metadata of Apache Arrow needs them. They are written from their end.

/** The position of an object, counted from the end of the buffer. */
export type Position = number & { readonly position: true };

/** A field of a table: a number of so many bytes, a reference, or nothing, which is the default. */
export type Slot = { bytes: 1 | 2 | 4 | 8; value: number } | Position | undefined;

/** A buffer that is being written. */
export class FlatbufferBuilder {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  string(text: string): Position {
    const bytes = new TextEncoder().encode(text);
    this.#align(4, bytes.length + 1);
    this.#put(1, 0);
    this.#reserve(bytes.length);
    this.#length += bytes.length;
    this.#bytes.set(bytes, this.#bytes.length - this.#length);
    this.#put(4, bytes.length);
    return this.#length as Position;
  }

  references(list: Position[]): Position {
    this.#align(4, 4 * list.length);
    for (const position of [...list].reverse()) this.#reference(position);
    this.#put(4, list.length);
    return this.#length as Position;
  }

  /** A vector of structures of 64-bit integers. */
  structures(list: number[][]): Position {
    const numbers = list.flat();
    this.#align(8, 8 * numbers.length);
    for (const number of numbers.reverse()) this.#put(8, number);
    this.#put(4, list.length);
    return this.#length as Position;
  }

  table(slots: Slot[]): Position {
    const end = this.#length;
    const places = slots.map((slot) => {
      if (slot === undefined) return 0;
      if (typeof slot === 'number') {
        this.#align(4, 0);
        this.#reference(slot);
      } else {
        this.#align(slot.bytes, 0);
        this.#put(slot.bytes, slot.value);
      }
      return this.#length;
    });
    this.#align(4, 0);
    this.#put(4, 0);
    const table = this.#length as Position;
    for (const place of places.reverse()) this.#put(2, place === 0 ? 0 : table - place);
    this.#put(2, table - end);
    this.#put(2, 4 + 2 * slots.length);
    this.#view.setInt32(this.#bytes.length - table, this.#length - table, true);
    return table;
  }

  /** The buffer, whose size is a multiple of 8. */
  finish(root: Position): Uint8Array {
    this.#align(8, 4);
    this.#reference(root);
    return this.#bytes.slice(this.#bytes.length - this.#length);
  }

  /** Pads such that what follows `extra` bytes is aligned. */
  #align(size: number, extra: number): void {
    const padding = -(this.#length + extra) & (size - 1);
    this.#reserve(padding);
    this.#length += padding;
  }

  #reference(position: Position): void {
    this.#put(4, this.#length + 4 - position);
  }

  #put(bytes: 1 | 2 | 4 | 8, value: number): void {
    this.#reserve(bytes);
    this.#length += bytes;
    const at = this.#bytes.length - this.#length;
    if (bytes === 1) this.#view.setInt8(at, value);
    else if (bytes === 2) this.#view.setInt16(at, value, true);
    else if (bytes === 4) this.#view.setInt32(at, value, true);
    else this.#view.setBigInt64(at, BigInt(value), true);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + bytes);
    larger.set(this.#bytes, larger.length - this.#bytes.length);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
