import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parseFaults } from '../../src/sandbox/index.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { createTestWorld, runProgram, type World } from '../support/world.ts';

shortenPauses();

/*
 * Each heading in the pages of this folder is a mistake. Its blocks are files of the project, commands, and at the end
 * all that the terminal shows. To accept new messages after reading them: TENANTCTL_UPDATE=1 npx vitest run test/messages
 */

/** A fenced block of a page. */
interface Block {
  /** `yaml config/a.yaml`, `fault`, `sh` or `console`. */
  readonly info: string;
  readonly text: string;
}

interface Mistake {
  readonly name: string;
  readonly blocks: readonly Block[];
  /** What the terminal shows. */
  readonly expected: string;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
const textOf = (page: string) => readFileSync(join(folder, page), 'utf8');

function mistakesOf(page: string): Mistake[] {
  const sections = textOf(page).split(/^## /m).slice(1);
  return sections.map((section) => {
    const blocks = [...section.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)];
    return {
      name: section.slice(0, section.indexOf('\n')),
      blocks: blocks.map(([, info = '', text = '']) => ({ info, text })),
      expected: blocks.at(-1)?.[2] ?? '',
    };
  });
}

it('the pages have at least thirty-five mistakes', () => {
  expect(pages.flatMap(mistakesOf).length).toBeGreaterThanOrEqual(35);
});

describe.each(pages)('%s', (page) => {
  const accepted = new Map<string, string>();
  it.each(mistakesOf(page))('$name', async ({ name, blocks, expected }) => {
    const world = await createTestWorld({ files: { 'config/ok.yaml': 'kind: AuthProfile\nname: Staff\n' } });
    const shown = await replay(blocks, world);
    if (process.env.TENANTCTL_UPDATE) accepted.set(name, shown);
    else expect(unwrap(shown)).toBe(unwrap(expected));
  });
  afterAll(() => {
    if (accepted.size > 0) writeFileSync(join(folder, page), accept(textOf(page), accepted));
  });
});

/** A path of this machine is longer or shorter than that of another, so that lines break elsewhere. */
function unwrap(text: string): string {
  return text.includes('/project/') ? text.replaceAll(/\s+/g, ' ') : text;
}

/** The page with the last block of each section replaced. */
function accept(page: string, accepted: ReadonlyMap<string, string>): string {
  return page.replaceAll(/^## (.*)\n[\s\S]*?(?=^## |$(?![\s\S]))/gm, (section, name: string) =>
    section.replace(
      /^```console\n[\s\S]*?^```$(?![\s\S]*^```console)/m,
      // With `-t`, some were not run.
      (block) => (accepted.has(name) ? `\`\`\`console\n${accepted.get(name)}\`\`\`` : block),
    ),
  );
}

/** Writes the files, runs the commands, and returns what the terminal shows. */
async function replay(blocks: readonly Block[], world: World): Promise<string> {
  let shown = '';
  for (const { info, text } of blocks) {
    const [language = '', path, encoding] = info.split(' ');
    const content = readEscapes(text).replaceAll(
      /(?<=http:\/\/[\w.]+:)PORT/g,
      new URL(world.sandbox.url).port,
    );
    if (encoding === 'utf16') writeFileSync(join(world.dir, path ?? ''), `\uFEFF${content}`, 'utf16le');
    else if (path !== undefined) world.write(path, content);
    else if (language === 'fault') {
      for (const fault of parseFaults([text]).faults) world.sandbox.faults.add(fault);
    } else shown = await typeAll(text, world);
  }
  return shown;
}

/** `\r` and `\uFEFF`, which a page cannot show, as the characters. */
function readEscapes(text: string): string {
  return text.replaceAll('\\r\n', '\r\n').replaceAll('\\uFEFF', '\uFEFF');
}

/** Runs the lines that begin with `$`, and returns them with all that they print. */
async function typeAll(text: string, world: World): Promise<string> {
  let shown = '';
  for (const [, line = ''] of text.matchAll(/^\$ (.*)$/gm)) {
    const words = [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));
    const at = words.indexOf('tenantctl');
    const set = Object.fromEntries(words.slice(0, at).map((word) => word.split('=')));
    const { code, stdout, stderr } = await runProgram(words.slice(at + 1), {
      cwd: world.dir,
      env: { ...world.env, ...set },
    });
    const ending = code === 0 ? '' : `(exit code ${code})\n`;
    shown += `$ ${line}\n${settle(`${stdout}${stderr}`, world)}${ending}`;
  }
  return shown;
}

/** The text without what differs from run to run. */
function settle(text: string, { dir, sandbox }: World): string {
  return (
    text
      .replaceAll(`:${new URL(sandbox.url).port}`, ':PORT')
      .replaceAll(dir, '/project')
      .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:DIGEST')
      .replaceAll(/(tracking id\s+)\w+/g, '$1ID')
      // A busy machine takes seconds, and what is longer may not fit on the line.
      .replaceAll(/\.\s+(?=(?:\d+ min )?[\d.]+\s+m?s$)/gm, '.  ')
      .replaceAll(/\b(\d+ min )?[\d.]+\s+m?s$/gm, 'N ms')
  );
}
