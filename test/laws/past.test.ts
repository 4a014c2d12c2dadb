import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withSince } from '../../src/engine/since.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { type LoadedProject, loadProject } from '../../src/loader/index.ts';
import { formatAddress } from '../../src/model/address.ts';
import { Failure } from '../../src/model/failure.ts';
import { fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { commitAll, git } from '../support/repository.ts';
import { objectsOf, places } from '../support/tenant-objects.ts';
import { worlds } from '../support/tenant-variants.ts';
import { createWorld, succeed } from '../support/world.ts';

/** What is read of a revision where files are the same today is what all of its files say. */

const links = 'link to ';

const projectFile = (globs: string, environment: string) =>
  `version: 1\nmanifests: [${globs}]\nenvironments:\n  test: { sandbox: {}, ${environment} }\n  other: { sandbox: {} }\n`;
const integration = (name: string, description: string) =>
  `kind: SimIntegration\nname: ${name}\ntype: t\ndescription: ${description}\n`;
const kind = (field: string) =>
  `kind: Thing\npath: /v2025/things\nkey: name\ncreate: true\nfields: { ${field}: text, note: text }\n`;

const other = integration('other', '!file ../texts/b.html');
const basic = {
  'tenantctl.yaml': projectFile('config/**/*.yaml', 'variables: { town: A }'),
  'config/plain.yaml': integration('plain', 'x'),
  'config/text.yaml': integration('text', '!file ../texts/a.html'),
  'texts/a.html': 'one\ntwo\n',
};

/** What each path of a project may hold; `null`: nothing. */
const choices: Readonly<Record<string, readonly (string | null)[]>> = {
  'tenantctl.yaml': [
    projectFile('config/**/*.yaml', 'variables: { town: A }'),
    projectFile('config/**/*.yaml', 'variables: { town: B }'),
    projectFile(
      'config/**/*.yaml',
      'variables: { town: A }, overlays: [{ target: SimIntegration/plain, merge: { type: o } }]',
    ),
    projectFile('config/**/*.yaml', 'variables: { town: !file texts/a.html }'),
    projectFile('"{config,more}/**/*.yaml"', 'variables: { town: A }'),
    projectFile('config/*.yaml', 'variables: { town: A }'),
  ],
  'kinds/Thing.kind.yaml': [kind('size'), kind('size'), kind('colour')],
  'config/plain.yaml': [
    null,
    integration('plain', 'x'),
    integration('plain', 'x'),
    integration('plain', 'y'),
  ],
  'config/moved.yaml': [null, integration('moved', 'x')],
  'more/moved.yaml': [null, integration('more', 'x'), integration('more', 'y')],
  'config/sub/town.yaml': [null, integration('town', '!var town'), integration('town', '!env TOWN')],
  'config/sub/text.yaml': [
    integration('text', '!file ../../texts/a.html'),
    integration('text', '!file ../plain.txt'),
  ],
  'config/plain.txt': ['one', 'two'],
  'texts/a.html': ['one', 'two', 'one\r\ntwo', '\uFEFFone'],
  'config/thing.yaml': [
    null,
    'kind: Thing\nname: a\nnote: !secret NOTE\n---\nkind: Thing\nname: b\nnote: x\n',
  ],
  'config/absent.yaml': [null, 'kind: SimIntegration\nname: gone\nensure: absent\n'],
  'config/linked': [null, null, null, `${links}../more`],
  'config/one.yaml': [null, null, `${links}../more/moved.yaml`, '../more/moved.yaml'],
};

type State = Readonly<Record<string, string | null>>;
const state: fc.Arbitrary<State> = fc.record(
  Object.fromEntries(Object.entries(choices).map(([path, texts]) => [path, fc.constantFrom(...texts)])),
);
/** The states of a project: half of the files stay. */
const history = fc
  .tuple(state, state, fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }))
  .map(([then, now, edited]) => {
    const merged = Object.entries(then).map(([path, text], at) => [
      path,
      edited[at] ? (now[path] ?? null) : text,
    ]);
    return { then, now: Object.fromEntries(merged) };
  });

function write(root: string, files: State): void {
  for (const name of readdirSync(root)) if (name !== '.git') rmSync(join(root, name), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    if (text === null) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text.startsWith(links)) symlinkSync(text.slice(links.length), join(root, path));
    else writeFileSync(join(root, path), text);
  }
}

const env = { TOWN: 'C' };
const attempt = <T>(work: () => T): T | readonly string[] => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error.diagnostics.map(({ code, message }) => `${code}: ${message}`);
    throw error;
  }
};

const shown = ({ kind, declaration, secrets, source, ...resource }: Resource) => ({
  ...JSON.parse(JSON.stringify(resource)),
  kind: [kind.name, Object.keys(kind.fields)],
  source: source(),
  secrets: secrets(),
  digest: declaration?.digest(),
  differs: [declaration?.differsHere(), declaration?.isEnsuredHere],
});

const pastOf = (project: LoadedProject) =>
  withSince(
    project,
    { since: 'HEAD', env },
    (past) =>
      past &&
      attempt(() => {
        const { resources, diagnostics } = past(project);
        return { resources: resources.map(shown), diagnostics };
      }),
  );

async function inFolder(use: (root: string) => Promise<void>): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tenantctl-past-')));
  try {
    await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

// Hundreds of repositories, each with several processes of git.
it(
  'is the same as without the files of today, whatever was edited, moved, linked or left uncommitted',
  {
    timeout: 900_000,
  },
  () =>
    fc.assert(
      fc.asyncProperty(history, fc.constantFrom('test', 'other'), async ({ then, now }, environment) =>
        inFolder(async (root) => {
          write(root, then);
          commitAll(root);
          write(root, now);
          const project = attempt(() =>
            loadProject({ configFile: join(root, 'tenantctl.yaml'), environment, env }),
          );
          fc.pre('resources' in project);
          const { files, ...unread } = project;
          expect(files).toBeDefined();
          expect(await pastOf(project)).toEqual(await pastOf(unread));
        }),
      ),
      { numRuns: runs(400) },
    ),
);

/** What else decides what git writes into a folder, or compares with it. */
it.each<[string, (root: string) => void]>([
  [
    'attributes that end lines in the way of Windows, in files as git writes them',
    (root) => {
      write(root, { ...basic, '.gitattributes': '* text eol=crlf\n' });
      commitAll(root);
      for (const path of ['texts/a.html', 'config/text.yaml']) rmSync(join(root, path));
      git(root, 'checkout', '-q', '--', '.');
    },
  ],
  [
    'a file that is marked as not in the work tree, and was edited',
    (root) => {
      write(root, basic);
      commitAll(root);
      git(root, 'update-index', '--skip-worktree', 'texts/a.html');
      writeFileSync(join(root, 'texts/a.html'), 'edited');
    },
  ],
  [
    'a file that git ignores and a glob matches',
    (root) => {
      write(root, basic);
      commitAll(root);
      write(root, {
        ...basic,
        '.gitignore': 'config/new.yaml\n',
        'config/new.yaml': integration('new', 'x'),
      });
    },
  ],
  [
    'a submodule, whose manifests no commit of the project has',
    (root) => {
      write(root, { ...basic, 'config/other/a.yaml': integration('other', 'x') });
      commitAll(join(root, 'config/other'));
      commitAll(root);
    },
  ],
  [
    'a file of today in the place of a link that has its text',
    (root) => {
      write(root, { ...basic, 'texts/b.html': `${links}a.html`, 'config/b.yaml': other });
      commitAll(root);
      write(root, { ...basic, 'texts/b.html': 'a.html', 'config/b.yaml': other });
    },
  ],
])('is the same with %s', (_what, prepare) =>
  inFolder(async (root) => {
    prepare(root);
    const { files, ...project } = loadProject({
      configFile: join(root, 'tenantctl.yaml'),
      environment: 'test',
      env,
    });
    expect(files).toBeDefined();
    const past = await pastOf({ ...project, ...(files && { files }) });
    expect(past).toHaveProperty('resources');
    expect(past).toEqual(await pastOf(project));
  }),
);

/** `apply --since` makes the tenant equal the manifests, deletes what they no longer declare, and leaves the rest alone. */

/** The addresses of manifests. */
const addressesOf = (declared: readonly object[]) =>
  declared.map((document) => {
    const members = new Map(Object.entries(document));
    const names = places.find(([kind]) => kind === members.get('kind'))?.[2] ?? [];
    return formatAddress(
      String(members.get('kind')),
      names.map((name) => String(members.get(name) ?? members.get('domain'))),
    );
  });

const deletable = ['SimIntegration', 'NotificationTemplate', 'SenderAddress'];
const guards = ['--max-deletes', '99', ...deletable.flatMap((kind) => ['--allow-delete-all', kind])];

it.each(worlds)('--since keeps to it in tenants of kind %#', (options) =>
  fc.assert(
    fc.asyncProperty(tenantContent, manifests, manifests, async (content, first, second) => {
      await using world = await createWorld(options);
      fill(world.sandbox.state, content);
      world.declare(first);
      await succeed(world, 'apply --yes');
      commitAll(world.dir);
      world.declare(second);
      const before = objectsOf(world);
      const plan = await world.plan('--since', 'HEAD', ...guards);
      await succeed(world, 'apply --yes --since HEAD', ...guards);
      const after = objectsOf(world);
      const [then, now] = [new Set(addressesOf(first)), new Set(addressesOf(second))];
      for (const address of then)
        if (!now.has(address) && deletable.some((kind) => address.startsWith(kind)))
          expect(after.has(address), address).toBe(false);
      for (const [address, object] of before)
        if (!then.has(address) && !now.has(address)) expect(after.get(address), address).toEqual(object);
      const manual = plan.changes.filter(({ action }) => action === 'manual');
      expect((await world.plan('--since', 'HEAD', ...guards)).changes).toEqual(manual);
    }),
    { numRuns: runs(8) },
  ),
);
