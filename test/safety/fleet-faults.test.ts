/** Several tenants at once, each with a fault of its own, and the apply of all of them killed at any point. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fleet } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Fault, TenantState } from '../../src/sandbox/index.ts';
import { casesOf, isThorough } from '../support/effort.ts';
import { createFleet, type TestFleet } from '../support/fleet.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { writesIn } from '../support/world.ts';
import { everything, fillTenant, oneAtATime, visible } from './every-kind.ts';

shortenPauses();

const names = Array.from({ length: isThorough ? 10 : 5 }, (_, at) => `tenant-${at}`);
/** The one without a fault. */
const sound = `tenant-${names.length - 1}`;

const faults: readonly Fault[] = [
  { kind: 'reset-before' },
  { kind: 'reset-after' },
  { kind: 'cut-body' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 500, done: 'after' },
  { kind: 'status', status: 503, done: 'after', body: 'html' },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 403 },
  { kind: 'hang' },
  { kind: 'hang', done: 'after' },
  { kind: 'status', status: 504, late: 60 },
  { kind: 'reset-before', late: 60 },
  { kind: 'hang', late: 60 },
];

/** A tenant that hangs is given up soon; one that is only slow, on a busy machine, is not. */
const patient = { concurrency: 1, timeout: '60s', settle: '600ms' };
const hasty = { ...patient, timeout: '1s' };

let fleet: TestFleet;
let starts: ReadonlyMap<string, TenantState>;
let goals: ReadonlyMap<string, JsonObject>;
/** The requests of an apply that nothing disturbs: of one tenant, and of all. */
let requests = { ofOne: 0, ofAll: 0 };
/** Called when the work on a request begins. */
let onWork: (() => void) | null = null;

beforeAll(async () => {
  const now = () => {
    onWork?.();
    return Date.now();
  };
  fleet = await createFleet({
    names,
    sandbox: () => ({ ...oneAtATime.sandbox, clock: { now } }),
    environment: { limits: hasty },
    ...(oneAtATime.profiles ? { profiles: oneAtATime.profiles } : {}),
    ...(oneAtATime.env ? { env: oneAtATime.env } : {}),
  });
  fleet.writeProject({ [sound]: { limits: patient } });
  for (const { state } of fleet.sandboxes) fillTenant(state);
  fleet.declare(everything);
  expect(await fleet.run('plan -e * --out fleet.json')).toMatchObject({ code: 0 });
  starts = new Map(names.map((name) => [name, structuredClone(fleet.sandboxOf(name).state)]));
  const before = sent();
  const applied = await apply();
  expect(applied.code, applied.stderr).toBe(0);
  requests = { ofOne: (sent() - before) / names.length, ofAll: sent() - before };
  goals = new Map(names.map((name) => [name, visible(fleet.sandboxOf(name).state)]));
});

afterAll(() => fleet?.close());

beforeEach(async () => {
  onWork = null;
  for (const name of names) {
    const { state, faults: all, settle } = fleet.sandboxOf(name);
    all.clear();
    await settle();
    Object.assign(state, structuredClone(starts.get(name)));
  }
  rmSync(join(fleet.dir, '.tenantctl'), { recursive: true, force: true });
});

const sent = () => fleet.sandboxes.reduce((sum, { log }) => sum + log.length, 0);
const apply = () => fleet.run('apply fleet.json --parallel 10 --format json');
const outcomesIn = (stdout: string) => {
  const { environments }: Fleet = JSON.parse(stdout);
  return new Map(environments.map(({ name, result }) => [name, result?.outcome]));
};

/** The same command finishes; each tenant is as the manifests say, and one that was done is not asked again. */
async function checkFinished(done: readonly string[]): Promise<void> {
  for (const { faults: all } of fleet.sandboxes) all.clear();
  const before = done.map((name) => fleet.sandboxOf(name).log.length);
  const again = await apply();
  expect(again.code, again.stdout + again.stderr).toBe(0);
  expect(new Set(outcomesIn(again.stdout).values())).toEqual(new Set(['done']));
  expect(done.map((name) => fleet.sandboxOf(name).log.length)).toEqual(before);
  await checkGoals();
}

async function checkGoals(): Promise<void> {
  for (const name of names) {
    const { state, settle } = fleet.sandboxOf(name);
    await settle();
    // Lists hold whatever was made twice twice.
    expect(visible(state), name).toEqual(goals.get(name));
  }
  expect(readdirSync(join(fleet.dir, '.tenantctl/fleets'))).toEqual([]);
}

const rounds = Array.from({ length: isThorough ? 26 : 1 }, (_, round) => round);

describe('tenants at once, all but one with a fault of their own', () =>
  it.each(casesOf(rounds))(
    'round %i: the same command finishes, nothing twice; the other notices nothing',
    async (round) => {
      for (const [at, name] of names.filter((each) => each !== sound).entries()) {
        const fault = faults[(at + round) % faults.length];
        if (fault)
          fleet.sandboxOf(name).faults.add({ ...fault, nth: 1 + ((at * 7 + round * 5) % requests.ofOne) });
      }
      const first = await apply();
      const outcomes = outcomesIn(first.stdout);
      expect(outcomes.get(sound)).toBe('done');
      expect([0, 3]).toContain(first.code);
      const done = names.filter((name) => outcomes.get(name) === 'done');
      expect(first.code === 0).toBe(done.length === names.length);
      if (first.code === 0) await checkGoals();
      else await checkFinished(done);
    },
  ));

describe('an apply of several tenants that was killed', () => {
  const points = casesOf(Array.from({ length: 12 }, (_, at) => at / 12));

  it.each(points)('after %d of its requests is finished by the same command', async (share) => {
    const from = sent();
    const { child, ended } = fleet.start('apply', 'fleet.json', '--parallel', '4');
    onWork = () => {
      if (sent() >= from + share * requests.ofAll) child.kill('SIGKILL');
    };
    await ended;
    onWork = null;
    await checkFinished([]);
  });

  /** Applies all, and puts the records back to those of a run that was killed when all but one were done. */
  async function almostDone(): Promise<{ file: string; lines: string[] }> {
    fleet.sandboxOf(sound).faults.add({ kind: 'status', status: 403, times: Number.POSITIVE_INFINITY });
    expect(await apply()).toMatchObject({ code: 3 });
    const folder = join(fleet.dir, '.tenantctl/fleets');
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    return { file, lines: readFileSync(file, 'utf8').split('\n').filter(Boolean) };
  }
  const journalsOf = (name: string) => readdirSync(join(fleet.dir, '.tenantctl', name, 'journal'));

  it('between the line of an environment and the end of its journal is finished by the same command', async () => {
    await almostDone();
    const [journal = ''] = journalsOf('tenant-3');
    const folder = join(fleet.dir, '.tenantctl/tenant-3/journal');
    renameSync(join(folder, journal), join(folder, journal.replace(/\..*/, '.jsonl')));
    await checkFinished(names.filter((name) => name !== sound));
    expect(journalsOf('tenant-3').every((file) => file.endsWith('.done.jsonl'))).toBe(true);
  });

  it('while it wrote the line of an environment is finished by the same command', async () => {
    const { file, lines } = await almostDone();
    const last = lines.at(-1) ?? '';
    const { environment } = JSON.parse(last);
    writeFileSync(file, `${lines.slice(0, -1).join('\n')}\n${last.slice(0, last.length / 2)}`);
    // Its journal ends after its line.
    const folder = join(fleet.dir, '.tenantctl', environment, 'journal');
    for (const journal of journalsOf(environment))
      renameSync(join(folder, journal), join(folder, journal.replace(/\..*/, '.jsonl')));
    await checkFinished(names.filter((name) => name !== sound && name !== environment));
  });

  it('before any line could be written is finished by the same command', async () => {
    const { digest }: Fleet = JSON.parse(fleet.read('fleet.json'));
    const inTheWay = join(fleet.dir, '.tenantctl/fleets', `${digest.slice('sha256:'.length)}.jsonl`);
    onWork = () => mkdirSync(inTheWay, { recursive: true });
    const { code, stdout } = await apply();
    expect(code).not.toBe(0);
    expect(stdout).toContain(inTheWay.split('/').at(-1));
    onWork = null;
    rmSync(inTheWay, { recursive: true });
    const writes = () => writesIn(fleet.sandboxes.flatMap(({ log }) => log)).length;
    const before = writes();
    await checkFinished([]);
    expect(writes()).toBe(before);
  });
});
