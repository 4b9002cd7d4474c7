/** What is wrong, as far as programs react to it. */
export type ErrorKind =
  | 'NotFound'
  | 'InvalidArgument'
  | 'Schema'
  | 'Corrupt'
  | 'EncryptionKey'
  | 'Unsupported'
  | 'NewerFormat'
  | 'Store'
  | 'MemoryBudget'
  | 'OutOfMemory'
  | 'Cancelled'
  | 'Internal';

/** An error of the engine, or of the server that it reads from. */
export class TileDBError extends Error {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TileDBError';
    this.kind = kind;
  }
}
