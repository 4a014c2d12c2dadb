import { join } from 'node:path';
import { aboutNode, measure, median, ofEach, repeat, type Usage } from './measure.ts';
import { atMost, exactly, type Row } from './row.ts';
import { templateManifest, templates } from './templates.ts';
import { parser, type World, withWorld } from './world.ts';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const all = ['plan', '-e', '*', '--detailed-exitcode'];
const first = ({ names }: World, count: number) => [
  'plan',
  '-e',
  names.slice(0, count).join(','),
  '--detailed-exitcode',
];

/** What many tenants cost in one run, against what one of them costs. Memory is measured with each of the nodes. */
export async function fleet(runs: number, nodes: readonly string[]): Promise<Row[]> {
  return [...(await cpuAndMemory(runs, nodes)), await wall(runs), ...(await manySmall())];
}

/** 50 tenants of 2,100 templates: their CPU, and the memory that they need together. */
function cpuAndMemory(runs: number, nodes: readonly string[]): Promise<Row[]> {
  return withWorld({ tenants: 50, templates: 2100 }, async (world) => {
    world.declare(templates(2100).map(templateManifest));
    const cwd = join(world.manifests, '..');
    // One after the other, so that other work on the machine affects all of them.
    const measured = await repeat(runs, async () => ({
      parsing: await measure([parser, world.manifests], { cwd }),
      one: await world.run(first(world, 1)),
      eleven: await world.run(first(world, 11)),
      fleet: await world.run(all),
    }));
    const cpu = (name: keyof (typeof measured)[number]) => median(measured.map((each) => each[name].cpu));
    // What one more tenant costs: a start, and code that is not optimized yet, are no part of it.
    const comparing = (cpu('eleven') - cpu('one')) / 10;
    const least = cpu('parsing') + 50 * comparing;
    const detail = `${seconds(cpu('fleet'))} ÷ (${seconds(cpu('parsing'))} + 50 × ${comparing.toFixed(0)} ms)`;
    const memories = await ofEach(nodes, async (node) => {
      const planned = await repeat(runs, () => world.run(all, { node }));
      const memory = median(planned.map((each) => each.memory));
      const what = `Peak memory, 50 tenants of 2,100 templates, Node ${aboutNode(node).version}`;
      return atMost(what, 512, memory, { unit: ' MB', detail: 'of the plan of all' });
    });
    return [
      atMost(
        '50 tenants of 2,100 templates: CPU ÷ (parsing the YAML once + 50 × comparing one)',
        1.3,
        cpu('fleet') / least,
        { detail },
      ),
      ...memories,
    ];
  });
}

/** Milliseconds until an answer comes, so many that the CPU of 50 tenants is small beside the time of one. */
const slow = 5000;

/** Whether tenants wait for each other. */
function wall(runs: number): Promise<Row> {
  return withWorld({ tenants: 50, templates: 200, latency: slow }, async (world) => {
    world.declare(templates(200).map(templateManifest));
    const alone: Usage[] = [];
    const together = await repeat(runs, async () => {
      alone.push(await world.run(first(world, 1)));
      return world.run([...all, '--parallel', '50']);
    });
    const [slowest, fleetWall] = [alone, together].map((usages) => median(usages.map((each) => each.wall)));
    const detail = `${seconds(fleetWall ?? 0)} ÷ ${seconds(slowest ?? 1)}; each answer takes ${slow / 1000} s, so that CPU is no limit`;
    return atMost(
      '50 tenants of 200 templates, `--parallel 50`: time ÷ one tenant alone',
      1.5,
      (fleetWall ?? 0) / (slowest ?? 1),
      { detail },
    );
  });
}

/** 500 tenants with little in them, and nothing to change. */
function manySmall(): Promise<Row[]> {
  return withWorld({ tenants: 500, templates: 20, limit: 100 }, async (world) => {
    world.declare(templates(20).map(templateManifest));
    const { wall: time } = await world.run(all);
    const { requests, refused, most } = await world.counts();
    const detail = `${requests} requests in all`;
    return [
      atMost('500 tenants of 20 objects: requests of the tenant that was asked most', 10, most, { detail }),
      exactly('Requests refused with a 429 meanwhile, 500 tenants', 0, [refused], ''),
      atMost('The same: time of the plan', 60, time / 1000, { unit: ' s', detail: 'with 8 at once' }),
    ];
  });
}
