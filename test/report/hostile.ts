import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { type Diff, type DiffObject, diffFormat } from '../../src/model/diff.ts';
import { type FleetMember, fleetOf } from '../../src/model/fleet.ts';
import type { Document } from '../../src/report/index.ts';
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
  const problem: Diagnostic = {
    code: text,
    severity: 'error',
    message: text,
    source: { file: text, line: 1, column: 1 },
    excerpt: text,
    hint: text,
    address: text,
    versions: [{ name: text, ours: text, theirs: `${text}!` }],
  };
  const named = { one: text, two: `!lookup ${text}` };
  const item = change({
    address: text,
    kind: text,
    key: [text],
    action: 'update',
    source: { file: text, line: 3 },
    id: text,
    diff: [
      difference(`/${text}`, text, `${text}!`),
      difference(`/short${text}`, text.slice(0, 40), text.slice(40, 80)),
      added('/object', { [text]: text }),
      { ...difference('/owner', 'one', 'two'), named, overlay: { file: text, line: 1 }, origin: 'both' },
      { ...difference('/owners', ['one', { id: 'two', name: text }], []), named },
    ],
    requests: [
      {
        method: 'POST',
        path: text,
        query: { [text]: text },
        headers: { [text]: text },
        body: { [text]: text },
      },
    ],
    warnings: [text],
    risk: ['lockout', 'sends-mail'],
    impact: { before: 3, after: 9, enter: { count: 7, first: [text] }, leave: { count: 1, first: [text] } },
  });
  const family = ['x', 'y'].map((end) =>
    change({ address: `${text}/${end}`, action: 'update', diff: item.diff.slice(1, 2), risk: item.risk }),
  );
  const unknown = change({ address: 'A/b', action: 'create', impact: { notRun: text } });
  const scope = { only: [text], except: [text], prune: true, since: text };
  const made = { environment: text, tenant: { identity: text, profiles: text }, digest: text };
  const sent = { method: 'POST', path: text, status: 400, trackingId: text, attempts: 1, ms: 1 } as const;
  const fate = outcome({
    address: text,
    outcome: 'failed',
    before: { [text]: text },
    requests: [sent],
    error: text,
    warnings: [text],
  });
  const hostilePlan = plan([item, ...family, unknown], {
    ...made,
    scope,
    diagnostics: [problem, { ...problem, severity: 'warning' }],
    tool: { name: text, version: text },
    undoes: { startedAt: text, planDigest: text },
    undeclared: [text],
  });
  const hostileResult = result([fate, { ...fate, outcome: 'done' }], {
    ...made,
    planDigest: text,
    startedAt: text,
    endedAt: text,
    diagnostics: [problem],
  });
  const member = (name: string): FleetMember => ({ name: `${text}${name}`, plan: hostilePlan, error: null });
  const broken: FleetMember = { name: text, plan: null, error: { exitCode: 1, diagnostics: [problem] } };
  const fleet = fleetOf([...['a', 'b', 'c', 'd', 'e', 'f'].map(member), broken]);
  return [
    { is: 'plan', plan: hostilePlan },
    { is: 'result', result: hostileResult },
    { is: 'fleet', fleet },
    { is: 'fleet', fleet: fleetOf([{ ...member('a'), result: hostileResult }, broken]) },
    { is: 'diff', diff: hostileDiff(text, item.diff, problem) },
    { is: 'diagnostics', diagnostics: [problem] },
  ];
}

/** Two tenants, each with objects and values of the other's making. */
function hostileDiff(text: string, diff: DiffObject['diff'], problem: Diagnostic): Diff {
  const side = { name: text, is: 'tenant', tenant: { identity: text, profiles: text } } as const;
  const object = {
    address: text,
    kind: text,
    key: [text],
    in: 'both',
    source: { file: text, line: 3 },
    diff,
  } as const;
  return {
    formatVersion: diffFormat,
    tool: { name: text, version: text },
    createdAt: text,
    sides: [side, { ...side, name: `${text}2` }],
    scope: { only: [text], except: [text], kinds: [text] },
    summary: { differing: 1, onlyFirst: 1, onlySecond: 0, equal: 0, notComparable: 1 },
    objects: [object, { ...object, address: `${text}3`, in: 'first', diff: [] }],
    notComparable: [{ address: text, paths: [`/${text}`] }],
    diagnostics: [{ ...problem, severity: 'warning' }],
  };
}

/** What a CI system would carry out if it stood in the output of a job, apart from GitHub's own annotations. */
export function commandsIn(output: string): string[] {
  return output
    .split(/[\r\n]/)
    .filter((line) => line.trimStart().startsWith('::') || /##\w*\[|section_(start|end):/i.test(line));
}
