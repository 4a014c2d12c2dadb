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

Every cost is given as a ratio to the least possible, and both sides are measured in the same run: requests against the
pages that have to be read, CPU against parsing the same YAML with the same library, the time of an apply against what the
rate limit allows, start-up against Node alone. \`npm run build && npm run bench -- --write\` measures everything again and
writes this page.

Measured on ${date.toISOString().slice(0, 10)} with ${machine}; medians of ${runs} runs.

${tableOf(rows)}
${missed.length === 0 ? 'Every goal is met.\n' : `${missedGoals(missed)}\n`}
## What is measured

- The program is the built one, \`dist/bin/cli.cjs\`, run as a process from start to exit. CPU is the user and system time of
  all its threads. Memory is the largest resident set. A preloaded module (\`bench/usage.cjs\`) records both when the process
  exits; the processes it is compared with load the same module.
- The tenant is the embedded one in a process of its own, so its work is not counted. It answers after 20 ms, or without
  delay where start-up is measured. Its templates have HTML bodies of 3 KB, and seven locales for each key.
- The manifests declare the same templates, one YAML file each, with the body as a block scalar.
- "Parsing the YAML alone" is a Node process that reads the same files and calls \`parseAllDocuments\` and \`toJS\` of the
  \`yaml\` library with its default options (\`bench/parse.ts\`). It alternates with the runs it is compared with, so that
  other work on the machine affects both.
- The time of an apply starts with the process. The rate limit allows a hundred requests at once and another hundred every
  ten seconds, so _n_ requests take at least \`floor((n - 1) / 100) × 10 s\`.
- "Comparing one" of several tenants is what one more of them costs: the CPU of a plan of eleven less that of a plan of one,
  divided by ten. Tenants that are planned together are served by one process, which needs CPU of the same machine.
- Whether tenants wait for each other is measured with answers that take 5 s each, since the CPU of 50 tenants is no limit then.
- A round is an answer that is waited for before the next request is sent. The tenant counts them: requests that arrive before the
  first of a round is answered belong to it.
- Start-up is measured without \`NODE_EXTRA_CA_CERTS\`. Where it is set, Node itself starts more slowly, and every ratio
  to it looks better. The first run fills Node's compile cache and is not counted.

- The HTML report shows a plan of 2,000 templates, each with a new subject and a changed line in its body. It is
  opened and filtered in headless Chromium, twice as often as other things are measured, and the shortest times count: other work on
  the machine only makes them longer. CPU is that of the page's main thread until the result is drawn.

\`npm run bench -- --only cpu --runs 3\` measures a part. \`--node FILE\` measures start-up, the CPU of a plan and the memory of many tenants with another Node as well.
\`--help\` lists the parts.

## What keeps a run cheap

- **Requests.** Only declared kinds are read: by full pages, or by one filter where that takes fewer requests. The vendor's
  defaults that creates, deletes and the lint need are read together. An apply reads again only what it changes.
  Of a long list, an export reads the few objects that others refer to, by their ids.
  Where the manifests make it likely that a list, or what a filter finds, has many pages, the first and the last of them are asked for
  together, and then those between them: a list that is shorter costs one page more. Of a list of which nothing is known, as in an export,
  2, 6 and then 16 pages are asked for at once: 2,100 objects take three rounds instead of nine, and no request more.
  The pages of a list overlap by one row, which shows that the list did not change: that costs one row in 250.
- **Rate limit.** Reads and writes share one sliding window for each API version, so the tenant refuses no request.
- **Reading manifests.** Each document is composed once and walked once. Lines and columns are worked out only for messages.
  The program contains the build of \`yaml\` for browsers: that for Node asks the environment about each token whether to
  print it, which takes a twentieth of the time of parsing.
- **Start-up.** The build compiles the validators, and bundles the program in parts, of which a command loads those that it
  needs. Node 22.1 and later keep compiled code in their own compile cache; \`NODE_DISABLE_COMPILE_CACHE=1\` turns that off.
  Before a command that connects is loaded, undici reads an answer from memory (\`client/warm-up.ts\`): V8 then optimizes undici's
  parser while the rest is loaded. Otherwise it would begin with the first answer of the tenant, and Node 20 does not exit before it has ended.
  Measured in turns, that takes 21 % off a plan of one object on Node 20 and 10 % on Node 26. A plan that stops at a mistake in a
  manifest takes longer for it: 165 ms of 453 on Node 20, 34 ms of 292 on Node 26.
- **Shapes.** What there are thousands of, such as resources and live objects, has functions and no getters: V8 keeps an object
  with a getter in its literal as a dictionary, which is slow to make and to use.
- **HTML report.** The details of a long report are compressed. The texts for the search are unpacked first, everything else
  in idle time, and details are made when they are opened. More than 100 changes of a long report are printed without e-mails
  and requests: when all was printed, Chromium gave up on 2,000 changes. Now it printed 2,000 changes on 1,010 pages (a PDF of 6.8 MB)
  with 46 s of CPU and 2.3 GB of memory, and 400 changes on 210 pages (1.6 MB) with 4 s and 530 MB. That was measured once, by hand.
- **Connections** are kept alive, at most \`limits.concurrency\` of them.

A plan keeps nothing for the next one: there is no cache of manifests or of the tenant, so there is none that could be
stale.
`,
  );
}

/** The goals that are not met, and what is known about the reasons. */
function missedGoals(missed: readonly Row[]): string {
  const lines = missed.map(({ what, measured, goal }) => `- ${what}: ${measured}, goal ${goal}`);
  return `Not met:

${lines.join('\n')}

What is known about these:

- Nearly half of a plan's CPU is V8's own, on other threads: for 2,100 templates it optimizes more than a hundred functions, for
  parsing alone 70. Without these optimizations, the main thread takes twice as long. They pay off late, so a plan of 20,000
  objects costs only five to six times as much as one of 1,000.
- The ratios depend on the machine too. On others with as many cores, nearly the same code had 2.12 (1,145 ms ÷ 539 ms), 2.59
  (1,146 ms ÷ 443 ms) and 2.46 (1,018 ms ÷ 414 ms) on Node 20, and 2.18 (735 ms ÷ 337 ms) on Node 26. On the last of them, \`node -e 0\`
  takes 26 ms on Node 26, so that a plan of one object (129 ms) is 5.0 times as long, and misses its goal of 4.5: two requests with
  undici and nothing else are 2.8 times as long there. 50 tenants needed 489 MB.
- Of its main thread, parsing takes 33 %, garbage collection 13 %, matching and comparing 11 %, checking the manifests 10 %,
  reading the tenant 10 %, finding and opening the files 8 %, the digests of what is declared 5 %, loading the program 5 %, and
  the rest 5 % (profiles of six runs). No part is large enough to reach the goal alone.
- undici parses HTTP in WebAssembly. Its largest function becomes hot within the headers of the first answer, and V8 then
  optimizes it in the background: 140 ms of CPU and 35 MB on Node 20. undici's build without SIMD has the same function. Optimized
  by Binaryen, the parser takes as long, and translated into JavaScript it has 2.4 MB of code. Only V8 flags avoid it, and the
  program sets none.
- V8 of Node 26 lets new objects take more memory before it collects them. Of 50 tenants, it needed 449 to 582 MB in five runs; with
  \`--max-semi-space-size=8\` it needed 374 MB, and with \`--max-old-space-size=160\` 315 MB (each once, by hand). So the plans need
  less than 160 MB, and the rest is what is not collected yet.
- Two requests with undici and nothing else, in a program of 290 KB, take most of what a plan of one object may take.
- Two requests with Node's own HTTP client, over connections that are kept, take 0.37 of the CPU of the same with undici and 44 MB
  instead of 87 MB (Node 20, medians of 15 pairs, 2026-11-27). undici stays: time limits, the size of answers, proxies and client
  certificates rest on it.
- An HTML report of 16,000 changed templates takes 12 s of CPU more than the plan (28 s ÷ 16 s, once, on a busy machine); removing
  secrets from what it shows and making its page are the largest parts.
- With \`--since\`, all manifests of the revision are checked out, read and declared again: of 2.1 s more for 10,000 of them, reading and
  declaring takes about half, removing the folder a fifth, and garbage collection most of the rest. Git's own processes take 0.7 s.
- The program in one file instead of parts starts as fast on Node 26 and slower on Node 20, also if only what a plan needs is in
  that file. Rolldown in place of esbuild saves another 8 % on Node 26, and makes Node 20 slower by 17 %.
- The main thread of a short run spends 20 % on reading and compiling the program's code, 1.4 MB for a plan, and 22 % on
  running its modules for the first time. Shorter names would save about a twentieth of a run, but the trace of an internal
  error would no longer name the functions.
`;
}
