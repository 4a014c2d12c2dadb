/** Vendor's defaults that change after a template was customised from them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TenantState } from '../../src/sandbox/index.ts';
import { commitAll } from '../support/repository.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const key = { key: 'welcome', medium: 'EMAIL', locale: 'en' };
const standard = { key: 'welcome', subject: 'Welcome', body: 'Hello\nSign in.\nRegards' };
const address = 'NotificationTemplate/welcome/EMAIL/en';
const manifest = 'config/notification-templates/welcome/email.en.yaml';

/** A tenant with a customised template. */
async function tenant(): Promise<World> {
  const made = await createTestWorld({ env: { GITHUB_STEP_SUMMARY: '' } });
  addObjects(made.sandbox.state, {
    templateDefaults: [standard],
    templates: [{ ...standard, subject: 'Ours' }],
  });
  return made;
}

function moveDefault({ sandbox }: World, to: Partial<TenantState['templateDefaults'][number]>): void {
  Object.assign(sandbox.state.templateDefaults[0] ?? {}, to);
}

it('records the default at an export, and tells when the vendor changes it, without a change', async () => {
  const made = await tenant();
  const { run, plan, read, write } = made;
  await expectEnd(run('export'), 0);
  const recorded = read(manifest);
  expect(recorded).toMatch(/\nlifecycle:\n {2}basedOn: sha256:[0-9a-f]{64}\n$/);
  expect(await plan()).toMatchObject({ changes: [], diagnostics: [] });

  const passkey = 'Hello\nSign in with a passkey.\nRegards';
  moveDefault(made, { body: passkey });
  const moved = await plan();
  expect(moved.changes).toEqual([]);
  expect(moved.diagnostics).toMatchObject([
    {
      code: 'default-moved',
      severity: 'warning',
      address,
      source: { file: manifest, line: recorded.slice(0, recorded.indexOf('basedOn')).split('\n').length },
      // The declared body is that of the old default, as the digest proves.
      versions: [
        { name: 'subject', ours: 'Ours', theirs: 'Welcome', old: 'Welcome' },
        { name: 'body', ours: standard.body, theirs: passkey, old: standard.body },
      ],
    },
  ]);

  const [{ message = '', hint = '' } = {}] = moved.diagnostics;
  expect(message).toContain('differs from the new default in subject, body.');
  const digest = /sha256:[0-9a-f]{64}/.exec(hint)?.[0] ?? '';
  write(manifest, recorded.replace(/sha256:[0-9a-f]{64}/, digest));
  expect((await plan()).diagnostics).toEqual([]);
});

it('shows the new default beside the declared texts in the HTML report, and saved plans too', async () => {
  const made = await tenant();
  await made.run('export');
  moveDefault(made, { subject: 'Welcome <b>aboard</b>' });
  await succeed(made, 'plan --out plan.json --report plan.html');
  await made.run('show plan.json --report shown.html');
  for (const file of ['plan.html', 'shown.html']) {
    const page = made.read(file);
    expect(page).toContain("Compare with the vendor's new default");
    expect(page).toContain('old default is not known');
    expect(page).not.toContain('<b>aboard');
    expect(page).toContain('aboard');
  }
});

it("shows the vendor's old text from the commit that exported it, with the same digest as without git", async () => {
  const made = await tenant();
  const [template] = made.sandbox.state.templates;
  Object.assign(template ?? {}, { subject: 'Welcome', body: 'Ours\nSign in.\nRegards' });
  await made.run('export');
  const exported = made.read(manifest);
  // The body of the default is in git only: it was exported, and customised afterwards.
  made.write(
    manifest,
    exported.replace(/^body:.*?(?=^lifecycle)/ms, `body: ${JSON.stringify(standard.body)}\n`),
  );
  commitAll(made.dir, 'As the vendor has it');
  made.write(manifest, exported);
  commitAll(made.dir, 'Ours');
  moveDefault(made, { body: 'Hello\nSign in with a passkey.\nRegards', subject: 'Welcome aboard' });
  const plan = await made.plan();
  expect(plan.diagnostics).toMatchObject([
    {
      code: 'default-moved',
      versions: [
        { name: 'subject', ours: 'Welcome', theirs: 'Welcome aboard', old: 'Welcome' },
        { name: 'body', ours: 'Ours\nSign in.\nRegards', old: standard.body },
      ],
    },
  ]);
  await made.run('plan --report plan.html');
  const page = made.read('plan.html');
  const panes = [
    ...page
      .replaceAll('&#39;', "'")
      .matchAll(/<figcaption>([^<]*(?:default|declared))<\/figcaption>(<p class="note">the same)?/g),
  ];
  expect(panes.map(([, title, same]) => [title, same !== undefined])).toEqual(
    // The manifest has the old subject, and a body of its own.
    [true, false].flatMap((isOld) => [
      ["The vendor's old default", false],
      ["The vendor's new default", false],
      ['As declared', isOld],
    ]),
  );
  expect(page).not.toContain('is not known');
  rmSync(join(made.dir, '.git'), { recursive: true });
  const without = await made.plan();
  expect(without.diagnostics[0]?.versions?.[0]).not.toHaveProperty('old');
  expect(without.digest).toBe(plan.digest);
  await made.run('plan --report plan.html');
  expect(made.read('plan.html')).toContain('git has no manifest with its text');
});

it('is what the page of a plan shows of a template that is deleted, since people get it then', async () => {
  const made = await tenant();
  made.declare([{ kind: 'NotificationTemplate', ...key, ensure: 'absent' }]);
  await made.run('plan --report plan.html');
  expect(made.read('plan.html')).toContain('Sign in.');
});

it('adds the digest in a merge where there is none, and keeps one that a person has to look at', async () => {
  const made = await tenant();
  const text = `# Mine\nkind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nsubject: Ours\n`;
  made.write('config/all.yaml', `${text}lifecycle: { protect: true }\n`);
  await succeed(made, 'export --merge');
  const merged = made.read('config/all.yaml');
  expect(merged).toMatch(/^# Mine\n.*lifecycle: \{ protect: true, basedOn: sha256:[0-9a-f]{64} \}\n$/s);
  made.write('config/all.yaml', text);
  await made.run('export --merge');
  expect(made.read('config/all.yaml')).toMatch(
    /subject: Ours\nlifecycle:\n {2}basedOn: sha256:[0-9a-f]{64}\n$/,
  );

  moveDefault(made, { subject: 'Another' });
  const before = made.read('config/all.yaml');
  await made.run('export --merge');
  expect(made.read('config/all.yaml')).toBe(before);
  expect((await made.plan()).diagnostics).toMatchObject([{ code: 'default-moved' }]);
});

it('reads defaults only for templates that name one, all in one request', async () => {
  const made = await tenant();
  const asked = () =>
    made.sandbox.log.filter(({ operation }) => operation === 'list-notification-template-defaults').length;
  const declared = { kind: 'NotificationTemplate', ...key, subject: 'Ours' };
  made.declare([declared]);
  await made.plan();
  expect(asked()).toBe(0);
  const german = { ...standard, locale: 'de' };
  addObjects(made.sandbox.state, { templateDefaults: [german], templates: [{ ...german, subject: 'Ours' }] });
  const lifecycle = { basedOn: `sha256:${'0'.repeat(64)}` };
  made.declare([
    { ...declared, lifecycle },
    { ...declared, locale: 'de', lifecycle },
  ]);
  expect((await made.plan()).diagnostics).toHaveLength(2);
  expect(asked()).toBe(1);
});

it('shows no secret beside the text of the vendor', async () => {
  const made = await tenant();
  made.env.SUBJECT = 'Ours';
  made.write(
    'config/all.yaml',
    `kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nsubject: !secret SUBJECT\nlifecycle: { basedOn: 'sha256:${'0'.repeat(64)}' }\n`,
  );
  const [remark] = (await made.plan()).diagnostics;
  expect(remark).toMatchObject({ code: 'default-moved' });
  expect(remark).not.toHaveProperty('versions');
});

it('takes it only for kinds that have defaults, and only as a digest', async () => {
  const made = await tenant();
  const basedOn = `sha256:${'0'.repeat(64)}`;
  made.declare([{ kind: 'SimIntegration', name: 'Desk', lifecycle: { basedOn } }]);
  const { stdout, stderr } = await expectEnd(made.run('validate'), 1);
  expect(stdout + stderr).toContain('basedOn');
  made.declare([{ kind: 'NotificationTemplate', ...key, lifecycle: { basedOn: 'x' } }]);
  await expectEnd(made.run('validate'), 1);
});
