import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadProject } from '../../src/loader/index.ts';
import type { Plan } from '../../src/model/plan.ts';
import { createWorld, type World } from '../support/world.ts';

const secret = 'correct horse battery staple';
const fromEnvironment = 'only-in-the-environment';

const manifests = `kind: SenderAddress
email: help@acme.example
---
# A comment, so that lines count.
kind: SimIntegration
name: ServiceNow
description: !env DESCRIPTION
type: ServiceNow Service Desk
attributes:
  url: !format "https://%{host}/"
  password: !secret SNOW_PASSWORD
  nested: [1, true, null, "text", { deep: !var host }]
`;

let world: World;
const cacheFile = () => join(world.dir, '.tenantctl/cache/manifests');
/** What is kept, but for the stamps: a file that has just been written gets none yet. */
const kept = () => readFileSync(cacheFile(), 'utf8').replaceAll(/"stamp":(?:null|\[[^\]]*\])/g, '');

beforeEach(async () => {
  world = await createWorld({
    environment: { variables: { host: 'snow.example.com' } },
    env: { SNOW_PASSWORD: secret, DESCRIPTION: fromEnvironment },
  });
  world.write('config/all.yaml', manifests);
});

afterEach(() => world.close());

/** Everything in a plan but when it was made. */
async function planned(...argv: string[]): Promise<Omit<Plan, 'createdAt'>> {
  const { createdAt: _createdAt, ...plan } = await world.plan(...argv);
  return plan;
}

it('gives the plan that the manifests give', async () => {
  const uncached = await planned('--no-cache');
  expect(existsSync(cacheFile())).toBe(false);
  expect(await planned()).toEqual(uncached);
  const before = kept();
  expect(await planned()).toEqual(uncached);
  expect(kept()).toBe(before);
  expect(uncached.summary.create).toBe(2);
});

it('is what a repeated plan reads', async () => {
  await planned();
  writeFileSync(cacheFile(), readFileSync(cacheFile(), 'utf8').replaceAll('help@acme', 'desk@acme'));
  const addresses = async (...argv: string[]) =>
    (await planned(...argv)).changes.map(({ address }) => address);
  expect(await addresses()).toContain('SenderAddress/desk%40acme.example');
  expect(await addresses('--no-cache')).toContain('SenderAddress/help%40acme.example');
});

it('is never what an apply reads', async () => {
  await planned();
  writeFileSync(cacheFile(), readFileSync(cacheFile(), 'utf8').replaceAll('help@acme', 'desk@acme'));
  await world.run('apply', '--yes', '--only', 'SenderAddress/*');
  expect(world.sandbox.state.senders.map(({ email }) => email)).toEqual(['help@acme.example']);
});

it('holds neither secrets nor anything of the environment', async () => {
  await planned();
  expect(kept()).toContain('SNOW_PASSWORD');
  for (const value of [secret, fromEnvironment, 'snow.example.com']) expect(kept()).not.toContain(value);
});

it('does not copy a credential that somebody has written into a manifest', async () => {
  world.write('config/all.yaml', manifests.replace('!secret SNOW_PASSWORD', 'in-plain-text'));
  world.write('config/other.yaml', 'kind: SenderAddress\nemail: desk@acme.example\n');
  const uncached = await planned('--no-cache');
  expect(await planned()).toEqual(uncached);
  expect(await planned()).toEqual(uncached);
  expect(readFileSync(cacheFile(), 'utf8')).not.toContain('in-plain-text');
});

it.each([
  'attributes: { password: hunter2secret }',
  'attributes: { password: 424242424 }',
  'attributes: { passwords: [hunter2secret] }',
  'attributes: { clientSecret: [{ a: hunter2secret }] }',
  'attributes: { credentials: { value: hunter2secret } }',
  'attributes: { url: "https://x?token=hunter2secret" }',
  'attributes: { settings: "password=hunter2secret" }',
  'attributes: { more: \'{"password":"hunter2secret"}\' }',
  'attributes: { password: !format "hunter2secret" }',
  'attributes: !format "{password=hunter2secret}"',
  'attributes: \'{"url":"https://x","password":"hunter2secret"}\'',
  'request: { header: { token: hunter2secret } }',
])('does not copy what a plan conceals: %s', async (fields) => {
  world.write('config/all.yaml', `kind: SimIntegration\nname: S\nsources: [!var host]\n${fields}\n`);
  const uncached = await planned('--no-cache');
  expect(await planned()).toEqual(uncached);
  expect(await planned()).toEqual(uncached);
  const folder = join(world.dir, '.tenantctl/cache');
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/hunter2|424242/);
  }
});

it('keeps what only has the name of a secret, and a key that is none', async () => {
  const template = 'kind: NotificationTemplate\nkey: password_token\nmedium: EMAIL\nlocale: en\n';
  world.write('config/all.yaml', `${template}subject: !var host\n`);
  world.write(
    'config/s.yaml',
    'kind: SimIntegration\nname: S\nattributes: { password: !secret SNOW_PASSWORD }\n',
  );
  // The tenant knows no such template; what was read of the files is kept all the same.
  expect((await world.run('plan')).code).toBe(1);
  expect(kept()).toContain('password_token');
  expect(kept()).toContain('SNOW_PASSWORD');
});

it('takes tags from the environment of the run, not of the run before', async () => {
  await planned();
  world.env.DESCRIPTION = 'another';
  const { changes } = await planned();
  expect(changes.flatMap(({ diff }) => diff).find(({ path }) => path === '/description')?.after).toBe(
    'another',
  );
});

it('reads a file again that has changed, and forgets what it held', async () => {
  await planned();
  world.write('config/all.yaml', 'kind: SenderAddress\nemail: desk@acme.example\n');
  const { changes } = await planned();
  expect(changes.map(({ address }) => address)).toEqual(['SenderAddress/desk%40acme.example']);
  expect(readFileSync(cacheFile(), 'utf8')).not.toContain('ServiceNow');
});

const damages: Readonly<Record<string, (kept: Buffer) => string | Uint8Array>> = {
  'is empty': () => '',
  'is cut short': (kept) => kept.subarray(0, kept.length / 2),
  'holds no JSON': (kept) => kept.toString().replaceAll('[', '('),
  'holds other JSON': (kept) => kept.toString().replaceAll('"value"', '"other"'),
  'holds no text': (kept) => kept.map((byte) => byte ^ 0xa5),
  'is of another version': (kept) => kept.toString().replace(/tenantctl \S+/, 'tenantctl 0.0.1'),
};

for (const [what, damage] of Object.entries(damages)) {
  it(`does not count where it ${what}, and is made anew`, async () => {
    const first = await planned();
    const before = kept();
    writeFileSync(cacheFile(), damage(readFileSync(cacheFile())));
    expect(await planned()).toEqual(first);
    expect(kept()).toBe(before);
  });
}

it('does not count where it came with the project: whoever committed it could make a plan say anything', async () => {
  await planned();
  const forged = readFileSync(cacheFile(), 'utf8').replaceAll('help@acme.example', 'desk@acme.example');
  const folder = join(world.dir, '.tenantctl');
  cpSync(folder, `${folder}.committed`, { recursive: true });
  writeFileSync(join(`${folder}.committed`, 'cache/manifests'), forged);
  rmSync(folder, { recursive: true });
  cpSync(`${folder}.committed`, folder, { recursive: true });
  const { changes } = await planned();
  expect(changes.map(({ address }) => address)).toContain('SenderAddress/help%40acme.example');
});

it('does not count where its place is taken by something else', async () => {
  world.write('.tenantctl/cache', 'a file');
  expect((await planned()).summary.create).toBe(2);
});

it('keeps no file that has problems, and tells them every time', async () => {
  const wrong = `${manifests}nested: 1\nnested: 2\n`;
  world.write('config/all.yaml', wrong);
  const first = await world.run('plan', '--format', 'json');
  const again = await world.run('plan', '--format', 'json');
  expect(first.code).toBe(1);
  expect(first.stdout).toContain('duplicate-key');
  expect(again.stdout).toBe(first.stdout);
});

it('tells problems of cached files where they stand', async () => {
  await planned();
  delete world.env.DESCRIPTION;
  const cached = await world.run('plan', '--format', 'json');
  expect(cached.code).toBe(1);
  expect(cached.stdout).toContain('"line": 7');
  expect(await world.run('plan', '--format', 'json', '--no-cache')).toEqual(cached);
});

it('lets every value of a cached file be pointed to', () => {
  const options = { configFile: join(world.dir, 'tenantctl.yaml'), env: world.env };
  const places = (project: ReturnType<typeof loadProject>) =>
    project.resources.flatMap((resource) =>
      ['', '/attributes/password', '/attributes/nested/4/deep', '/missing'].map((at) => [
        resource.source,
        resource.locate(at),
        resource.point(at),
      ]),
    );
  const parsed = places(loadProject(options));
  loadProject({ ...options, cacheOf: '1' });
  expect(places(loadProject({ ...options, cacheOf: '1' }))).toEqual(parsed);
});

it('keeps what aliases stand for', async () => {
  const aliased = 'kind: SimIntegration\nname: A\ntype: t\nattributes: { a: &x [!env DESCRIPTION], b: *x }\n';
  world.write('config/all.yaml', aliased);
  const first = await planned('--no-cache');
  await planned();
  expect(await planned()).toEqual(first);
});
