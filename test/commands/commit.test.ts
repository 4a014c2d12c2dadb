/** Reports say which commit they are made of and who made it, from the variables of CI, or from git. */
import { beforeEach, expect, it } from 'vitest';
import { commitAll, git } from '../support/repository.ts';
import { createTestWorld, succeed, type World } from '../support/world.ts';

const id = '3f2a91c0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f60';
let world: World;

beforeEach(async () => {
  world = await createTestWorld();
  world.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
});

it.each([
  [
    'GitHub',
    {
      GITHUB_SHA: id,
      GITHUB_ACTOR: 'ada',
      GITHUB_HEAD_REF: '',
      GITHUB_REF_NAME: 'rebrand',
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/iga',
    },
    ['https://github.example/acme/iga/commit/', 'https://github.example/acme/iga/blob/'],
  ],
  [
    'GitHub, for a pull request',
    {
      GITHUB_SHA: id,
      GITHUB_ACTOR: 'ada',
      GITHUB_HEAD_REF: 'rebrand',
      GITHUB_REF_NAME: '12/merge',
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/iga',
    },
    ['https://github.example/acme/iga/commit/', 'https://github.example/acme/iga/blob/'],
  ],
  [
    'GitLab',
    {
      CI_COMMIT_SHA: id,
      CI_COMMIT_AUTHOR: 'ada <ada@acme.example>',
      CI_COMMIT_REF_NAME: 'rebrand',
      CI_PROJECT_URL: 'https://gitlab.example/acme/iga',
    },
    ['https://gitlab.example/acme/iga/-/commit/', 'https://gitlab.example/acme/iga/-/blob/'],
  ],
  ['Azure', { BUILD_SOURCEVERSION: id, BUILD_REQUESTEDFOR: 'ada', BUILD_SOURCEBRANCHNAME: 'rebrand' }, []],
])(
  'names the commit of a job of %s, and links to it and to the lines of the manifests',
  async (_name, env, [commits = '', files = '']) => {
    Object.assign(world.env, env);
    const { stdout } = await succeed(world, 'plan', '--report', 'plan.md', 'plan.html');
    expect(stdout).toContain('commit 3f2a91c0d1 on rebrand, by ada\n');
    const [markdown, page] = [world.read('plan.md'), world.read('plan.html')];
    const words = '3f2a91c0d1 on rebrand, by ada';
    expect(markdown).toContain(
      commits === '' ? `commit ${words} · ` : `commit [${words}](<${commits}${id}>) · `,
    );
    if (files !== '') {
      expect(markdown).toMatch(new RegExp(`\\]\\(<${files}${id}/[\\w/.-]+\\.yaml#L\\d+>\\)`));
      expect(page).toContain(`href="${files}${id}/`);
    }
    expect(`${markdown}${page}`).not.toContain('ada@acme.example');
  },
);

it('names the last commit of a checkout in reports that others read, with the folder of the project in links', async () => {
  commitAll(world.dir);
  const head = git(world.dir, 'rev-parse', 'HEAD').slice(0, 10);
  const named = `commit ${head} on main, by a`;
  // A part is a plan of several environments.
  for (const part of [[], ['--shard', '1/1']]) {
    await succeed(world, 'plan', ...part, '--report', 'plan.md');
    expect(world.read('plan.md')).toContain(`${named} · `);
  }
  expect((await succeed(world, 'plan --format markdown')).stdout).toContain(named);
  expect((await succeed(world, 'plan')).stdout).not.toContain(head);
});

it('says how old a saved plan is', async () => {
  await succeed(world, 'plan', '--out', 'plan.json');
  const plan = JSON.parse(world.read('plan.json'));
  const createdAt = new Date(Date.now() - 2 * 3_600_000 - 5000).toISOString();
  world.write('plan.json', JSON.stringify({ ...plan, createdAt }));
  expect((await succeed(world, 'show', 'plan.json')).stdout).toContain('\nmade 2 hours ago\n');
});
