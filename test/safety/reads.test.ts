import { beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/index.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, type World, type WorldOptions, writesIn } from '../support/world.ts';
import { everything, fillTenant, oneAtATime, visible } from './every-kind.ts';

shortenPauses();

let world: World;
async function open(more: WorldOptions = {}): Promise<void> {
  world = await createTestWorld({
    ...oneAtATime,
    ...more,
    sandbox: { ...oneAtATime.sandbox, ...more.sandbox },
  });
  fillTenant(world.sandbox.state);
  world.declare(everything);
}
beforeEach(() => open());

/** Where the documents say that this answer means "not configured". */
const absences: Readonly<Record<string, readonly number[]>> = {
  'get-mail-from-attributes': [400, 404],
  'list-notification-preferences': [404],
};

async function refusesWith(fault: Fault): Promise<void> {
  const before = visible(world.sandbox.state);
  const { length } = world.sandbox.log;
  world.sandbox.faults.add(fault);
  const applied = await world.run('apply --yes --format json');
  world.sandbox.faults.clear();
  expect(applied, `${JSON.stringify(fault)} ${applied.stderr}`).toMatchObject({ code: 1 });
  expect(JSON.parse(applied.stdout).diagnostics.length).toBeGreaterThan(0);
  expect(visible(world.sandbox.state)).toEqual(before);
  expect(writesIn(world.sandbox.log.slice(length))).toEqual([]);
}

it('a read that is refused is an error, never "absent": nothing is written', async () => {
  await world.plan();
  const reads = [
    ...new Set(world.sandbox.log.flatMap(({ operation }) => (operation === null ? [] : [operation]))),
  ];
  expect(reads.length).toBeGreaterThan(8);
  let cases = 0;
  for (const operation of reads) {
    for (const status of [400, 401, 403, 404, 500]) {
      if (absences[operation]?.includes(status)) continue;
      await refusesWith({ kind: 'status', status, operation, times: Number.POSITIVE_INFINITY });
      cases += 1;
    }
  }
  console.log(`Refused reads: ${cases} cases`);
});

it('nor is a page that repeats', async () => {
  await open({ sandbox: { variations: { profileSearchDelete: true, repeatPages: true } } });
  const senders = Array.from({ length: 300 }, (_, at) => ({ email: `a${at}@acme.example` }));
  addObjects(world.sandbox.state, { senders });
  await expectEnd(world.run('apply --yes'), 1, 'Reading SenderAddress', '[page-repeats]');
  expect(world.sandbox.log.filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method))).toEqual([]);
});

describe('a list that somebody changes between its pages', () => {
  function addTemplates(): void {
    const { templates } = world.sandbox.state;
    const [like] = templates;
    if (!like) throw new Error('the tenant has no template');
    for (let at = 0; at < 600; at += 1)
      templates.push({ ...like, id: `${like.id}-${at}`, key: `key_${at}`, subject: `Subject ${at}` });
  }

  /** A tenant with 600 customised templates, whose list `change` changes before each further page. */
  async function openList(change: (templates: World['sandbox']['state']['templates']) => void) {
    let isChanging = false;
    const beforeFurtherPage = () => {
      if (isChanging) change(world.sandbox.state.templates);
    };
    await open({
      environment: { prune: { kinds: ['NotificationTemplate'] } },
      sandbox: { variations: { beforeFurtherPage } },
    });
    addTemplates();
    world.declare([]);
    return (value: boolean) => {
      isChanging = value;
    };
  }

  it('is exported whole: a plan with --prune deletes nothing', async () => {
    let removed = 0;
    const setChanging = await openList((templates) => {
      removed += 1;
      if (removed <= 2) templates.shift();
    });
    setChanging(true);
    const kinds = ['--kinds', 'NotificationTemplate'];
    expect(await world.run('export --out config', ...kinds)).toMatchObject({ code: 0 });
    setChanging(false);
    expect(removed).toBeGreaterThan(2);
    const { summary } = await world.plan('--prune');
    expect(summary).toMatchObject({ create: 0, update: 0, delete: 0 });
    expect(summary.unchanged).toBe(world.sandbox.state.templates.length);
  });

  it('without end is an error that names the list', async () => {
    (await openList((templates) => templates.shift()))(true);
    const exported = await expectEnd(
      world.run('export --out config --kinds NotificationTemplate'),
      1,
      '[list-changed]',
    );
    expect(exported.stderr).toMatch(
      /Reading NotificationTemplate: GET .* the list changed.*\[list-changed\]/s,
    );
  });
});
