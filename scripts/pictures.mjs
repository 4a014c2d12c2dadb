// Makes the README's pictures from real runs on examples/: docs/images/plan.svg, a plan as a terminal shows it, and
// docs/images/report.png, the HTML report in Chromium.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { terminalPicture } from './docs/terminal.mjs';

const root = new URL('..', import.meta.url).pathname;
const images = join(root, 'docs/images');
const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'chromium-headless-shell'].map(
  (name) => `/usr/bin/${name}`,
);
/** Documents that show nothing new. */
const leftOut = /locale: (de|fr)|key: password_expiring/;

const folder = mkdtempSync(join(tmpdir(), 'tenantctl-pictures-'));
try {
  cpSync(join(root, 'examples'), folder, {
    recursive: true,
    filter: (path) => !path.includes('.tenantctl'),
  });
  mkdirSync(images, { recursive: true });
  tenantctl('plan', '--quiet', '--report', 'plan.html');
  await photograph(readFileSync(join(folder, 'plan.html'), 'utf8'), join(images, 'report.png'));
  rmSync(join(folder, 'config/searches'), { recursive: true });
  for (const file of ['passwords.yaml', 'work-items.yaml']) shorten(join(folder, 'config/templates', file));
  writeFileSync(join(images, 'plan.svg'), terminalPicture('$ tenantctl plan', tenantctl('plan')));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Removes documents, so that the picture fits on a screen and shows one change of each sort. */
function shorten(file) {
  const documents = readFileSync(file, 'utf8').split('---\n');
  writeFileSync(file, documents.filter((document) => !leftOut.test(document)).join('---\n'));
}

function tenantctl(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/bin/cli.cjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '', FORCE_COLOR: '1' },
  });
  if (status !== 0) throw new Error(`tenantctl ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

async function photograph(html, file) {
  const executablePath = process.env.CHROMIUM ?? browsers.find((path) => existsSync(path));
  if (!executablePath) throw new Error('There is no Chromium; name it with CHROMIUM=/path.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({
      viewport: { width: 1180, height: 1270 },
      colorScheme: 'light',
      deviceScaleFactor: 1,
    });
    await page.setContent(html);
    await page.waitForLoadState('load');
    // One template: its lines, and what recipients saw and will see.
    await page.getByRole('searchbox').fill('cloud_manual_work_item_summary/EMAIL/en');
    await page.locator('iframe:visible').first().contentFrame().locator('h2').waitFor();
    await page.locator('iframe:visible').last().contentFrame().locator('h2').waitFor();
    await page.evaluate(() => globalThis.scrollTo(0, 0));
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
}
