// Makes the README's pictures from real runs on examples/: in a terminal, plan.svg, and session.svg, which plays; in Chromium,
// report.png (the first screen), mail.png (a mail compared) and comment.png (the comment in a pull request). They need the fonts
// Inter and Noto Color Emoji (Debian: fonts-inter, fonts-noto-color-emoji).
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { commentPage } from './docs/comment.mjs';
import { recording } from './docs/recording.mjs';
import { terminalPicture } from './docs/terminal.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs/images');
const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'chromium-headless-shell'].map(
  (name) => `/usr/bin/${name}`,
);
/** The columns of the recording: a phone shows them in letters that can be read. */
const narrow = 62;
/** Documents that show nothing new. */
const leftOut = /locale: (de|fr)|key: password_expiring/;

const folder = mkdtempSync(join(tmpdir(), 'tenantctl-pictures-'));
try {
  cpSync(join(root, 'examples'), folder, {
    recursive: true,
    filter: (path) => !path.includes('.tenantctl'),
  });
  mkdirSync(images, { recursive: true });
  tenantctl(['plan', '--quiet', '--report', 'plan.html', 'plan.md']);
  await photographAll(
    readFileSync(join(folder, 'plan.html'), 'utf8'),
    readFileSync(join(folder, 'plan.md'), 'utf8'),
  );
  rmSync(join(folder, 'config/searches'), { recursive: true });
  for (const file of ['passwords.yaml', 'work-items.yaml']) shorten(join(folder, 'config/templates', file));
  writeFileSync(join(images, 'plan.svg'), terminalPicture('$ tenantctl plan', tenantctl(['plan'])));
  writeFileSync(join(images, 'session.svg'), session());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** From the manifests to an empty plan. */
function session() {
  const commands = [['validate'], ['plan', '--quiet'], ['apply', '--yes', '--quiet'], ['plan', '--quiet']];
  const steps = commands.map((args) => ({
    command: `tenantctl ${args.filter((arg) => arg !== '--quiet').join(' ')}`,
    output: tenantctl(args, narrow),
  }));
  return recording(steps, 'A session in a terminal: validate, plan, apply, and an empty plan', narrow);
}

/** Removes documents, so that the picture fits on a screen and shows one change of each sort. */
function shorten(file) {
  const documents = readFileSync(file, 'utf8').split('---\n');
  writeFileSync(file, documents.filter((document) => !leftOut.test(document)).join('---\n'));
}

function tenantctl(args, columns = 100) {
  const terminal = [
    '--import',
    `data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:${columns}})`,
  ];
  const command = [...terminal, join(root, 'dist/bin/cli.cjs'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '', FORCE_COLOR: '1' },
  });
  if (status !== 0) throw new Error(`tenantctl ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

async function photographAll(report, comment) {
  const executablePath = process.env.CHROMIUM ?? browsers.find((path) => existsSync(path));
  if (!executablePath) throw new Error('There is no Chromium; name it with CHROMIUM=/path.');
  const env = { ...process.env, FONTCONFIG_FILE: fontsFile() };
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], env });
  const open = async (html, height) => {
    const page = await browser.newPage({
      viewport: { width: 1180, height },
      deviceScaleFactor: 2,
      colorScheme: 'light',
    });
    await page.setContent(html);
    await page.waitForLoadState('load');
    return page;
  };
  try {
    const page = await open(report, 1270);
    await page.screenshot({
      path: join(images, 'report.png'),
      clip: { x: 0, y: 0, width: 1180, height: 900 },
    });
    // One template: its lines, and what recipients saw and will see.
    await page.getByRole('searchbox').fill('cloud_manual_work_item_summary/EMAIL/en');
    for (const mail of [page.locator('iframe:visible').first(), page.locator('iframe:visible').last()])
      await mail.contentFrame().locator('h2').waitFor();
    await page
      .locator('.rendered:visible')
      .first()
      .screenshot({ path: join(images, 'mail.png') });
    const discussion = await open(commentPage(comment), 900);
    await discussion.setViewportSize({ width: 900, height: 900 });
    await discussion
      .locator('summary', { hasText: 'EMAIL/en' })
      .filter({ hasText: 'update' })
      .first()
      .click();
    await discussion.screenshot({ path: join(images, 'comment.png') });
  } finally {
    await browser.close();
  }
}

/** A file of settings in which Inter stands for the fonts that pages and mails ask for. */
function fontsFile() {
  for (const font of ['Inter', 'Noto Color Emoji'])
    if (!spawnSync('fc-match', [font], { encoding: 'utf8' }).stdout?.includes(`"${font}"`))
      throw new Error(`The font ${font} is not installed.`);
  const inter = '<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit>';
  const families = ['system-ui', 'sans-serif', 'Arial', 'Helvetica', 'Segoe UI'].map(
    (name) => `<match target="pattern"><test name="family"><string>${name}</string></test>${inter}</match>`,
  );
  const file = join(folder, 'fonts.conf');
  const settings = `<include>/etc/fonts/fonts.conf</include>${families.join('')}`;
  writeFileSync(file, `<?xml version="1.0"?><fontconfig>${settings}</fontconfig>`);
  return file;
}
