import { beforeEach, describe, expect, it } from 'vitest';
import { createTestWorld, seedFile, succeed, type World } from '../support/world.ts';

const key = { key: 'access_request_decision', medium: 'EMAIL', locale: 'en' };
const template = { kind: 'NotificationTemplate', ...key, subject: 'Your request' };

let world: World;
beforeEach(async () => {
  world = await createTestWorld({ sandbox: { seed: seedFile } });
  world.declare([template]);
});

/** An environment in a file of its own, with an overlay over the template. Its values begin on line 9. */
function overlay(...members: readonly string[]): void {
  const lines = [
    'identity:',
    `  baseUrl: ${world.sandbox.url}`,
    '  auth: { clientId: !env CLIENT_ID, clientSecret: !secret CLIENT_SECRET }',
    'profiles:',
    `  baseUrl: ${world.sandbox.url}`,
    'overlays:',
    '  - target: NotificationTemplate/**',
    '    merge:',
    ...members.map((member) => `      ${member}`),
  ];
  world.write('environments/prod.yaml', `${lines.join('\n')}\n`);
}

/** What the program prints, on one line. */
const said = async (...argv: string[]) => {
  const { stdout, stderr } = await world.run(...argv, '-e', 'prod');
  return `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
};

describe('a value that an overlay sets', () => {
  const note = '(set by the overlay in environments/prod.yaml:10)';
  beforeEach(() => overlay('# for this tenant only', 'description: For production'));

  it('is shown as such in the differences, and others are not', async () => {
    const shown = await said('plan');
    expect(shown).toContain(`For production" ${note}`);
    expect(shown.split('set by the overlay')).toHaveLength(2);
  });

  it('is marked in the plan as data', async () => {
    const { json } = await world.run('plan --format json -e prod');
    const overlay = { file: 'environments/prod.yaml', line: 10 };
    const diff = [{ path: '/description', overlay }, { path: '/subject' }];
    expect(json).toMatchObject({ changes: [{ diff }] });
    expect(JSON.stringify(json).split('"overlay"')).toHaveLength(2);
  });

  it('is shown as such in Markdown and HTML', async () => {
    const words = 'set by the overlay in environments/prod.yaml:10';
    expect(await said('plan', '--format', 'markdown')).toContain(`${words} |`);
    expect(await said('plan', '--format', 'html')).toContain(words);
  });

  it('does not keep a saved plan from being applied', async () => {
    await succeed(world, 'plan -e prod --out plan.json');
    await succeed(world, 'apply plan.json');
  });
});

describe('a problem with a value that an overlay sets says so', () => {
  it.each([
    ['validate', 'description: 12', '20 error `description` must be text or null, not 12', 'wrong-type'],
    ['validate', 'descripton: a', '7 error There is no field `descripton`', 'unknown-field'],
    ['plan', 'description: !secret TEXT', '20 error The secret TEXT is not set', 'secret-unset'],
  ])('if %s finds one: %s', async (command, member, message, code) => {
    overlay(member);
    const place = 'environments/prod.yaml:9';
    expect(await said(command)).toContain(`${place}:${message} (set by this overlay). [${code}]`);
  });

  it('if the lint finds it, and only then', async () => {
    overlay('subject: $nobody');
    expect(await said('plan')).toMatch(
      /environments\/prod.yaml:9:16 warning [^[]*`\$nobody` \(set by this overlay\)/,
    );
    overlay('description: a');
    world.declare([{ ...template, subject: '$nobody' }]);
    expect(await said('plan')).toMatch(
      /config\/all.yaml:\S+ warning [^[(]*`\$nobody`\. \[unknown-variable\]/,
    );
  });
});
