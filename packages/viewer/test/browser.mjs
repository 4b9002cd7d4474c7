// What the tests of the viewer share: a browser, the tool, servers, and expected values.
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const root = new URL('../../..', import.meta.url).pathname;
export const viewer = `${root}packages/viewer/dist`;
const tool = process.env.TOOL ?? `${root}target/debug/tiledb-rs`;
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export function run(folder, ...words) {
  return execFileSync(tool, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Starts a command that serves, and returns its address. */
export async function serving(folder, ...words) {
  const child = spawn(tool, [...words, '--json'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const part of child.stdout) {
    text += part;
    try {
      return { address: JSON.parse(text).address, close: () => child.kill() };
    } catch {
      // The JSON is printed over several lines.
    }
  }
  throw new Error(`${words.join(' ')} ended`);
}

/** A server that answers every request by a function: [status, headers, body]. */
export async function answering(answer) {
  const server = createServer((request, response) => {
    const [status, headers, body] = answer(request);
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

export function launch() {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-precise-memory-info'] });
}

/** A page that collects what it must not do. */
export async function open(browser, url, { width = 1280, height = 900, scheme = 'light', touch = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, hasTouch: touch, isMobile: touch });
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Requests that fail are part of some tests.
    if (message.type() === 'error' && !/Failed to load resource|blocked by CORS|net::ERR/.test(message.text())) page.faults.push(message.text());
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));
  });
  await page.goto(url);
  return page;
}

export async function faultsOf(page) {
  return [...page.faults, ...(await page.evaluate(() => window.violations))];
}

/** Waits until nothing is read. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('.stage, .cells') !== null && document.querySelector('[aria-busy="true"]') === null);
  // Reads follow movements after a pause, of up to 300 ms.
  await page.waitForTimeout(500);
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}

export async function message(page) {
  await page.waitForFunction(() => document.getElementById('error').hidden === false);
  return page.locator('#error').innerText();
}

/** Centre and pixels per cell of the plane, as the address has them. */
export async function viewOf(page) {
  await page.waitForTimeout(300);
  const hash = await page.evaluate(() => location.hash.slice(1));
  const [x, y, scaleX, scaleY] = new URLSearchParams(hash).get('view').split(',').map(Number);
  const { width, height } = await page.locator('canvas.plane').boundingBox();
  // The border is no part of the picture.
  return { x, y, scaleX, scaleY, width: width - 2, height: height - 2 };
}

/** The pixel of the picture at a position of the plane. */
export async function pixelAt(page, x, y) {
  const view = await viewOf(page);
  const [left, top] = [(x - view.x) * view.scaleX + view.width / 2, (y - view.y) * view.scaleY + view.height / 2];
  return page.evaluate(([left, top]) => {
    const canvas = document.querySelector('canvas.plane');
    const ratio = canvas.width / canvas.clientWidth;
    return Array.from(canvas.getContext('2d').getImageData(left * ratio, top * ratio, 1, 1).data);
  }, [left, top]);
}

/** Moves the pointer to a position of the plane. */
export async function hover(page, x, y) {
  const view = await viewOf(page);
  const box = await page.locator('canvas.plane').boundingBox();
  await page.mouse.move(box.x + 1 + (x - view.x) * view.scaleX + view.width / 2, box.y + 1 + (y - view.y) * view.scaleY + view.height / 2);
}

/** The rows of a CSV file. */
export function rowsOf(path) {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n').map((line) => line.split(','));
  return lines.map((values) => Object.fromEntries(head.map((name, at) => [name, values[at]])));
}

const STOPS = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];

/** The colour from blue to yellow that a value between `low` and `high` has. */
export function viridis(value, low, high) {
  const place = (Math.round(Math.min(1, Math.max(0, (value - low) / (high - low))) * 255) / 255) * 8;
  const below = Math.min(Math.floor(place), 7);
  return [16, 8, 0].map((shift) => {
    const [from, to] = [(STOPS[below] >> shift) & 255, (STOPS[below + 1] >> shift) & 255];
    return Math.round(from + (to - from) * (place - below));
  });
}
