import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fleet } from './fleet.ts';
import { integration, integrationManifest, integrations } from './integrations.ts';
import { aboutNode, measure, median, ofEach, repeat, type Usage } from './measure.ts';
import { report } from './report.ts';
import { atMost, exactly, type Row } from './row.ts';
import { absentManifest, type Manifest, type Template, templateManifest, templates } from './templates.ts';
import type { TenantOptions } from './tenant.ts';
import { bare, parser, program, twoRequests, type World, withWorld } from './world.ts';

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
    { what: 'status of 12 senders', most: 3, tenant: { senders: 12 }, manifests: [], argv: ['status'] },
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
  // Long enough for requests that are sent together to arrive before the first of them is answered.
  const latency = 500;
  const counted = await withWorld({ ...tenant, latency }, async (world) => {
    world.declare(manifests);
    await world.run([...argv, '--quiet']);
    return world.counts();
  });
  const detail = `${counted.requests} requests, answers ${latency} ms away`;
  return atMost(`Rounds of latency: ${what}`, most, counted.rounds, { detail });
}

/** CPU of a plan and of a validation against parsing the same files; peak memory. Each Node has a V8 of its own. */
const cpu: Scenario = async (runs, nodes) => {
  const plans = await withWorld({ templates: 2100 }, (world) => {
    world.declare(templates(2100).map(templateManifest));
    return ofEach(nodes, (node) =>
      repeat(runs, async () => ({
        bare: await world.run([world.manifests, world.url], { node, script: bare }),
        ...(await besideParsing(node, world, ['plan', '--detailed-exitcode'])),
      })),
    );
  });
  const validations = await withWorld({}, (world) => {
    world.declare(integrations(5000).map((each) => integrationManifest(each)));
    return ofEach(nodes, (node) => repeat(runs, () => besideParsing(node, world, ['validate'])));
  });
  return nodes.flatMap((node, at) => {
    const { version, keepsCode } = aboutNode(node);
    const on = `Node ${version}`;
    const [planned = [], validated = []] = [plans[at], validations[at]];
    const memory = median(planned.map(({ run }) => run.memory));
    return [
      timesBare(
        `\`plan\` of 2,100 templates: CPU ÷ a script that reads, parses, fetches and compares, ${on}`,
        planned,
      ),
      timesParsing(
        `\`plan\` of 2,100 templates: CPU ÷ parsing the YAML alone, ${on}`,
        keepsCode ? 1.9 : 2.2,
        planned,
      ),
      timesParsing(`\`validate\` of 5,000 integrations: the same, ${on}`, 2, validated),
      atMost(`Peak memory, 2,100 templates, ${on}`, 250, memory, { unit: ' MB', detail: 'of the plan' }),
    ];
  });
};

function timesBare(what: string, measured: readonly { readonly bare: Usage; readonly run: Usage }[]): Row {
  const [least, run] = [cpuOf(measured.map((each) => each.bare)), cpuOf(measured.map((each) => each.run))];
  return atMost(what, 1.35, run / least, { detail: `${ms(run)} ÷ ${ms(least)}` });
}

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
    alone: await measure(['-e', '0'], { ...options, cwd }),
    version: await measure([program, '--version'], { ...options, cwd }),
    requests: await measure([twoRequests, world.url], { ...options, cwd }),
    plan: await world.run(['plan', '--detailed-exitcode'], options),
  });
  // The first run fills the compile cache.
  await run();
  const measured = await repeat(2 * runs + 1, run);
  const wall = (name: keyof (typeof measured)[number]) => median(measured.map((each) => each[name].wall));
  const [alone, version, plan] = [wall('alone'), wall('version'), wall('plan')];
  const requests = wall('requests');
  const what = `\`plan\` of one object, tenant on loopback ÷ \`node -e 0\`, Node ${release}`;
  return [
    atMost(`\`--version\` ÷ \`node -e 0\`, Node ${release}`, 1.6, version / alone, {
      detail: `${ms(version)} ÷ ${ms(alone)}`,
    }),
    atMost(what, keepsCode ? 4.5 : 6.5, plan / alone, {
      detail: `${ms(plan)} ÷ ${ms(alone)}; two requests and nothing else: ${(requests / alone).toFixed(2)}`,
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
  return [grows('an export, 20,000 ÷ 5,000 templates', await cpuFor(5000), await cpuFor(20_000))];
};

/** Growth of a validation with the number of objects. */
const validations: Scenario = async (runs) => {
  const cpuFor = async (count: number) => {
    const usages = await withWorld({}, (world) => {
      world.declare(integrations(count).map((each) => integrationManifest(each)));
      return repeat(runs, () => world.run(['validate', '--quiet']));
    });
    return cpuOf(usages);
  };
  return [grows('a validation, 20,000 ÷ 5,000 integrations', await cpuFor(5000), await cpuFor(20_000))];
};

/** What has four times as many objects. */
const grows = (what: string, few: number, many: number): Row =>
  atMost(`CPU of ${what}`, 5, many / few, { detail: `${ms(many)} ÷ ${ms(few)}` });

/** What it costs to compare with what manifests declared earlier. */
const since: Scenario = (runs) =>
  withWorld({ templates: 10_000 }, async (world) => {
    const [all, cwd] = [templates(10_000), join(world.manifests, '..')];
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd });
    const commit = (message: string) => {
      git('add', '--', 'tenantctl.yaml', world.manifests);
      git('commit', '--quiet', '--no-gpg-sign', '--message', message);
    };
    git('init', '--quiet');
    world.declare(all.map((each, number) => templateManifest(number % 500 === 0 ? edit(each) : each)));
    commit('Before');
    world.declare(all.map(templateManifest));
    commit('After');
    const measured = await repeat(runs, async () => ({
      without: await world.run(['plan', '--quiet']),
      since: await world.run(['plan', '--quiet', '--since', 'HEAD~1']),
    }));
    const [without, past] = [
      cpuOf(measured.map((each) => each.without)),
      cpuOf(measured.map((each) => each.since)),
    ];
    const detail = `${ms(past)} ÷ ${ms(without)}; 20 manifests differ, and the processes of git are not counted`;
    return [
      atMost('CPU of a plan of 10,000 templates, with `--since` ÷ without', 1.15, past / without, { detail }),
    ];
  });

export const scenarios: Readonly<Record<string, Scenario>> = {
  requests,
  rounds,
  start,
  cpu,
  described,
  rate,
  growth,
  exports,
  validations,
  since,
  fleet,
  report,
};
