// Damaged arrays end in errors, and leave the engine usable.
// usage: node damaged.mjs FOLDER ARCHIVE [ARRAYS]      ARRAYS: how many are damaged, 100 by default; SEED
import { TileDB, TileDBError } from '../dist/index.js';
import { cases } from './cases.mjs';
import { serve } from './server.mjs';

const [folder, archive, arrays = '100'] = process.argv.slice(2);
let seed = Number(process.env.SEED ?? 1);
/** A random number below a limit (Mulberry32). */
function random(limit) {
  seed = (seed + 0x6d2b79f5) | 0;
  let bits = Math.imul(seed ^ (seed >>> 15), seed | 1);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
  return ((bits ^ (bits >>> 14)) >>> 0) % limit;
}

let damage;
const server = await serve(folder, (request, target, bytes) => {
  if (damage === undefined || target.endsWith('.json') || !target.includes(damage.path)) return undefined;
  // The same bytes in each answer: the damage depends on the place in the file.
  if (bytes.length === 0) return undefined;
  const copy = Buffer.from(bytes);
  for (const [at, value] of damage.bytes) copy[Math.floor(at * copy.length)] = value;
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  if (range === null) return [200, {}, copy];
  const [start, end] = [Number(range[1]), Number(range[2]) + 1];
  return [206, { 'content-range': `bytes ${start}-${end - 1}/${copy.length}` }, copy.subarray(start, end)];
});
const counts = { read: 0, errors: 0, traps: 0 };
const all = cases([archive], folder).filter(({ document }) => document.kind === 'array' && document.encryption == null);
const tiledb = new TileDB({ retries: 0 });
const intact = (path) => `${server.address}${path}`;
let failed = 0;
for (let round = 0; round < Number(arrays); round += 1) {
  const { unpacked, document } = all[random(all.length)];
  const path = `${unpacked.slice(folder.length)}/${document.root}`;
  damage = {
    path: ['/__schema/', '/__fragments/', '/__fragments/', '/'][random(4)],
    bytes: Array.from({ length: 1 + random(6) }, () => [random(1 << 20) / (1 << 20), random(256)]),
  };
  try {
    const array = await tiledb.open(intact(path));
    await array.read();
    counts.read += 1;
    await array.close();
  } catch (error) {
    counts.errors += 1;
    if (process.env.SHOW) console.log(`${path}: ${error.message}`);
    if (!(error instanceof TileDBError)) {
      failed += 1;
      console.log(`${path}: ${error.stack}`);
    } else if (error.message.includes('The engine has failed')) {
      counts.traps += 1;
      console.log(`${path}: ${error.message}`);
    }
  }
  damage = undefined;
  // What was cached of the damaged array must not be used again.
  await tiledb.forget(intact(path));
}
const [{ unpacked, document }] = all;
const array = await tiledb.open(intact(`${unpacked.slice(folder.length)}/${document.root}`));
const table = await array.read({ limit: 1 });
server.close();
console.log(`${counts.read} damaged arrays read, ${counts.errors} errors, ${counts.traps} of them traps; ${tiledb.memoryBytes >> 20} MiB`);
process.exit(failed === 0 && counts.errors > 0 && counts.traps === 0 && table.length === 1 ? 0 : 1);
