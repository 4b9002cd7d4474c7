// Times of reading an array: processor time of this process, which serves the files, too, and wall-clock time.
// usage: node bench.mjs FOLDER NAME [RANGES]      serves FOLDER and reads the array NAME in it; RANGES as JSON, for a slice
import { TileDB } from '../dist/index.js';
import { serve } from './server.mjs';

const [folder, name, ranges = '{}'] = process.argv.slice(2);
const server = await serve(folder);
const tiledb = new TileDB();
for (let round = 0; round < 5; round += 1) {
  await tiledb.forget(`${server.address}/${name}`);
  server.requests.length = 0;
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const array = await tiledb.open(`${server.address}/${name}`);
  const table = await array.read({ ranges: JSON.parse(ranges), batchBytes: 32 << 20 });
  const used = process.cpuUsage(cpu);
  await array.close();
  const milliseconds = [(used.user + used.system) / 1000, performance.now() - start].map(Math.round);
  console.log(`${table.length} cells, ${server.requests.length} requests, ${milliseconds[0]} ms of processor time, ${milliseconds[1]} ms`);
}
server.close();
