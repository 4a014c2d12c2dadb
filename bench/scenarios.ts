import { join } from 'node:path';
import { integrationManifest, integrations } from './integrations.ts';
import { measure, median, repeat, type Usage } from './measure.ts';
import { atMost, exactly, type Row } from './row.ts';
import { searches, searchManifest } from './searches.ts';
import { type Template, templateManifest, templates } from './templates.ts';
import { type Manifest, program, type World, withWorld } from './world.ts';

/** Measures something `runs` times and tells it in one or more rows. */
export type Scenario = (runs: number) => Promise<Row[]>;

const parser = join(import.meta.dirname, 'parse.mjs');
const cpuOf = (usages: readonly Usage[]) => median(usages.map(({ cpu }) => cpu));
const wallOf = (usages: readonly Usage[]) => median(usages.map(({ wall }) => wall));
const memoryOf = (usages: readonly Usage[]) => median(usages.map(({ memory }) => memory));
const ms = (value: number) => `${Math.round(value)} ms`;

/** How many requests are sent, against the least that would do. */
const requests: Scenario = async () => [
  await withWorld({ templates: 2100 }, async (world) => {
    world.declare(templates(2100).map(templateManifest));
    await world.run(['plan', '--detailed-exitcode']);
    const { requests: sent } = await world.counts();
    return exactly(
      'Requests of a plan without changes, 2,100 templates',
      10,
      [sent],
      '9 pages of 250, and a token',
    );
  }),
  await withWorld({ templates: 5000 }, async (world) => {
    world.declare(templates(5000).slice(4000, 4001).map(templateManifest));
    await world.run(['plan', '--detailed-exitcode']);
    const { requests: sent } = await world.counts();
    return exactly(
      'Requests when one template of 5,000 is declared',
      2,
      [sent],
      'a filtered page, and a token',
    );
  }),
  await withWorld({ templates: 1000, defaults: 1000 }, async (world) => {
    world.declare(
      templates(1000).map((each, number) => templateManifest(number % 20 === 0 ? edited(each) : each)),
    );
    await world.run(['apply', '--yes']);
    const { requests: sent, writes } = await world.counts();
    const detail = `${sent} requests in all: reading, and reading again what is written, cost the rest`;
    return exactly('Requests that write, 50 changes among 1,000', 50, [writes], detail);
  }),
];

function edited(each: Template): Template {
  return { ...each, subject: `${each.subject}, changed` };
}

/** CPU of plans against parsing the same files; peak memory. */
const cpu: Scenario = (runs) =>
  withWorld({ templates: 2100 }, async (world) => {
    world.declare(templates(2100).map(templateManifest));
    const measured = await repeat(runs, () => planTwice(world));
    const parse = cpuOf(measured.map(({ parsing }) => parsing));
    const first = cpuOf(measured.map((each) => each.first));
    const again = cpuOf(measured.map((each) => each.again));
    const memory = memoryOf(measured.map((each) => each.first));
    return [
      atMost(
        'First plan: CPU ÷ parsing the YAML alone',
        1.5,
        first / parse,
        '',
        `${ms(first)} ÷ ${ms(parse)}`,
      ),
      atMost('Repeated plan: the same', 0.5, again / parse, '', `${ms(again)} ÷ ${ms(parse)}`),
      atMost('Peak memory, 2,100 templates', 250, memory, ' MB', 'of the first plan'),
    ];
  });

/** Alternating, so that whatever else the machine does strikes all alike. */
async function planTwice(world: World) {
  world.forget();
  const parsing = await measure([parser, world.manifests], { cwd: join(world.manifests, '..') });
  const first = await world.run(['plan', '--detailed-exitcode']);
  const again = await world.run(['plan', '--detailed-exitcode']);
  return { parsing, first, again };
}

/** How an apply of hundreds of requests keeps to the tenant's limit. */
const rate: Scenario = () =>
  withWorld({ defaults: 300, limit: 100 }, async (world) => {
    world.declare(templates(300).map(templateManifest));
    const { wall } = await world.run(['apply', '--yes', '--quiet']);
    const { requests: sent, writes, refused } = await world.counts();
    // The token is not counted by the limit.
    const allowed = Math.floor((sent - 2) / 100) * 10_000;
    const detail = `${sent - 1} requests, ${writes} of them writes, in ${(wall / 1000).toFixed(1)} s; the limit allows them in ${allowed / 1000} s`;
    return [
      atMost('300 changes under 100 per 10 s: time ÷ what the limit allows', 1.1, wall / allowed, '', detail),
      exactly('Requests refused with a 429 meanwhile', 0, [refused], ''),
    ];
  });

/** What a short run costs over a bare Node, which reads these certificates before anything else. */
const start: Scenario = (runs) =>
  withWorld({ templates: 1, latency: 0 }, async (world) => {
    world.declare(templates(1).map(templateManifest));
    const cwd = join(world.manifests, '..');
    const env = { NODE_EXTRA_CA_CERTS: '' };
    const measured = await repeat(2 * runs + 1, async () => ({
      node: await measure(['-e', '0'], { cwd, env }),
      version: await measure([program, '--version'], { cwd, env }),
      plan: await world.run(['plan', '--detailed-exitcode'], env),
    }));
    const wall = (name: 'node' | 'version' | 'plan') => wallOf(measured.map((each) => each[name]));
    const [node, version, plan] = [wall('node'), wall('version'), wall('plan')];
    const what = '`plan` of one object, tenant on loopback ÷ `node -e 0`';
    return [
      atMost('`--version` ÷ `node -e 0`', 1.6, version / node, '', `${ms(version)} ÷ ${ms(node)}`),
      atMost(what, 3.5, plan / node, '', `${ms(plan)} ÷ ${ms(node)}`),
    ];
  });

/** Growth with the number of objects. */
const growth: Scenario = async (runs) => {
  const small = await plansOf(1000, runs);
  const large = await plansOf(20_000, Math.ceil(runs / 2));
  const [few, many] = [cpuOf(small), cpuOf(large)];
  return [
    atMost('CPU of a first plan, 20,000 ÷ 1,000 objects', 22, many / few, '', `${ms(many)} ÷ ${ms(few)}`),
    atMost('Peak memory, 20,000 templates of 3 KB', 1024, memoryOf(large), ' MB', 'of a first plan'),
  ];
};

function plansOf(count: number, runs: number): Promise<Usage[]> {
  return withWorld({ templates: count }, async (world) => {
    world.declare(templates(count).map(templateManifest));
    return repeat(runs, () => {
      world.forget();
      return world.run(['plan', '--detailed-exitcode']);
    });
  });
}

/** What is read of three kinds against what is read of the largest: only one of them may need room at a time. */
const memory: Scenario = () =>
  withWorld({ templates: 3000, integrations: 3000, searches: 3000, latency: 0 }, async (world) => {
    const kinds = [
      templates(3000).map(templateManifest),
      integrations(3000).map(integrationManifest),
      searches(3000).map(searchManifest),
    ];
    const alone: number[] = [];
    for (const manifests of kinds) alone.push(await heapForReading(world, manifests));
    const together = await heapForReading(world, kinds.flat());
    const [of, ...others] = alone.map((size) => `${size} MB`);
    const detail = `${together} MB; ${of}, ${others.join(' and ')} for 3,000 templates, integrations and searches`;
    const what = 'Heap for what is read of three kinds ÷ of the largest alone';
    return [atMost(what, 1.5, together / Math.max(...alone), '', detail)];
  });

/** The heap that a plan needs beyond the manifests themselves, in MB. */
async function heapForReading(world: World, manifests: readonly Manifest[]): Promise<number> {
  world.declare(manifests);
  const declared = await leastHeap(world, ['validate']);
  return (await leastHeap(world, ['plan', '--no-cache', '--detailed-exitcode'])) - declared;
}

/** The smallest heap, in steps of 4 MB, in which a run comes to its end. */
async function leastHeap(world: World, argv: readonly string[]): Promise<number> {
  let [tooSmall, enough] = [16, 272];
  while (enough - tooSmall > 4) {
    const size = (tooSmall + enough) / 2;
    if (await fitsInto(size, world, argv)) enough = size;
    else tooSmall = size;
  }
  return enough;
}

async function fitsInto(size: number, world: World, argv: readonly string[]): Promise<boolean> {
  try {
    await world.run(argv, { NODE_OPTIONS: `--max-old-space-size=${size}` });
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('heap out of memory')) return false;
    throw error;
  }
}

export const scenarios: Readonly<Record<string, Scenario>> = { requests, start, cpu, rate, growth, memory };
