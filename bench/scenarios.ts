import { join } from 'node:path';
import { fleet } from './fleet.ts';
import { integration, integrationManifest, integrations } from './integrations.ts';
import { aboutNode, measure, median, ofEach, repeat, type Usage } from './measure.ts';
import { report } from './report.ts';
import { atMost, exactly, type Row } from './row.ts';
import { absentManifest, type Manifest, type Template, templateManifest, templates } from './templates.ts';
import type { TenantOptions } from './tenant.ts';
import { parser, program, twoRequests, type World, withWorld } from './world.ts';

/**
 * Measures something, and says it in one or more rows.
 *
 * @param runs how many runs the median is taken of
 * @param nodes the executables of Node that starts and CPU are measured with
 */
export type Scenario = (runs: number, nodes: readonly string[]) => Promise<Row[]>;

const cpuOf = (usages: readonly Usage[]) => median(usages.map(({ cpu }) => cpu));
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
      templates(1000).map((each, number) => templateManifest(number % 20 === 0 ? edit(each) : each)),
    );
    await world.run(['apply', '--yes']);
    const { requests: sent, writes } = await world.counts();
    const detail = `${sent} requests in all: reading, and reading again what is written, cost the rest`;
    return exactly('Requests that write, 50 changes among 1,000', 50, [writes], detail);
  }),
];

function edit(each: Template): Template {
  return { ...each, subject: `${each.subject}, changed` };
}

/** How many answers a command waits for one after the other: with a tenant that is far away, that is its time. */
const rounds: Scenario = async () => {
  const changed = (count: number) =>
    templates(count).map((each, number) => templateManifest(number % 20 === 0 ? edit(each) : each));
  const same = templates(2100).map(templateManifest);
  const commands: readonly Command[] = [
    {
      what: 'plan of 2,100 templates',
      most: 3,
      tenant: { templates: 2100 },
      manifests: same,
      argv: ['plan'],
    },
    {
      what: 'apply of 50 of 1,000',
      most: 10,
      tenant: { templates: 1000, defaults: 1000 },
      manifests: changed(1000),
      argv: ['apply', '--yes'],
    },
    {
      what: 'export of 2,100 templates',
      most: 5,
      tenant: { templates: 2100 },
      manifests: [],
      argv: ['export', '--out', 'exported'],
    },
  ];
  const rows: Row[] = [];
  for (const command of commands) rows.push(await roundsOf(command));
  return rows;
};

interface Command {
  readonly what: string;
  readonly most: number;
  readonly tenant: Partial<TenantOptions>;
  readonly manifests: readonly Manifest[];
  readonly argv: readonly string[];
}

async function roundsOf({ what, most, tenant, manifests, argv }: Command): Promise<Row> {
  const wallWith = (latency: number) =>
    withWorld({ ...tenant, latency }, async (world) => {
      world.declare(manifests);
      return (await world.run([...argv, '--quiet'])).wall;
    });
  // Long enough for a busy machine to make no round of it.
  const latency = 2000;
  const [near, far] = [await wallWith(0), await wallWith(latency)];
  const detail = `answers ${latency / 1000} s away`;
  return atMost(`Rounds of latency: ${what}`, most, Math.round((far - near) / latency), { detail });
}

/** CPU of a plan and of a validation against parsing the same files; peak memory. Each Node has a V8 of its own. */
const cpu: Scenario = async (runs, nodes) => {
  const plans = await withWorld({ templates: 2100 }, (world) => {
    world.declare(templates(2100).map(templateManifest));
    return ofEach(nodes, (node) =>
      repeat(runs, () => besideParsing(node, world, ['plan', '--detailed-exitcode'])),
    );
  });
  const validations = await withWorld({}, (world) => {
    world.declare(integrations(5000).map((each) => integrationManifest(each)));
    return ofEach(nodes, (node) => repeat(runs, () => besideParsing(node, world, ['validate'])));
  });
  return nodes.flatMap((node, at) => {
    const on = `Node ${aboutNode(node).version}`;
    const [planned = [], validated = []] = [plans[at], validations[at]];
    const memory = median(planned.map(({ run }) => run.memory));
    return [
      timesParsing(`\`plan\` of 2,100 templates: CPU ÷ parsing the YAML alone, ${on}`, 1.6, planned),
      timesParsing(`\`validate\` of 5,000 integrations: the same, ${on}`, 2, validated),
      atMost(`Peak memory, 2,100 templates, ${on}`, 250, memory, { unit: ' MB', detail: 'of the plan' }),
    ];
  });
};

interface BesideParsing {
  readonly parsing: Usage;
  readonly run: Usage;
}

/** A run and the parsing of its manifests, one after the other, so that other work on the machine affects both. */
async function besideParsing(node: string, world: World, argv: readonly string[]): Promise<BesideParsing> {
  const parsing = await measure([parser, world.manifests], { node, cwd: join(world.manifests, '..') });
  return { parsing, run: await world.run(argv, { node }) };
}

function timesParsing(what: string, most: number, measured: readonly BesideParsing[]): Row {
  const parsing = cpuOf(measured.map((each) => each.parsing));
  const run = cpuOf(measured.map((each) => each.run));
  return atMost(what, most, run / parsing, { detail: `${ms(run)} ÷ ${ms(parsing)}` });
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
      atMost('300 changes under 100 per 10 s: time ÷ what the limit allows', 1.1, wall / allowed, { detail }),
      exactly('Requests refused with a 429 meanwhile', 0, [refused], ''),
    ];
  });

/** What a short run costs over a bare Node, for every version of Node that was named. */
const start: Scenario = (runs, nodes) =>
  withWorld({ templates: 1, latency: 0 }, async (world) => {
    world.declare(templates(1).map(templateManifest));
    return (await ofEach(nodes, (node) => startOf(node, runs, world))).flat();
  });

async function startOf(node: string, runs: number, world: World): Promise<Row[]> {
  const { version: release, keepsCode } = aboutNode(node);
  const cwd = join(world.manifests, '..');
  // Bare Node reads these certificates too, before anything else.
  const options = { node, env: { NODE_EXTRA_CA_CERTS: '', NODE_COMPILE_CACHE: join(cwd, 'compiled') } };
  const run = async () => ({
    bare: await measure(['-e', '0'], { ...options, cwd }),
    version: await measure([program, '--version'], { ...options, cwd }),
    requests: await measure([twoRequests, world.url], { ...options, cwd }),
    plan: await world.run(['plan', '--detailed-exitcode'], options),
  });
  // The first run fills the compile cache.
  await run();
  const measured = await repeat(2 * runs + 1, run);
  const wall = (name: keyof (typeof measured)[number]) => median(measured.map((each) => each[name].wall));
  const [bare, version, plan] = [wall('bare'), wall('version'), wall('plan')];
  const alone = wall('requests');
  const what = `\`plan\` of one object, tenant on loopback ÷ \`node -e 0\`, Node ${release}`;
  return [
    atMost(`\`--version\` ÷ \`node -e 0\`, Node ${release}`, 1.6, version / bare, {
      detail: `${ms(version)} ÷ ${ms(bare)}`,
    }),
    atMost(what, keepsCode ? 4 : 7, plan / bare, {
      detail: `${ms(plan)} ÷ ${ms(bare)}; two requests with undici and nothing else: ${(alone / bare).toFixed(2)}`,
    }),
  ];
}

/** Growth with the number of objects. */
const growth: Scenario = async (runs) => {
  const small = await plansOf(1000, runs);
  const large = await plansOf(20_000, Math.ceil(runs / 2));
  const [few, many] = [cpuOf(small), cpuOf(large)];
  const memory = median(large.map((each) => each.memory));
  const [hundreds, thousands] = [await deletesOf(500), await deletesOf(5000)];
  const deletes = `${ms(thousands.cpu)} ÷ ${ms(hundreds.cpu)}`;
  const [short, long] = [await listOf(1000), await listOf(10_000)];
  return [
    atMost('CPU of a plan, 20,000 ÷ 1,000 objects', 22, many / few, { detail: `${ms(many)} ÷ ${ms(few)}` }),
    atMost('Peak memory, 20,000 templates of 3 KB', 1024, memory, { unit: ' MB', detail: 'of the plan' }),
    atMost('CPU of an apply, 5,000 ÷ 500 deletes', 11, thousands.cpu / hundreds.cpu, { detail: deletes }),
    atMost('CPU of an apply, 10,000 ÷ 1,000 new items of one list', 11, long.cpu / short.cpu, {
      detail: `${ms(long.cpu)} ÷ ${ms(short.cpu)}`,
    }),
  ];
};

/** An apply that deletes all templates but one. Many share a request. */
function deletesOf(count: number): Promise<Usage> {
  return withWorld({ templates: count + 1, defaults: count + 1 }, async (world) => {
    const [kept, ...deleted] = templates(count + 1);
    world.declare([...(kept ? [templateManifest(kept)] : []), ...deleted.map(absentManifest)]);
    return world.run(['apply', '--yes', '--quiet', '--max-deletes', String(count)]);
  });
}

/** An apply that adds items to a list of one object. */
function listOf(count: number): Promise<Usage> {
  return withWorld({ desks: 1 }, async (world) => {
    const sources = Array.from({ length: count }, (_, number) => `source-${number}`);
    world.declare([integrationManifest({ ...integration(0), sources }, 'Desk')]);
    return world.run(['apply', '--yes', '--quiet']);
  });
}

function plansOf(count: number, runs: number): Promise<Usage[]> {
  return withWorld({ templates: count }, async (world) => {
    world.declare(templates(count).map(templateManifest));
    return repeat(runs, () => world.run(['plan', '--detailed-exitcode']));
  });
}

/** What a kind of a project's own costs over one that is built in, with the same objects. */
const described: Scenario = async (runs) => {
  const plans = await withWorld({ integrations: 5000, desks: 5000 }, async (world) => {
    const planOf = (kind: 'SimIntegration' | 'Desk') => {
      world.declare(integrations(5000).map((each) => integrationManifest(each, kind)));
      return world.run(['plan', '--detailed-exitcode']);
    };
    // One after the other, so that other work on the machine affects both.
    return repeat(runs, async () => ({ own: await planOf('Desk'), builtIn: await planOf('SimIntegration') }));
  });
  const own = cpuOf(plans.map((each) => each.own));
  const builtIn = cpuOf(plans.map((each) => each.builtIn));
  const what = "CPU of a plan of 5,000 objects, a kind of the project's own ÷ a built-in kind";
  return [atMost(what, 1.2, own / builtIn, { detail: `${ms(own)} ÷ ${ms(builtIn)}` })];
};

/** Growth of an export with the number of objects; each template has its body in a file of its own. */
const exports: Scenario = async (runs) => {
  const cpuFor = async (count: number) => {
    const usages = await withWorld({ templates: count }, (world) =>
      // Each run needs a folder that is not there yet.
      repeat(runs, () => world.run(['export', '--quiet', '--out', `out-${process.hrtime.bigint()}`])),
    );
    return cpuOf(usages);
  };
  const [few, many] = [await cpuFor(1000), await cpuFor(8000)];
  const detail = `${ms(many)} ÷ ${ms(few)}`;
  return [atMost('CPU of an export, 8,000 ÷ 1,000 templates', 9, many / few, { detail })];
};

export const scenarios: Readonly<Record<string, Scenario>> = {
  requests,
  rounds,
  start,
  cpu,
  described,
  rate,
  growth,
  exports,
  fleet,
  report,
};
