import { writeFileSync } from 'node:fs';
import { type Row, tableOf } from './row.ts';

/** The circumstances of a measurement. */
export interface Circumstances {
  readonly machine: string;
  /** Runs of which the median is told. */
  readonly runs: number;
  readonly date: Date;
}

/** Writes docs/performance.md. */
export function writePage(rows: readonly Row[], { machine, runs, date }: Circumstances): void {
  const missed = rows
    .filter(({ met }) => !met)
    .map(({ what, measured, goal }) => `- ${what}: ${measured}, goal ${goal}\n`);
  writeFileSync(
    process.env.BENCH_PAGE ?? 'docs/performance.md',
    `# Performance

What a run costs is told in ratios to the least possible, measured in one go: requests against the pages that have to be
read, CPU against only parsing the same YAML with the same library, time against what the tenant's limit allows, a start
against Node alone. \`npm run build && npm run bench -- --write\` measures again and writes this page.

Measured on ${date.toISOString().slice(0, 10)} with ${machine}; medians of ${runs} runs.

${tableOf(rows)}
${missed.length === 0 ? 'Every goal is met.\n' : `Not met:\n\n${missed.join('')}`}
## What is measured

- The built program, \`dist/bin/cli.cjs\`, run as a process from start to exit. CPU is that of all threads of the process, user
  and system; memory is the largest resident set. A preloaded module writes both down as the process ends
  (\`bench/usage.cjs\`); the processes compared with carry it too.
- The tenant is the embedded one in a process of its own, so that its work is not counted, 20 ms away (for the start on
  loopback without latency). Its templates have HTML bodies of 3 KB and seven locales a key.
- The manifests are the same templates, a YAML file each, the body as a block in it.
- "Parsing the YAML alone" is a Node process that reads the same files and calls \`parseAllDocuments\` and \`toJS\` of the
  library that tenantctl uses, with its default options (\`bench/parse.ts\`).
- A first plan finds no cache; a repeated one finds that of the plan before. Plan, repeated plan and parsing alternate,
  so that other work on the machine strikes all alike.
- The time of an apply begins with the process. The limit allows a hundred requests at once and another hundred every
  ten seconds, so the least for _n_ requests is \`floor((n - 1) / 100) × 10 s\`.
- The heap for what is read is that in which a \`plan\` comes to its end, less that which \`validate\` needs for the same
  manifests, found by trying in steps of 4 MB (\`--max-old-space-size\`). Three kinds of 3,000 objects of 3 to 4 KB are
  declared, and everything is as declared; were all of it held, the figures of the three would add up.
- Starts are measured without \`NODE_EXTRA_CA_CERTS\`: where it is set, Node itself takes longer, and every ratio to it
  looks better.
- A start feels most what else a machine does: on a shared one, runs of \`plan\` of one object came out between 3.2 and
  3.7 times Node alone. It is measured first, before the long parts.

\`npm run bench -- --only cpu --runs 3\` measures a part; \`--help\` lists the parts.

## What makes a run cheap

- **Requests.** Only kinds that are declared are read, by full pages, or by one filter where that is fewer. The vendor's
  defaults that creates, deletes and the lint need are asked for together. An apply reads again only what it touches.
- **The limit.** One sliding window for each API version, shared by reads and writes, so that no request is refused.
- **The cache.** \`plan\` keeps in \`.tenantctl/cache\` what it has found: of a sound manifest without tags all but its
  fields, of others the value with its tags unread, by the digest of the file's text; of each page of a list which objects
  are on it, by the digest of the answer; and which of these objects equals which manifest. A repeated plan opens no
  manifest that nobody has touched (size, inode and time of change tell, much as they tell git), takes no page apart that
  it knows, and compares only the objects of changed pages and changed manifests. All of it holds for one version of
  tenantctl and one folder. What depends on a secret or a lookup is compared every time, and nothing of the environment and
  no secret gets into the cache. It may be deleted at any time; \`--no-cache\` leaves it aside, and an apply that makes its
  own plan never uses it.
- **Memory.** An object is compared as it arrives. Of one that is as declared, or that is none of the plan's business, the
  name is kept, so that the texts of a kind need not stay until the last kind is read. What the manifests declare does stay.
- **Parsing.** A manifest that is written as most people write them, without tags and anchors, is read from the tokens of
  the YAML library; nodes, which know where everything stands, are made where a message asks for them.
- **The start.** Validators are compiled and code is bundled by the build, commands and Node's own modules are loaded when
  they are needed. The first run of a command keeps its compiled code beside the program, as Node's own compile cache
  does, and one a day later keeps it again with what it needed besides; \`NODE_DISABLE_COMPILE_CACHE=1\` turns that off.
- **Connections.** They are kept alive, at most \`limits.concurrency\` of them, and a request after the other goes over the
  same one.
`,
  );
}
