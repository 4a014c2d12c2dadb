import { type Diff, type FleetMember, fleetOf } from '../../src/model/documents.ts';
import type { Diagnostic } from '../../src/model/failure.ts';
import type { Document } from '../../src/report/report.ts';
import { added, change, difference, outcome, plan, result } from './fixtures.ts';

/** Everything that tries to break out, in one text. */
export const evil = [
  '"\'><script>globalThis.pwned = 1</script><img src=http://127.0.0.1:PORT/x onerror=pwned=2>',
  '</script></style></title></textarea></details></code></pre>]]>-->',
  '\u001b[2J\u001b]8;;http://x\u0007link\u009b31m\u0000\u202egpj.exe\u2066',
  '```',
  '~~~',
  '````diff',
  '</details>',
  '',
  '# heading @everyone #1 [x](javascript:alert(1)) <http://x> https://x.example www.x.example `c` | a |',
  '::error::x %0A%25 ::set-output name=a::b\r\n::stop-commands::x',
  '  ::add-mask::x',
  'x ##[error]x ##[add-mask]x ##vso[task.setvariable variable=a]b ##teamcity[message]',
  'section_start:1:x[collapsed=true]\r\u001b[0Ksection_end:1:x',
  '<iframe src="http://127.0.0.1:PORT/frame"></iframe><a href="javascript:alert(1)" autofocus onfocus=pwned=3>x</a>',
].join('\n');

/** Documents with hostile text wherever there can be text. */
export function hostileDocuments(port = 1): readonly Document[] {
  const text = evil.replaceAll('PORT', String(port));
  const short = [text.slice(0, 40), text.slice(40, 80)] as const;
  return documentsOf({ text, short, word: text, kind: text, address: text, path: `/${text}` });
}

interface Texts {
  readonly text: string;
  /** Values that fit into a line. */
  readonly short: readonly [before: string, after: string];
  /** In the place of a word of the program, such as a code or a time. */
  readonly word: string;
  readonly kind: string;
  readonly address: string;
  readonly path: string;
}

/** Documents with these texts in each of their parts. */
export function documentsOf({ text, short, word, kind, address, path }: Texts): readonly Document[] {
  const [before, after] = short;
  const at = { file: text, line: 3, column: 1 };
  const problem: Diagnostic = {
    ...{ code: word, severity: 'error', message: text, source: at, excerpt: text, hint: text, address },
    versions: [{ name: text, ours: text, theirs: `${text}!`, old: text }],
  };
  const named = { one: text, two: `!lookup ${text}` };
  const of = { address, kind, key: [text], source: at };
  const item = change({
    ...of,
    action: 'update',
    id: text,
    diff: [
      difference(path, text, `${text}!`),
      difference(`/short${path}`, before, after),
      difference('/body', `${text}\none\ntwo`, `${text}\none\nthree`),
      added('/object', { [text]: [text], pin: 74_185_296 }),
      { ...difference('/owner', 'one', 'two'), named, overlay: at, origin: 'both' },
      { ...difference('/owners', ['one', { id: 'two', name: text }], []), named },
    ],
    requests: [
      {
        method: 'POST',
        path: text,
        query: { [text]: text },
        headers: { [text]: text },
        body: { [text]: text, pin: 74_185_296 },
      },
    ],
    warnings: [text],
    risk: ['lockout', 'sends-mail'],
    impact: { before: 3, after: 9, enter: { count: 7, first: [text] }, leave: { count: 1, first: [text] } },
  });
  const family = ['x', 'y'].map((end) =>
    change({ address: `${address}/${end}`, action: 'update', diff: item.diff.slice(1, 2), risk: item.risk }),
  );
  const unknown = change({ address: 'A/b', action: 'create', impact: { notRun: text } });
  const tenant = { identity: text, profiles: text };
  const limits = { only: [text], except: [text] };
  const hostilePlan = plan([item, ...family, unknown], {
    ...{ environment: text, tenant, digest: word, createdAt: word, tool: { name: word, version: word } },
    scope: { ...limits, prune: true, since: text },
    summary: { create: 1, update: 3, delete: 0, manual: 0, unchanged: 0, undeclared: 1 },
    diagnostics: [problem, { ...problem, severity: 'warning' }],
    undoes: { startedAt: word, planDigest: word },
    undeclared: [address],
  });
  const sent = { method: 'POST', path: text, status: 400, trackingId: text, attempts: 1, ms: 1 } as const;
  const fate = outcome({
    ...{ address, outcome: 'failed', before: { [text]: text }, requests: [sent] },
    ...{ error: text, warnings: [text] },
  });
  const hostileResult = result([fate, { ...fate, outcome: 'done' }], {
    ...{ environment: text, tenant, planDigest: word, startedAt: word, endedAt: word },
    diagnostics: [problem],
  });
  const member = (name: string): FleetMember => ({ name: `${text}${name}`, plan: hostilePlan, error: null });
  const broken: FleetMember = { name: text, plan: null, error: { exitCode: 1, diagnostics: [problem] } };
  const fleet = fleetOf([...['a', 'b', 'c', 'd', 'e', 'f'].map(member), broken]);
  // Two tenants, each with objects and values of the other's making.
  const side = { name: text, is: 'tenant', tenant } as const;
  const object = { ...of, in: 'both', diff: item.diff } as const;
  const diff: Diff = {
    formatVersion: 1,
    tool: { name: word, version: word },
    createdAt: word,
    sides: [side, { ...side, name: `${text}2` }],
    scope: { ...limits, kinds: [kind] },
    summary: { differing: 1, onlyFirst: 1, onlySecond: 0, equal: 0, notComparable: 1 },
    objects: [object, { ...object, address: `${address}3`, in: 'first', diff: [] }],
    notComparable: [{ address, paths: [path] }],
    diagnostics: [{ ...problem, severity: 'warning' }],
  };
  return [
    { is: 'plan', plan: hostilePlan },
    { is: 'result', result: hostileResult },
    { is: 'fleet', fleet },
    { is: 'fleet', fleet: fleetOf([{ ...member('a'), result: hostileResult }, broken]) },
    { is: 'diff', diff },
    { is: 'diagnostics', diagnostics: [problem] },
  ];
}

/** What a CI system would carry out if it stood in the output of a job, apart from GitHub's own annotations. */
export const commandsIn = (output: string): string[] =>
  output
    .split(/[\r\n]/)
    .filter((line) => line.trimStart().startsWith('::') || /##\w*\[|section_(start|end):/i.test(line));
