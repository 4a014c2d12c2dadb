import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import type { Operation } from '../../src/sandbox/index.ts';
import { documented, operationsOf, type Use, uses } from './commands-at-work.ts';

/** Of kinds that no API document of this project has. */
const undocumented = ['list-identity', 'list-source', 'list-cluster', 'list-service-desk-integration'];

const seen = new Map<Use, Promise<Set<string>>>();

/** Each use runs once, whichever test asks first. */
function operationsSeen(use: Use): Promise<Set<string>> {
  const known = seen.get(use) ?? operationsOf(use);
  seen.set(use, known);
  return known;
}

describe('every command at work', () => {
  test.each(uses.map((use) => [use.command, use.shows, use] as const))(
    '%s: %s',
    async (_name, _shows, use) => {
      const names = new Set<string>(['issue-token', ...undocumented, ...documented.map(({ name }) => name)]);
      for (const operation of await operationsSeen(use)) expect(names).toContain(operation);
    },
  );

  test('none is left out', () => {
    const used = new Set(uses.map(({ command }) => command));
    expect(Object.keys(commands).filter((name) => !used.has(name))).toEqual([]);
  });

  test('some need no tenant', async () => {
    const offline = uses.filter(({ command }) =>
      ['init', 'validate', 'schema', 'show', 'history'].includes(command),
    );
    for (const use of offline) expect([...(await operationsSeen(use))]).toEqual([]);
  });
});

describe('every operation of the documents', () => {
  test('has its use in a command', async () => {
    const used = new Set((await Promise.all(uses.map(operationsSeen))).flatMap((names) => [...names]));
    expect(documented.filter(({ name }) => !used.has(name)).map(({ name }) => name)).toEqual([]);
  });

  test('has its row in docs/api-coverage.md, which `node scripts/api-coverage.mjs` writes', async () => {
    await expect(await coverage()).toMatchFileSnapshot('../../docs/api-coverage.md');
  });
});

const titles = [
  [/^\/v2024/, 'Authentication profiles and service-desk integrations (version 2024)'],
  [/^\/v2025/, 'Notifications (version 2025)'],
  [/^\/api\/(?!advanced_search)/, 'Collections'],
  [/^\/(?!v|api\/(?!advanced_search))/, 'Profile searches (documented without their requests)'],
] as const;

async function coverage(): Promise<string> {
  const all = await Promise.all(uses.map(async (use) => ({ use, names: await operationsSeen(use) })));
  const row = ({ name, method, path }: Operation) => {
    const using = all.filter(({ names }) => names.has(name)).map(({ use }) => use);
    const called = [...new Set(using.map(({ command }) => `\`${command}\``))].join(', ');
    const tests = using.map((use) => uses.indexOf(use) + 1).join(', ');
    return `| ${name} | \`${method} ${path}\` | ${called} | ${tests} |`;
  };
  const sections = titles.map(([paths, title]) => {
    const rows = documented.filter(({ path }) => paths.test(path)).map(row);
    const head = ['| Operation | Request | Commands | Tests |', '|---|---|---|---|'];
    return `## ${title}\n\n${[...head, ...rows].join('\n')}\n`;
  });
  const tests = uses.map(({ command, shows }, at) => `${at + 1}. \`${command}\`: ${shows}`);
  return [
    '# API coverage\n\nWhich command uses which operation of the API.\n',
    '`node scripts/api-coverage.mjs` writes this page: it runs every command against the embedded tenant and records the',
    'requests. Commands that need the tenant get a token with `POST /oauth/token`, unless the environment provides one.\n',
    ...sections,
    `## Tests\n\nThe tests in \`test/commands/coverage.test.ts\`:\n\n${tests.join('\n')}\n`,
  ].join('\n');
}
