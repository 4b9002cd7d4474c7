/** Errors in words: what failed, and what helps. */
import { TileDBError } from './engine/index.js';

/** An error with its remedy, as it is shown. */
export interface Explanation {
  problem: string;
  remedy: string | undefined;
}

export function explain(error: unknown, url: string | undefined): Explanation {
  const problem = error instanceof Error ? error.message : String(error);
  return { problem, remedy: remedy(error, problem, url) };
}

function remedy(error: unknown, problem: string, url: string | undefined): string | undefined {
  const isOther = url !== undefined && /^https?:/.test(url) && new URL(url).origin !== location.origin;
  if (/Failed to fetch|NetworkError|Load failed/.test(problem)) {
    if (isOther && location.protocol === 'https:' && url.startsWith('http:')) {
      return 'This page is encrypted, and browsers let it read no addresses that begin with http:. Use the https: address, or run `tiledb-rs view ARRAY`.';
    }
    if (isOther) {
      const { origin } = new URL(url);
      return (
        `The server ${origin} cannot be reached, or does not let pages of other origins read its files. ` +
        `Its owner can allow that by the header Access-Control-Allow-Origin (CORS); the guide on publishing has the configuration of servers. ` +
        'Without it, put the viewer on the same server: `tiledb-rs publish --viewer`.'
      );
    }
    return 'The server cannot be reached. Is it running, and is the network connected?';
  }
  if (!(error instanceof TileDBError)) return undefined;
  switch (error.kind) {
    case 'NotFound':
      return 'Check the address: it is that of the folder of the array or group. Web servers list no folders, so an index is needed: `tiledb-rs publish ARRAY FOLDER` writes it.';
    case 'Corrupt':
    case 'Schema':
      return 'The files are damaged or incomplete. `tiledb-rs publish --check URL` finds which ones; publish the array again.';
    case 'EncryptionKey':
      return 'The array is encrypted. The viewer takes no keys; read it with a program.';
    case 'NewerFormat':
      return 'A newer version wrote the array; use a newer viewer.';
    case 'MemoryBudget':
    case 'OutOfMemory':
      return 'Read less at a time: zoom in, choose fewer fields, or a smaller range.';
    case 'InvalidArgument':
      return /condition|syntax|field|attribute/i.test(problem)
        ? "Conditions are written as in the tool: dep_delay > 60 and origin in ('JFK', 'EWR')."
        : undefined;
    default:
      return undefined;
  }
}
