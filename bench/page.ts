import { writeFileSync } from 'node:fs';
import { type Row, tableOf } from './row.ts';

/** The circumstances of a measurement. */
export interface Circumstances {
  readonly machine: string;
  /** How many runs each median is taken of. */
  readonly runs: number;
  readonly date: Date;
}

/** Writes docs/performance.md. */
export function writePage(rows: readonly Row[], { machine, runs, date }: Circumstances): void {
  const missed = rows.filter(({ met }) => !met);
  writeFileSync(
    process.env.BENCH_PAGE ?? 'docs/performance.md',
    `# Performance

This page compares each cost with the least possible one, measured in the same run: requests with the pages that have to
be read, CPU with parsing the same YAML with the same library, the time of an apply with the minimum under the rate
limit, start-up with Node alone. \`npm run build && npm run bench -- --write\` measures everything again and writes this
page.

Measured on ${date.toISOString().slice(0, 10)} with ${machine}; medians of ${runs} runs.

${tableOf(rows)}
${missed.length === 0 ? 'Every goal is met.\n' : `${missedGoals(missed)}\n`}
## Other tools

A review of this project measured these once, in November 2026, outside \`npm run bench\`: 1,000 objects of 3 KB, and
answers after 20 ms.

|  | nothing changed | 50 changed |
| --- | --- | --- |
| Terraform 1.11, a provider of the same shape | 1,000 requests, 24 to 38 s, 540 MB | 1,100 requests, 35 s |
| auth0-deploy-cli 8.44, import | 1,011 requests, 243 s, 1.9 GB | not measured |
| tenantctl | 6 requests, 0.9 s, 140 MB | 61 requests, 2.5 s |

## Where the time goes

- On the main thread of Node 20, a plan of 2,100 templates spends 32 % on parsing, 10 % on garbage collection, 9 % on loading
  the program, 8 % on finding and opening the files, 8 % on reading the tenant, 8 % on checking the manifests, 7 % on
  matching and comparing, 5 % on the digests of declarations, 5 % on references, lookups and ids, 2 % on printing, and 6 % on
  the rest (profiles of five runs, 2026-11-27, before the program started sooner).
- The ratios depend on the machine. On three other machines with two cores, nearly the same code took 2.12 to 2.59 times the CPU
  of parsing on Node 20, and the ratio of a plan of one object to \`node -e 0\` changes with the time that Node itself
  takes: 26 to 42 ms.
- V8 of Node 26 lets new objects take more memory before it collects them. For 50 tenants, it needed 449 to 582 MB in
  five runs, 374 MB with \`--max-semi-space-size=8\`, and 315 MB with \`--max-old-space-size=160\` (each measured once).
  So the plans need less than 160 MB, and the rest is garbage that is not collected yet.
- An HTML report of 16,000 changed templates takes 7 s of CPU more than the same plan written as a file (25.6 s ÷
  18.6 s, once, on a busy machine, 2026-11-27), mostly to make the page and to compress its details.
- For \`--since\`, reading what git lists, comparing digests and completing the resources of the revision take most of the
  rest.

## What is measured

- Each measurement runs the built program, \`dist/bin/cli.cjs\`, as a process from start to exit. CPU is the user and
  system time of all its threads. Memory is the largest resident set. A preloaded module (\`bench/usage.cjs\`) records
  both when the process exits; the processes for comparison load the same module.
- The embedded tenant runs in its own process, so its work does not count. It answers after 20 ms, or at once for
  start-up times. Its templates have HTML bodies of 3 KB, and seven locales for each key.
- The manifests declare the same templates, one YAML file each, with the body as a block scalar.
- "Parsing the YAML alone" is a Node process that reads the same files and calls \`parseAllDocuments\` and \`toJS\` of
  the \`yaml\` library with its default options (\`bench/parse.ts\`). Its runs alternate with those of the program, so
  that other work on the machine affects both.
- The time of an apply starts with the process. The rate limit allows a hundred requests at once and another hundred every
  ten seconds, so _n_ requests take at least \`floor((n - 1) / 100) × 10 s\`.
- "Comparing one" of several tenants is the cost of one more tenant: the CPU of a plan of eleven minus the CPU of a plan of
  one, divided by ten. One process serves all these tenants, and uses CPU of the same machine.
- To show whether tenants wait for each other, each answer takes 5 s, so that the CPU of 50 tenants is no limit.
- A round ends when the program has to wait for an answer before it sends the next request. The tenant counts the
  rounds: requests that arrive before it answers the first one of a round belong to it.
- Start-up is measured without \`NODE_EXTRA_CA_CERTS\`, which makes Node itself start more slowly, and every ratio look
  better. The first run fills Node's compile cache and does not count.

- The HTML report shows a plan of 2,000 templates, each with a new subject and a changed line in its body. Headless
  Chromium opens and filters it, in twice as many runs as usual, and the shortest times count, since other work on the
  machine only makes them longer. CPU is the time of the page's main thread until the result is drawn.

\`npm run bench -- --only cpu --runs 3\` measures a part. \`--node FILE\` measures start-up, the CPU of a plan and the memory of many tenants with another Node as well.
\`--help\` lists the parts.

## What keeps a run cheap

- **Requests.** A run reads only declared kinds: in full pages, or with one filter if that takes fewer requests. It
  reads the vendor's defaults for creates, deletes and the lint together. An apply reads again only the objects that it
  changes. From a long list, an export reads only the objects that others refer to, by their ids. If the manifests
  suggest that a list, or the result of a filter, has many pages, the first and the last page are requested together,
  and then those between them; a shorter list costs one page more. If nothing is known of a list, as in an export, 2, 6
  and then 16 pages are requested at once: 2,100 objects take three rounds instead of nine, with no additional requests.
  The pages of a list overlap by one row, to show that the list did not change: that costs one row in 250.
- **Signing in.** While \`plan\` and \`apply\` read more than 16 manifests, they ask for a token, if both services take the
  same one. With a tenant 200 ms away and 2,100 manifests, the token then arrives before the manifests are read.
- **Rate limit.** Reads and writes share one sliding window for each API version, so the tenant never has to refuse a
  request.
- **Reading manifests.** Each document is composed once and walked once. Lines and columns are computed only for
  messages. The program contains the browser build of \`yaml\`: the Node build looks up an environment variable for each
  token, which takes a twentieth of the parsing time.
- **Searching texts.** All texts of a tenant are searched for ids, and for numbers that do not fit into a double.
  Both are long runs of few characters, so only every twelfth or sixteenth character is examined first. With
  this, and paths matched against globs once instead of three times, a plan of 2,100 templates takes 0.88 of its former
  CPU on Node 20 and 0.87 on Node 26 (by its ratio to the bare script, medians of 9 pairs, 2026-11-27).
- **Revisions.** \`--since\` checks out and reads a manifest only if its text, or the text of a file that it includes,
  differs from the revision: git names each file by a digest of its content. It reuses today's other manifests, with the
  variables and overlays of the revision. If the revision has links, it reads everything.
- **Start-up.** The build compiles the validators, and bundles the program in parts, and a command loads only the parts
  that it needs. Node's own modules come with compiled code, which V8 refuses once one of its flags was set: \`src/cli.ts\`
  loads those that most commands need before it sets the flags of the next point. Node 22.1 and later keep compiled code
  of the program in their own compile cache, but only of functions that were compiled as their file was loaded: where it
  is on, all of them are. Together, a plan of one object takes 0.92 to 0.95 of its former wall time on Node 20 and 0.81 to
  0.84 on Node 26, and the first run, which fills the cache, 1.05 (medians of 30 to 60 pairs, 2026-11-28).
  \`NODE_DISABLE_COMPILE_CACHE=1\` turns the cache off.
- **Optimizing late.** Most runs end before a function that V8 optimizes has paid for that. \`src/cli.ts\` lets functions
  run about ten times longer first: a plan of 2,100 templates then takes 0.83 of the CPU on Node 20, 0.93 on Node 22, and
  0.80 on Node 24 and 26; a plan of 10,000 templates takes 0.97 on Node 20 and 0.86 on Node 26 (medians of 4 to 9 pairs,
  2026-11-27). Other versions of Node keep their own settings.
- **Shapes.** Objects that exist in thousands, such as resources and live objects, have functions and no getters: V8
  keeps an object with a getter in its literal as a dictionary, which is slow to make and to use. JSON objects are made
  member by member: with \`Object.fromEntries\`, 2,100 of 16 members took 6.3 ms instead of 1.9 ms on Node 20, and 4.0 ms
  instead of 0.9 ms on Node 26 (2026-11-28).
- **HTML report.** The details of a long report are compressed. The page unpacks the texts for the search first and
  everything else in idle time, and makes details when they are opened. It prints more than 100 changes without e-mails
  and requests: with them, Chromium gave up on 2,000 changes. Without, it printed 2,000 changes on 1,010 pages (a PDF of
  6.8 MB) with 46 s of CPU and 2.3 GB of memory, and 400 changes on 210 pages (1.6 MB) with 4 s and 530 MB (each
  measured once).
- **Connections** are kept alive, at most \`limits.concurrency\` of them. Node's own HTTP client calls tenants, and undici is
  loaded only if a proxy is set: undici parses HTTP in WebAssembly, which V8 optimizes in the background from the first
  answer on. A plan of one object takes 0.65 of the CPU that it took with undici on Node 20 and 0.81 on Node 26; a plan of
  2,100 templates takes 0.96 and 0.93 (medians of 15 and of 7 pairs, 2026-11-27).

No plan caches manifests or answers of a tenant for the next one, so no cache can be stale.
`,
  );
}

function missedGoals(missed: readonly Row[]): string {
  const lines = missed.map(({ what, measured, goal }) => `- ${what}: ${measured}, goal ${goal}`);
  return `Not met:\n\n${lines.join('\n')}\n`;
}
