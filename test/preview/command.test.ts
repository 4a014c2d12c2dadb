import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shortenPauses } from '../support/short-pauses.ts';
import {
  createTestWorld,
  createWorld,
  type Piece,
  runProgram,
  seedFile,
  type World,
} from '../support/world.ts';
import { sidesIn } from './support.ts';

shortenPauses();

let world: World;
let stop: AbortController;
let ended: Promise<number>;

beforeEach(async () => {
  world = await createWorld({ sandbox: { seed: seedFile } });
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await ended;
  await world.close();
});

/** Starts the command and waits for the address that it prints. */
function preview(...argv: string[]): Promise<string> {
  return new Promise((started, failed) => {
    let output = '';
    const onPiece = ({ stream, text }: Piece) => {
      if (stream === 1) started(text.trim());
      else output += text;
    };
    const { dir: cwd, env } = world;
    const ran = runProgram(['preview', ...argv], { cwd, env, signal: stop.signal, onPiece });
    ended = ran.then(({ code }) => code);
    ended.then(() => failed(new Error(output)), failed);
  });
}

async function visit(url: string) {
  const page = await (await fetch(url)).text();
  const token = /name="token" content="([^"]+)"/.exec(page)?.[1] ?? '';
  const { origin } = new URL(url);
  const headers = { 'x-preview-token': token, origin, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}) =>
    JSON.parse(await (await fetch(`${url}${path}`, { ...init, headers })).text());
  const events = (await fetch(`${url}events`)).body?.getReader();
  await events?.read();
  return {
    page,
    list: () => ask('api/templates'),
    render: (address: string) => ask('api/render', { method: 'POST', body: JSON.stringify({ address }) }),
    /** Waits for the next state. The server first says that it reads the files. */
    changed: async () => {
      await events?.read();
      while ((await ask('api/templates')).isReading) await events?.read();
    },
  };
}

const key = 'password_expiring';
const declared = { kind: 'NotificationTemplate', key, medium: 'EMAIL', locale: 'en' };
const address = `NotificationTemplate/${key}/EMAIL/en`;
const declare = (subject: string, ...more: object[]) => world.declare([{ ...declared, subject }, ...more]);
const manifest = (fields: string) =>
  world.write(
    'config/all.yaml',
    `kind: NotificationTemplate\nkey: ${key}\nmedium: EMAIL\nlocale: en\n${fields}\n`,
  );
/** Somebody changes the subject in the tenant, in all languages. */
const setSubjects = (subject: string) => {
  for (const each of world.sandbox.state.templates) if (each.key === key) each.subject = subject;
};
/** Asks until the page shows this. */
const poll = <T>(ask: () => T | Promise<T>) => expect.poll(ask, { interval: 20, timeout: 20_000 });

it("shows the tenant's text beside the declared one, with the tenant's attributes, and what the lint says", async () => {
  declare('$__global.companyName: $nmae');
  const { list, render } = await visit(await preview());
  const problems = { markup: expect.stringContaining('unknown-variable') };
  expect(await list()).toMatchObject({ isBroken: false, templates: [{ address, differs: true, problems }] });
  const { markup, context } = await render(address);
  const [before, after] = sidesIn(markup);
  expect(context.__global).toMatchObject({ companyName: 'ACME' });
  expect(after?.inbox).toContain('ACME: ');
  expect(before?.inbox).not.toContain('ACME: ');
  expect(after?.document).toBe(before?.document);
});

it("shows the vendor's old and new default beside a template that was customised from the old one", async () => {
  world.declare([{ ...declared, subject: 'Ours', lifecycle: { basedOn: `sha256:${'0'.repeat(64)}` } }]);
  const { render } = await visit(await preview());
  const { markup } = await render(address);
  expect(markup).toContain('The vendor has changed the default');
  expect(markup).toContain('old default not known: no manifest in git has its text');
  const [, ours, old, standard] = sidesIn(markup);
  expect(ours?.inbox).toContain('Ours');
  expect(old).toBeNull();
  expect(standard?.inbox).not.toContain('Ours');
});

it('shows of the tenant what the lifecycle ignores', async () => {
  world.declare([{ ...declared, subject: 'Ours', body: 'New', lifecycle: { ignore: ['/subject'] } }]);
  setSubjects('Theirs');
  const { render } = await visit(await preview());
  const [, after] = sidesIn((await render(address)).markup);
  expect(after?.inbox).toContain('Theirs');
  expect(after?.document).toMatch(/New$/);
});

it('asks the tenant nothing when offline', async () => {
  declare('Hi');
  const { list, render } = await visit(await preview('--offline'));
  expect(world.sandbox.metrics.requests).toBe(0);
  expect(await list()).toMatchObject({ templates: [{ base: 'not-read', differs: false }] });
  expect(sidesIn((await render(address)).markup)).toEqual([
    null,
    { inbox: expect.stringContaining('>Hi<'), document: expect.anything() },
  ]);
});

it('shows the templates of the scope', async () => {
  declare('Hi', { ...declared, locale: 'de', subject: 'Hallo' });
  const { list } = await visit(await preview('--offline', '--only', 'NotificationTemplate/*/EMAIL/de'));
  expect((await list()).templates).toMatchObject([{ address: address.replace(/en$/, 'de') }]);
});

it('ends at once for a scope that can match nothing', async () => {
  await expect(preview('--only', 'Sender/*')).rejects.toThrow('[unknown-kind]');
});

it('goes on when the tenant cannot be read', async () => {
  declare('Hi');
  world.env.CLIENT_SECRET = 'wrong';
  const { list } = await visit(await preview());
  const problems = { count: 1, markup: expect.stringContaining('<strong>warning</strong>') };
  expect(await list()).toMatchObject({ isBroken: false, problems, templates: [{ base: 'not-read' }] });
});

it('reads the tenant again after it could not be read, and when the project file names another one', async () => {
  declare('Hi');
  const config = world.read('tenantctl.yaml');
  world.write('tenantctl.yaml', config.replaceAll(world.sandbox.url, 'http://127.0.0.1:1'));
  const { list } = await visit(await preview());
  const base = async () => (await list()).templates[0]?.base;
  expect(await base()).toBe('not-read');
  world.write('tenantctl.yaml', config);
  await poll(base).toBe('tenant');
  const other = await createTestWorld();
  world.env.CLIENT_ID = other.env.CLIENT_ID;
  world.env.CLIENT_SECRET = other.env.CLIENT_SECRET;
  world.write('tenantctl.yaml', config.replaceAll(world.sandbox.url, other.sandbox.url));
  await poll(base).toBe('nothing');
});

it('reads the tenant again when the page is opened again after wrong credentials were put right', async () => {
  declare('Hi');
  const secret = world.env.CLIENT_SECRET;
  world.env.CLIENT_SECRET = 'wrong';
  const url = await preview();
  const { list } = await visit(url);
  expect((await list()).templates).toMatchObject([{ base: 'not-read' }]);
  world.env.CLIENT_SECRET = secret;
  await fetch(url);
  await poll(async () => (await list()).templates[0]?.base).toBe('tenant');
});

it('reads the tenant again when the page is opened again, as after an apply', async () => {
  declare('Hi');
  const url = await preview();
  const { list, render } = await visit(url);
  expect((await list()).templates).toMatchObject([{ differs: true }]);
  const { length } = world.sandbox.log;
  declare('Hi there');
  await poll(async () => sidesIn((await render(address)).markup)[1]?.inbox).toContain('>Hi there<');
  // An edited text needs no other read.
  expect(world.sandbox.log).toHaveLength(length);
  await world.run('apply', '--yes');
  await fetch(url);
  await poll(async () => (await list()).templates[0]?.differs).toBe(false);
  // What waits for Ctrl-C is not more than after the first time.
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
});

it('follows the manifests, shows their mistakes, and recovers', async () => {
  world.write('config/texts/a.html', 'one');
  manifest('body: !file texts/a.html');
  const { list, render, changed } = await visit(await preview('--offline'));
  world.write('config/texts/a.html', 'two');
  await changed();
  const { markup } = await render(address);
  expect(sidesIn(markup)[1]?.document).toMatch(/two$/);
  expect(markup).toContain('>After, as declared <');
  world.write('config/more.yaml', 'kind: NotificationTemplate\nkeey: x\n');
  // A write can be told more than once, so an event may still be of the one before.
  await poll(async () => (await list()).isBroken).toBe(true);
  const broken = await list();
  expect(broken).toMatchObject({ isBroken: true, templates: [{ address }] });
  expect(broken.problems.markup).toMatch(/<strong>error<\/strong> <a [^>]*><code>config\/more.yaml:2:1</);
  expect(broken.loadedAt).toMatch(/^\d{4}-/);
  world.write('config/more.yaml', '');
  await poll(async () => (await list()).isBroken).toBe(false);
  expect(await list()).toMatchObject({ isBroken: false, templates: [{ address }] });
});

it('starts with manifests that do not load, and ends with the signal', async () => {
  world.write('config/all.yaml', 'kind: [');
  const { list } = await visit(await preview('--offline'));
  expect(await list()).toMatchObject({ isBroken: true, templates: [] });
  stop.abort();
  expect(await ended).toBe(0);
});

it('shows no secret, neither declared nor in the tenant', async () => {
  world.env.TEXT = 's3cr3t-text';
  manifest('subject: !secret TEXT');
  await world.run('apply', '--yes');
  // Nobody here knows what the tenant had before.
  setSubjects('an older s3cr3t');
  const url = await preview();
  const { page, list, render } = await visit(url);
  const shown = async () => JSON.stringify([page, await list(), await render(address)]);
  expect(await shown()).toContain('(secret TEXT)');
  expect((await list()).templates).toMatchObject([{ differs: false }]);
  expect(await shown()).not.toContain('s3cr3t');
  // Nor one that the lifecycle leaves as the tenant has it.
  manifest('subject: !secret TEXT\nlifecycle: { ignore: [/subject] }');
  await poll(shown).not.toContain('(secret TEXT)');
  expect(await shown()).not.toContain('s3cr3t');
});

it('shows no secret that stands in another text, of the tenant or of a manifest', async () => {
  world.env.TEXT = 's3cr3t-text';
  setSubjects('It is s3cr3t-text');
  const { state } = world.sandbox;
  state.templateContext = { ...state.templateContext, attributes: { companyName: 'ACME s3cr3t-text' } };
  manifest(
    `subject: Or ${world.env.CLIENT_SECRET} $__global.companyName\n---\nkind: SimIntegration\nname: ServiceNow\nattributes: { password: !secret TEXT }`,
  );
  const { page, list, render } = await visit(await preview());
  const { markup, context } = await render(address);
  expect(sidesIn(markup).map((side) => side?.inbox)).toEqual([
    expect.stringContaining('It is [secret]'),
    expect.stringContaining('Or [secret] ACME [secret]'),
  ]);
  const all = JSON.stringify([page, await list(), markup, context]);
  expect(all).not.toContain('s3cr3t');
  expect(all).not.toContain(world.env.CLIENT_SECRET);
});

it('tells on the page that --only matches nothing', async () => {
  declare('A');
  const { list } = await visit(await preview('--offline', '--only', 'NotificationTemplate/nothing/**'));
  const problems = { markup: expect.stringContaining('unmatched-glob') };
  expect(await list()).toMatchObject({ templates: [], problems });
});
