import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { writePage } from './page.ts';
import { type Row, tableOf } from './row.ts';
import { scenarios } from './scenarios.ts';

const usage = `npm run bench -- [options]
  --only NAME   only this scenario, may be repeated: ${Object.keys(scenarios).join(', ')}
  --runs N      runs of which the median is taken (default 5)
  --node FILE   measure starts, CPU and memory with this Node too, may be repeated
  --write       write docs/performance.md
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(scenarios) },
    runs: { type: 'string', default: '5' },
    node: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(usage);
else await run(values.only, Number(values.runs), [process.execPath, ...values.node]);

async function run(names: readonly string[], runs: number, nodes: readonly string[]): Promise<void> {
  const rows: Row[] = [];
  for (const name of names) {
    const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
    if (!scenario) throw new Error(`There is no scenario "${name}".\n${usage}`);
    process.stderr.write(`${name} …\n`);
    rows.push(...(await scenario(runs, nodes)));
  }
  process.stdout.write(tableOf(rows));
  if (!values.write) return;
  if (names.length < Object.keys(scenarios).length) throw new Error('--write needs all scenarios.');
  const machine = `Node ${process.versions.node} on ${cpus().length} cores`;
  writePage(rows, { machine, runs, date: new Date() });
}
