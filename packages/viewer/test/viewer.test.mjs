// The viewer in a headless Chromium, on arrays that the tool publishes and serves.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { answering, faultsOf, hover, launch, message, open, pixelAt, rowsOf, run, serving, settled, viewOf, viewer, viridis } from './browser.mjs';

const arrays = process.env.ARRAYS;
const folder = process.env.FOLDER ?? mkdtempSync(join(tmpdir(), 'tiledb-viewer-'));
const pictures = join(folder, 'pictures');
const csv = new URL('../../../examples-c/data/flights.csv', import.meta.url).pathname;
const flights = rowsOf(csv);
let browser;
let server;

before(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  run(folder, 'import', csv, 'flights', '--dims', 'origin,time', '--type', 'time=DATETIME_MIN');
  // The commands of the README, but for the place of the viewer, which is not installed.
  run(folder, 'publish', 'flights', 'site', '--viewer', '--viewer-files', viewer);
  for (const name of readdirSync(arrays)) run(folder, 'publish', join(arrays, name), `site/more/${name}`);
  server = await serving(folder, 'serve-files', 'site', '--listen', '127.0.0.1:0');
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
});

const page = (name, options, hash = '') => open(browser, `${server.address}/__tiledb_viewer/index.html?url=../more/${name}${hash}`, options);
const readout = (page, id = 'readout') => page.locator(`#${id}`).innerText();
const visible = async (page) => Number(await page.locator('.stage').getAttribute('data-visible'));

/** Flights that a part of the map of time and origin shows. */
async function expectedVisible(page, rows) {
  const { x, y, scaleX, scaleY, width, height } = await viewOf(page);
  const names = ['EWR', 'JFK', 'LGA'];
  const inside = (value, middle, length, scale) => Math.abs(value - middle) <= length / 2 / scale;
  // Of a row that is partly visible all cells are counted.
  const [low, high] = [Math.floor(y - height / 2 / scaleY), Math.ceil(y + height / 2 / scaleY)];
  return rows.filter(({ time, origin }) => {
    const place = names.indexOf(origin);
    return inside(Number(time) + 0.5, x, width, scaleX) && place >= low && place < high;
  }).length;
}

test('the published flights are shown, panned and filtered', async () => {
  const page = await open(browser, `${server.address}/`);
  await page.getByRole('link', { name: 'viewer' }).click();
  await settled(page);
  assert.equal(await page.locator('.stage').getAttribute('data-cells'), String(flights.length));
  assert.equal(await visible(page), flights.length);
  const colours = await page.evaluate(() => {
    const canvas = document.querySelector('canvas.plane');
    const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels).size;
  });
  assert.ok(colours > 20, `${colours} colours`);

  await page.locator('canvas.plane').focus();
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await settled(page);
  assert.match(await page.locator('.below').innerText(), /Horizontal: time 2013-02-\d\d \d\d:\d\d to 2013-02-\d\d \d\d:\d\d\. Vertical: origin EWR to LGA/);
  const expected = await expectedVisible(page, flights);
  assert.ok(expected > 500 && expected < flights.length, `${expected} flights`);
  assert.equal(await visible(page), expected);

  const late = flights.filter(({ dep_delay }) => Number(dep_delay) > 60 && dep_delay !== '');
  await page.locator('#where').fill('dep_delay > 60');
  await page.getByRole('button', { name: 'Filter' }).click();
  await settled(page);
  assert.equal(await page.locator('.stage').getAttribute('data-cells'), String(late.length));
  const seen = await expectedVisible(page, late);
  assert.equal(await visible(page), seen);
  const cells = await page.locator('.cells tbody tr').evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
  assert.ok(cells.length > 0 && cells.every((row) => Number(row[6]) > 60), JSON.stringify(cells[0]));
  const known = new Set(late.map(({ flight, carrier, tailnum, dep_delay }) => [flight, carrier, tailnum, dep_delay].join()));
  assert.ok(cells.every((row) => known.has([row[2], row[3], row[4], row[6]].join())));

  // The table has the cells that the map shows, page by page.
  await page.getByRole('button', { name: 'Next' }).click();
  await settled(page);
  if (seen > 50) assert.match(await page.locator('.pages').innerText(), /Cells 51 to/);
  await page.getByLabel('Only cells that the map shows').uncheck();
  await settled(page);
  let count = 0;
  for (;;) {
    count += await page.locator('.cells tbody tr').count();
    if (await page.getByRole('button', { name: 'Next' }).isDisabled()) break;
    await page.getByRole('button', { name: 'Next' }).click();
    await settled(page);
  }
  assert.equal(count, late.length);

  // A link shows the same.
  const again = await open(browser, page.url());
  await settled(again);
  assert.equal(await again.locator('#where').inputValue(), 'dep_delay > 60');
  assert.equal(await visible(again), seen);
  assert.deepEqual(await faultsOf(again), []);
  await again.close();

  await page.locator('#where').fill('no_such_field > 1');
  await page.getByRole('button', { name: 'Filter' }).click();
  assert.match(await message(page), /no_such_field/);
  await page.getByRole('button', { name: 'Clear' }).click();
  await settled(page);
  assert.ok(await page.locator('#error').isHidden());
  assert.equal(await page.locator('.stage').getAttribute('data-cells'), String(flights.length));
  assert.deepEqual(await faultsOf(page), []);
  await page.close();
});

const value = (x, y) => (3 * x + 5 * y) % 4096;

test('a picture shows the values of the array at every zoom', async () => {
  const own = await page('image');
  await settled(own);
  const check = async (x, y) => {
    await hover(own, x + 0.5, y + 0.5);
    const match = /^y (\d+), x (\d+): (-?\d+)$/.exec(await readout(own));
    assert.ok(match, await readout(own));
    const [row, column, shown] = match.slice(1).map(Number);
    assert.equal(shown, value(column, row));
    assert.ok(Math.abs(row - y) < 12 && Math.abs(column - x) < 12, `${row}, ${column} at ${y}, ${x}`);
    const [low, high] = await own.locator('.range input').evaluateAll((inputs) => inputs.map((input) => Number(input.value)));
    const drawn = await pixelAt(own, x + 0.5, y + 0.5);
    const expected = viridis(shown, low, high);
    // Where a pixel is several cells, the one below the pointer is next to the one that is drawn.
    const tolerance = (await viewOf(own)).scaleX < 1 ? 12 : 3;
    assert.ok(expected.every((part, at) => Math.abs(part - drawn[at]) <= tolerance), `${drawn} instead of ${expected}`);
    return [row, column];
  };
  assert.match(await own.locator('.below').innerText(), /Horizontal: x 0 to 2999\. Vertical: y 0 to 2999\./);
  await check(100, 200);
  await check(2900, 1500);

  // A drag moves what is under the pointer; a wheel zooms.
  const start = await viewOf(own);
  const box = await own.locator('canvas.plane').boundingBox();
  await own.mouse.move(box.x + 400, box.y + 300);
  await own.mouse.wheel(0, -900);
  await own.mouse.wheel(0, -900);
  await settled(own);
  const zoomed = await viewOf(own);
  assert.ok(zoomed.scaleX > start.scaleX * 4, `${zoomed.scaleX}`);
  await own.mouse.move(box.x + 400, box.y + 300);
  await own.mouse.down();
  await own.mouse.move(box.x + 300, box.y + 260, { steps: 5 });
  await own.mouse.up();
  await settled(own);
  const moved = await viewOf(own);
  assert.ok(Math.abs(moved.x - zoomed.x - 100 / moved.scaleX) < 2 / moved.scaleX, `${moved.x} ${zoomed.x}`);
  const [x, y] = [Math.floor(moved.x) + 10, Math.floor(moved.y) - 7];
  const [row, column] = await check(x, y);
  assert.deepEqual([column, row], [x, y]);

  // The cell that is picked, and the series through it.
  await own.locator('canvas.plane').focus();
  await own.keyboard.press('Enter');
  await own.waitForFunction(() => /lowest/.test(document.querySelector('.series').textContent));
  const picked = Math.floor(moved.x);
  const series = Array.from({ length: 1500 }, (_, at) => value(picked, at * 2));
  const text = await own.locator('.series').innerText();
  assert.match(text, new RegExp(`1500 values from y 0 to y 2998: lowest ${Math.min(...series)}, highest ${Math.max(...series)}`));

  await settled(own);
  const again = await open(browser, own.url());
  await settled(again);
  const same = await viewOf(again);
  assert.ok(Math.abs(same.x - moved.x) < 0.01 && Math.abs(same.scaleX - moved.scaleX) < 0.01);
  assert.equal(await readout(again), `y ${Math.floor(moved.y)}, x ${picked}: ${value(picked, Math.floor(moved.y))}`);
  assert.deepEqual([...(await faultsOf(own)), ...(await faultsOf(again))], []);
  await again.close();
  await own.close();
});

test('sliders choose the slice, and cells without a value are transparent', async () => {
  const own = await page('cube');
  await settled(own);
  await hover(own, 0.5, 0.5);
  assert.equal(await readout(own), 'y 0, x 0: NaN');
  assert.equal((await pixelAt(own, 0.5, 0.5))[3], 0);
  const slider = own.locator('input[type="range"]');
  await slider.focus();
  await own.keyboard.press('ArrowRight');
  await own.keyboard.press('ArrowRight');
  await settled(own);
  await hover(own, 7.5, 11.5);
  assert.equal(await readout(own), `y 11, x 7: ${2 * 4800 + 11 * 80 + 7}`);
  await own.getByLabel('Vertical').selectOption({ label: 'time' });
  await settled(own);
  await hover(own, 7.5, 3.5);
  assert.equal(await readout(own), `time 3, x 7: ${3 * 4800 + 7}`);
  await own.getByLabel('Colour map').selectOption('grey');
  await own.getByRole('spinbutton', { name: 'Lowest value' }).fill('0');
  await own.getByRole('spinbutton', { name: 'Highest value' }).fill('19199');
  await own.getByRole('spinbutton', { name: 'Highest value' }).press('Enter');
  await settled(own);
  const grey = Math.round(((3 * 4800 + 7) / 19_199) * 255);
  assert.deepEqual((await pixelAt(own, 7.5, 3.5)).slice(0, 3), [grey, grey, grey]);
  assert.deepEqual(await faultsOf(own), []);
  await own.close();
});

test('an array of one dimension is a strip and a table', async () => {
  run(folder, 'import', csv, 'rows');
  run(folder, 'publish', 'rows', 'site/rows');
  const own = await open(browser, `${server.address}/__tiledb_viewer/index.html?url=../rows#attribute=flight`);
  await settled(own);
  await own.locator('canvas.plane').focus();
  for (let press = 0; press < 5; press += 1) await own.keyboard.press('+');
  await settled(own);
  const { x, scaleY, height } = await viewOf(own);
  assert.ok(Math.abs(scaleY - height) < 1, `${scaleY} pixels of ${height}`);
  await own.keyboard.press('Enter');
  await settled(own);
  assert.equal(await readout(own), `row ${Math.floor(x)}: ${flights[Math.floor(x)].flight}`);
  const first = await own.locator('.cells tbody tr').first().locator('td').allInnerTexts();
  assert.ok(first.includes(flights[0].tailnum) && first.includes(flights[0].dest), first.join());
  assert.deepEqual(await faultsOf(own), []);
  await own.close();
});

test('channels are colours, and pyramids are read by level', async () => {
  const colours = await page('colours');
  await settled(colours);
  assert.deepEqual((await pixelAt(colours, 40.5, 20.5)).slice(0, 3), [80, 60, 215]);
  await colours.getByLabel('Channels').selectOption('one');
  await settled(colours);
  await hover(colours, 40.5, 20.5);
  assert.equal(await readout(colours), 'y 20, x 40: 80');
  await colours.close();

  const own = await page('pyramid');
  await settled(own);
  assert.match(await own.locator('.below').innerText(), /level 1 of the pyramid/);
  await hover(own, 1001, 601);
  const match = /^y (\d+), x (\d+): (\d+)$/.exec(await readout(own));
  assert.equal(Number(match[3]), Math.floor((Number(match[1]) + Number(match[2])) / 16));
  await own.locator('canvas.plane').focus();
  for (let press = 0; press < 6; press += 1) await own.keyboard.press('+');
  await settled(own);
  assert.match(await own.locator('.below').innerText(), /Every cell/);
  await own.close();
});

test('an experiment shows its embedding, coloured by a column', async () => {
  const own = await page('experiment');
  await own.waitForFunction(() => document.querySelectorAll('.soma .legend li').length === 3);
  assert.equal(await own.locator('.soma .stage').getAttribute('data-points'), '500');
  assert.deepEqual(await own.locator('.soma .legend li').allInnerTexts(), ['B cell', 'T cell', 'monocyte']);
  // The first cluster is that of the B cells: blue, at the bottom left.
  const counts = await own.evaluate(() => {
    const canvas = document.querySelector('canvas.plane');
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, height / 2, width / 2, height / 2);
    const counts = { blue: 0, red: 0 };
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === 0x44 && data[at + 2] === 0xaa) counts.blue += 1;
      if (data[at] === 0xee && data[at + 2] === 0x77) counts.red += 1;
    }
    return counts;
  });
  assert.ok(counts.blue > 100 && counts.red === 0, JSON.stringify(counts));
  await own.getByLabel('Colour by').selectOption('genes');
  await own.waitForFunction(() => /genes: 0/.test(document.querySelector('.soma .legend').textContent));

  // The tree opens groups and arrays, and the address names what is shown.
  await own.locator('.tree summary', { hasText: 'ms' }).click();
  await own.locator('.tree summary', { hasText: 'RNA' }).click();
  await own.locator('.tree button', { hasText: 'var' }).click();
  await own.waitForFunction(() => document.querySelectorAll('.cells tbody tr').length === 10);
  assert.match(await own.locator('.cells').innerText(), /gene7/);
  await own.waitForTimeout(300);
  const again = await open(browser, own.url());
  await again.waitForFunction(() => document.querySelectorAll('.cells tbody tr').length === 10);
  await own.locator('.tree button', { hasText: 'obs' }).click();
  await settled(own);
  assert.match(await own.locator('.cells').innerText(), /monocyte/);
  assert.deepEqual([...(await faultsOf(own)), ...(await faultsOf(again))], []);
  await again.close();
  await own.close();
});

test('texts of data are never HTML, and scripts cannot be added', async () => {
  const own = await page('hostile');
  await settled(own);
  for (const summary of await own.locator('details.about > summary').all()) await summary.click();
  const text = await own.locator('#content').innerText();
  assert.ok(text.includes('<img src=x') && !/[\u202e\u0007]/.test(text));
  assert.ok(text.length < 30_000, `${text.length} characters`);
  assert.equal(await own.locator('#content img').count(), 0);
  assert.notEqual(await own.title(), 'hit');
  assert.deepEqual(await faultsOf(own), []);
  const blocked = await own.evaluate(() => {
    try {
      document.body.insertAdjacentHTML('beforeend', '<b>x</b>');
    } catch (error) {
      return error.name;
    }
    return 'added';
  });
  assert.equal(blocked, 'TypeError');
  await own.close();
});

test('damaged arrays end in a message', async () => {
  const damaged = join(folder, 'site', 'damaged');
  const files = (folder) => readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const kinds = {
    schema: (name) => /__schema/.test(name),
    footer: (name) => name.endsWith('__fragment_metadata.tdb'),
    cells: (name) => /a\d+(_var)?\.tdb$/.test(name) || /d\d+\.tdb$/.test(name),
    index: (name) => name.endsWith('__tiledb_index.json'),
  };
  const changes = {
    inverted: (bytes) => bytes.map((byte) => byte ^ 0xa5),
    zero: (bytes) => bytes.fill(0),
    end: (bytes) => bytes.fill(0xff, Math.floor(bytes.length / 2)),
  };
  for (const [kind, isKind] of Object.entries(kinds)) {
    for (const [change, apply] of Object.entries(changes)) {
      const name = `${kind}_${change}`;
      cpSync(join(folder, 'site', 'more', 'cube'), join(damaged, name), { recursive: true });
      for (const file of files(join(damaged, name)).filter(isKind)) writeFileSync(file, apply(readFileSync(file)));
      const own = await open(browser, `${server.address}/__tiledb_viewer/index.html?url=../damaged/${name}`);
      const text = await message(own);
      assert.ok(text.length > 20, text);
      assert.deepEqual(await faultsOf(own), [], name);
      // The page goes on.
      await own.locator('#address').fill('../more/cube');
      await own.getByRole('button', { name: 'Open' }).click();
      await settled(own);
      assert.ok(await own.locator('#error').isHidden(), name);
      await own.close();
    }
  }
});

test('limits hold: tiles of a gigabyte are refused, and memory stays bounded', async () => {
  const own = await page('enormous');
  assert.match(await message(own), /One tile of the array has 1\.1 GiB/);
  await own.close();

  const large = await page('image');
  await settled(large);
  await large.locator('canvas.plane').focus();
  for (const key of ['+', '+', '+', 'ArrowRight', 'ArrowRight', 'ArrowDown', '-', '+', 'ArrowLeft', 'ArrowLeft', 'ArrowUp', '0', '+', '+', '+', '+', 'ArrowDown']) {
    await large.keyboard.press(key);
    await settled(large);
  }
  await large.waitForTimeout(1_200);
  const [, amount, unit] = /engine: ([\d.]+) (\w+)/.exec(await large.locator('#memory').innerText());
  assert.ok(unit === 'MiB' && Number(amount) < 512, `${amount} ${unit}`);
  const heap = await large.evaluate(() => performance.memory.usedJSHeapSize);
  assert.ok(heap < 300e6, `${heap} bytes`);
  await large.close();
});

test('an engine that does not respond is stopped, and another one started', async () => {
  const own = await open(browser, `${server.address}/__tiledb_viewer/index.html`);
  await own.clock.install();
  await own.route('**/worker.js', (route) => route.fulfill({ contentType: 'text/javascript', body: 'onmessage = () => {};' }));
  await own.locator('#address').fill('../more/cube');
  await own.getByRole('button', { name: 'Open' }).click();
  await own.clock.runFor(70_000);
  assert.match(await message(own), /did not respond for 60 seconds/);
  await own.unroute('**/worker.js');
  await own.clock.resume();
  await own.getByRole('button', { name: 'Open' }).click();
  await settled(own);
  assert.ok(await own.locator('#error').isHidden());
  await own.close();
});

test('members on other servers are opened by a click only', async () => {
  const { isSameOrigin, memberName, openMember } = await import(join(viewer, 'members.js'));
  const group = { uri: 'https://example.org/data/group' };
  const client = { open: (uri) => uri };
  const members = [
    { name: 'own', uri: 'https://example.org/other/place', kind: 'array' },
    { name: 'private', uri: 'http://192.168.0.1/admin', kind: 'array' },
    { name: 'port', uri: 'https://example.org:444/data', kind: 'array' },
    { name: 'no address', uri: '%', kind: 'array' },
    { name: null, uri: 'https://example.org/data/group/a%20b/', kind: 'array' },
  ];
  assert.deepEqual(members.map((member) => isSameOrigin(group, member)), [true, false, false, false, true]);
  assert.equal(memberName(members[4]), 'a b');
  assert.equal(await openMember(client, group, members, 'own'), members[0].uri);
  for (const name of ['private', 'port']) await assert.rejects(openMember(client, group, members, name), /another server/);
  await assert.rejects(openMember(client, group, members, 'none'), /no member 'none'/);
});

test('errors name the remedy', async () => {
  const closed = await answering(() => [200, { 'content-type': 'application/json' }, '{}']);
  const empty = await answering(() => [404, { 'access-control-allow-origin': '*' }, '']);
  const cases = [
    [`${closed.address}/flights`, /Access-Control-Allow-Origin/],
    [`${empty.address}/flights`, /tiledb-rs publish/],
    ['ftp://example.org/flights', /'ftp:'/],
    ['javascript:alert(1)', /'javascript:'/],
    ['http://[', /no address/],
  ];
  for (const [address, expected] of cases) {
    const own = await open(browser, `${server.address}/__tiledb_viewer/index.html?url=${encodeURIComponent(address)}`);
    assert.match(await message(own), expected);
    assert.deepEqual(await faultsOf(own), []);
    await own.close();
  }
  closed.close();
  empty.close();
});

test('a folder of this computer is shown without a server', async () => {
  const own = await open(browser, `${server.address}/__tiledb_viewer/index.html`);
  await own.locator('#folder').setInputFiles(join(folder, 'flights'));
  await settled(own);
  assert.equal(await own.locator('.stage').getAttribute('data-cells'), String(flights.length));
  await own.close();
});

test('the tool shows an array that is not published, to this page only', async () => {
  const shown = await serving(folder, 'view', 'flights', '--no-open', '--viewer-files', viewer);
  try {
    const own = await open(browser, shown.address);
    await settled(own);
    assert.equal(await own.locator('.stage').getAttribute('data-cells'), String(flights.length));
    assert.deepEqual(await faultsOf(own), []);
    const { origin, pathname } = new URL(shown.address);
    const index = pathname.replace('index.html', 'data/flights/__tiledb_index.json');
    const response = await fetch(origin + index);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal((await fetch(`${origin}/data/flights/__tiledb_index.json`)).status, 404);
    const outside = pathname.replace('index.html', 'data/flights/%2e%2e/site/index.html');
    assert.equal((await fetch(origin + outside)).status, 404);
    assert.equal((await fetch(origin + index, { method: 'PUT' })).status, 405);
    const { request } = await import('node:http');
    const status = await new Promise((done) => request(origin + index, { headers: { host: 'attacker.example' } }, (response) => done(response.statusCode)).end());
    assert.equal(status, 421);
    await own.close();
  } finally {
    shown.close();
  }
  const group = await serving(folder, 'view', join(arrays, 'experiment'), '--no-open', '--viewer-files', viewer);
  try {
    const own = await open(browser, group.address);
    await own.waitForFunction(() => document.querySelectorAll('.soma .legend li').length === 3);
    await own.close();
  } finally {
    group.close();
  }
});

test('everything fits on a phone, in light and dark, and is reached by keyboard', async () => {
  const link = `${server.address}/__tiledb_viewer/index.html?url=`;
  for (const [name, url] of [['flights', '..'], ['image', '../more/image'], ['experiment', '../more/experiment']]) {
    for (const width of [390, 1280]) {
      for (const scheme of ['light', 'dark']) {
        const own = await open(browser, link + url, { width, height: width === 390 ? 844 : 900, scheme, touch: width === 390 });
        await settled(own);
        const wide = await own.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name}: ${wide} of ${width} pixels`);
        const background = await own.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
        assert.equal(background[0] < 100, scheme === 'dark');
        await own.screenshot({ path: join(pictures, `${name}_${width}_${scheme}.png`), fullPage: true });
        assert.deepEqual(await faultsOf(own), []);
        await own.close();
      }
    }
  }
  const own = await open(browser, `${link}..`);
  await settled(own);
  const reached = new Set();
  for (let press = 0; press < 40; press += 1) {
    await own.keyboard.press('Tab');
    reached.add(await own.evaluate(() => {
      const { id, className, textContent, tagName } = document.activeElement;
      const isVisible = getComputedStyle(document.activeElement).outlineStyle !== 'none';
      return `${isVisible ? '' : 'hidden '}${id || (typeof className === 'string' && className) || (tagName === 'BUTTON' ? textContent : tagName)}`;
    }));
  }
  for (const expected of ['address', 'folder', 'where', 'plane', 'cells', 'Next']) assert.ok(reached.has(expected), `${expected}: ${[...reached].join(', ')}`);
  await own.close();
});
