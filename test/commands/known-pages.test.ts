import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/world.ts';

const template = {
  kind: 'NotificationTemplate',
  key: 'welcome',
  medium: 'EMAIL' as const,
  locale: 'en',
  subject: 'Welcome',
  body: 'only-in-the-tenant',
};

let world: World;
const folder = () => join(world.dir, '.tenantctl/cache');
const pageFile = () => join(folder(), readdirSync(folder()).find((name) => name.startsWith('pages-')) ?? '');
const kept = () => readFileSync(pageFile(), 'utf8');
const changes = async (...argv: string[]) =>
  (await world.plan(...argv)).changes.map(({ address }) => address);

beforeEach(async () => {
  world = await createWorld();
  const { kind: _kind, ...texts } = template;
  const unset = { name: null, description: null, header: null, footer: null, from: null, replyTo: null };
  const time = '2026-01-01T00:00:00.000Z';
  const chat = { slackTemplate: null, teamsTemplate: null };
  const whole = { ...unset, ...chat, ...texts };
  world.sandbox.state.templateDefaults.push({ ...whole, subject: 'The default' });
  world.sandbox.state.templates.push({ ...whole, id: 't1', created: time, modified: time });
  world.declare([template]);
});

afterEach(() => world.close());

describe('what a plan keeps of the lists it reads', () => {
  it('names objects and holds nothing of what is in them', async () => {
    expect(await changes()).toEqual([]);
    expect(kept()).toContain('"t1"');
    expect(kept()).toContain('"welcome","EMAIL","en"');
    expect(kept()).not.toContain('only-in-the-tenant');
  });

  it('says which object equals which declaration, so that neither is compared again', async () => {
    await changes();
    // What another declaration equals is no longer taken to equal this one, though it does.
    const before = kept();
    world.declare([{ ...template, subject: 'Hello' }]);
    expect(await changes()).toEqual(['NotificationTemplate/welcome/EMAIL/en']);
    const digest = (/"t1","t1","([^"]+)"/.exec(before) ?? [])[1] ?? '';
    expect(digest).not.toBe('');
    const manifests = readFileSync(join(folder(), 'manifests'), 'utf8');
    const now = (/"digest":"([^"]+)"/.exec(manifests) ?? [])[1] ?? '';
    writeFileSync(pageFile(), before.replace(digest, `${now} 0`));
    expect(await changes()).toEqual([]);
    expect(await changes('--no-cache')).toEqual(['NotificationTemplate/welcome/EMAIL/en']);
  });

  it('is not written again where nothing is new', async () => {
    await changes();
    const first = kept();
    writeFileSync(pageFile(), first.replace('"t1"', '"t1" '));
    await changes();
    expect(kept()).not.toBe(first);
  });

  it('forgets pages that the tenant no longer gives', async () => {
    await changes();
    const first = kept();
    const [object] = world.sandbox.state.templates;
    if (object) object.subject = 'Changed by hand';
    expect(await changes()).toHaveLength(1);
    expect(kept()).not.toBe(first);
    expect(kept().match(/"total"/g)).toHaveLength(1);
  });

  it('is not used for another tenant', async () => {
    await changes();
    const other = await createWorld();
    try {
      const project = world.read('tenantctl.yaml').replaceAll(world.sandbox.url, other.sandbox.url);
      world.write('tenantctl.yaml', project);
      Object.assign(world.env, other.env);
      world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
      expect(await changes()).toHaveLength(1);
      expect(readdirSync(folder()).filter((name) => name.startsWith('pages-'))).toHaveLength(2);
    } finally {
      await other.close();
    }
  });

  it('is left aside where the environment reads answers in another way', async () => {
    await changes();
    const first = kept();
    world.write(
      'tenantctl.yaml',
      world.read('tenantctl.yaml').replace('      auth:', '      jsonText: object,\n      auth:'),
    );
    expect(await changes()).toEqual([]);
    expect(kept().split('\n')[0]).not.toBe(first.split('\n')[0]);
  });

  it('is never what an apply compares with', async () => {
    await changes();
    const before = kept();
    world.declare([{ ...template, subject: 'Hello' }]);
    await changes();
    const manifests = readFileSync(join(folder(), 'manifests'), 'utf8');
    const now = (/"digest":"([^"]+)"/.exec(manifests) ?? [])[1] ?? '';
    writeFileSync(pageFile(), before.replace(/("t1","t1",)"[^"]+"/, `$1"${now} 0"`));
    expect(await changes()).toEqual([]);
    expect((await world.run('apply', '--yes')).code).toBe(0);
    expect(world.sandbox.state.templates.map(({ subject }) => subject)).toEqual(['Hello']);
  });
});

const damages: Readonly<Record<string, (text: string) => string>> = {
  'is empty': () => '',
  'is cut short': (text) => text.slice(0, -20),
  'holds other JSON': (text) => text.replaceAll('"rows"', '"other"'),
  'holds rows that are none': (text) => text.replaceAll('"t1","t1"', '1,2'),
  'holds keys that are none': (text) => text.replaceAll('"EMAIL"', '{}'),
  'is of another version': (text) => text.replace(/tenantctl \S+/, 'tenantctl 0.0.1'),
};

for (const [what, damage] of Object.entries(damages)) {
  it(`does not count where it ${what}, and is made anew`, async () => {
    await changes();
    const whole = kept();
    expect(damage(whole)).not.toBe(whole);
    writeFileSync(pageFile(), damage(whole));
    expect(await changes()).toEqual([]);
    expect(kept()).toBe(whole);
  });
}
