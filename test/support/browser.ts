import { existsSync, readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';

/** The shell has no windows to draw and takes half the time of the whole browser. */
const installed = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));

/** The browser that the tests run, or `undefined` if none is installed: tests that need one are skipped. */
export const executablePath = process.env.CHROMIUM ?? installed;

/** Starts the browser. The caller closes it. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args: ['--no-sandbox'] });

const axeSource = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** What recipients need as well. Other rules are about whole pages, and a frame is none. */
const guidelines = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * What axe-core finds wrong with the page and in its frames, one line each. Frames of this program run no scripts, and
 * axe-core needs them, so the documents of frames are opened as a page of their own.
 */
export async function violations(page: Page): Promise<string[]> {
  const found = await violationsIn(page, { iframes: false });
  const looks = await Promise.all(page.frames().slice(1).map(lookOf));
  // Many frames show the same, and axe-core takes long.
  const different = new Map(looks.map((look) => [JSON.stringify(look), look]));
  const copy = looks.length === 0 ? undefined : await page.context().browser()?.newPage();
  if (!copy) return found;
  for (const look of different.values()) {
    await imitate(look, copy);
    found.push(...(await violationsIn(copy, { runOnly: guidelines })));
  }
  await copy.close();
  return found;
}

/** What a frame shows, and how. */
interface Look {
  readonly content: string;
  readonly width: number;
  readonly isDark: boolean;
}

const lookOf = async (frame: Frame): Promise<Look> => ({
  content: await frame.content(),
  width: await frame.evaluate<number>('innerWidth'),
  isDark: await frame.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches"),
});

/** Shows the document of a frame as wide and in the colours that the frame has. */
async function imitate({ content, width, isDark }: Look, copy: Page): Promise<void> {
  await copy.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  await copy.setViewportSize({ width, height: 900 });
  await copy.setContent(content);
}

async function violationsIn(page: Page, options: RunOptions): Promise<string[]> {
  await page.evaluate(axeSource);
  const all = JSON.stringify({ resultTypes: ['violations'], ...options });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${all})`);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}
