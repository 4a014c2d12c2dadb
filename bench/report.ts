import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { repeat } from './measure.ts';
import { atMost, type Row } from './row.ts';
import { type Template, templateManifest, templates } from './templates.ts';
import { withWorld } from './world.ts';

const count = 2000;
/** Milliseconds that the page waits for more typing before it filters. */
const typingPause = 40;

const executablePath =
  process.env.CHROMIUM ??
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .map((name) => `/usr/bin/${name}`)
    .find((path) => existsSync(path));

/** The HTML report of a plan with 2,000 changed templates: its size, and how soon it answers in Chromium. */
export async function report(runs: number): Promise<Row[]> {
  if (executablePath === undefined) {
    process.stderr.write('No Chromium is installed, so the HTML report is not measured.\n');
    return [];
  }
  return withWorld({ templates: count, latency: 0 }, async (world) => {
    world.declare(templates(count).map(rewrite).map(templateManifest));
    await world.run(['plan', '--quiet', '--report', 'report.html']);
    const file = join(world.manifests, '../report.html');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const visits = await repeat(2 * runs, () => visit(browser, pathToFileURL(file).href));
      return rowsOf(statSync(file).size, visits);
    } finally {
      await browser.close();
    }
  });
}

/** With another subject and a new line in the body, in each template its own: no two changes are the same. */
function rewrite(each: Template, number: number): Template {
  return {
    ...each,
    subject: `${each.subject}, case ${number}`,
    body: each.body.replace('</body>', `  <p>Case ${number} is closed after $days days.</p>\n</body>`),
  };
}

/** Milliseconds, by the clock and of the CPU of the page's main thread. */
interface Time {
  readonly clock: number;
  readonly cpu: number;
}

interface Visit {
  /** From the start of loading until the list is drawn and input is handled. */
  readonly ready: Time;
  /** For each of the searches, from the input until its result is drawn. */
  readonly filters: readonly Time[];
}

/** What is searched, one after the other: something rare, something in all changes, and nothing. */
const searches = ['case 1234', 'user', ''];

/** Runs in the page before its own script. What it defines is done when the next picture is drawn. */
const stopwatch = `
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
  const loaded = new Promise((done) => addEventListener('DOMContentLoaded', done));
  globalThis.ready = loaded.then(drawn);
  globalThis.unpacked = loaded.then(() => new Promise((done) => {
    new MutationObserver(done).observe(document.documentElement, { attributeFilter: ['data-unpacked'] });
  }));
  globalThis.search = (words) => new Promise((done) => {
    const start = performance.now();
    new MutationObserver(async () => done((await drawn()) - start))
      .observe(document.getElementById('count'), { childList: true });
    document.getElementById('text').value = words;
    document.getElementById('text').dispatchEvent(new Event('input'));
  });
`;

async function visit(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.addInitScript(stopwatch);
  await page.goto(url);
  const clock = await page.evaluate<number>('ready');
  const ready = { clock, cpu: await cpuOf(session) };
  await page.evaluate('unpacked.then(() => null)');
  const filters: Time[] = [];
  for (const words of searches) filters.push(await search(page, session, words));
  await page.close();
  return { ready, filters };
}

async function search(page: Page, session: CDPSession, words: string): Promise<Time> {
  const start = await cpuOf(session);
  const clock = await page.evaluate<number>(`search(${JSON.stringify(words)})`);
  return { clock, cpu: (await cpuOf(session)) - start };
}

/** The CPU that the page's main thread has used. */
async function cpuOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

function rowsOf(size: number, visits: readonly Visit[]): Row[] {
  const least = (times: readonly Time[], name: keyof Time) => Math.min(...times.map((time) => time[name]));
  const ready = visits.map((each) => each.ready);
  const slowest = (name: keyof Time) =>
    Math.max(
      ...searches.map((_, at) =>
        least(
          visits.flatMap(({ filters }) => filters[at] ?? []),
          name,
        ),
      ),
    );
  const byClock = (time: number) => `CPU of the page; by the clock ${time.toFixed(0)} ms`;
  return [
    atMost('HTML report of 2,000 changed templates: size', 6, size / 1_000_000, {
      unit: ' MB',
      detail: 'both sides rendered',
    }),
    atMost('… until it can be used', 1000, least(ready, 'cpu'), {
      unit: ' ms',
      detail: byClock(least(ready, 'clock')),
    }),
    atMost('… the slowest of three filters', 200, typingPause + slowest('cpu'), {
      unit: ' ms',
      detail: `${byClock(slowest('clock'))}; both with the ${typingPause} ms that it waits for more typing`,
    }),
  ];
}
