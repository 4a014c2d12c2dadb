import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/model/failure.ts';
import type { Format } from '../../src/report/report.ts';
import {
  change,
  diagnostics,
  difference,
  fleet,
  guard,
  outcome,
  plan,
  render,
  result,
  samplePlan,
  sampleResult,
  senderDelete,
  update,
} from './fixtures.ts';

const ofPlan = (format: Format, value = samplePlan): string => render(value, format);
const ofResult = (format: Format): string => render(sampleResult, format);
const ofProblems = (format: Format): string => render(diagnostics, format);

describe('JSON', () => {
  it('is the plan and the result themselves', () => {
    expect(JSON.parse(ofPlan('json'))).toEqual(samplePlan);
    expect(JSON.parse(ofResult('json'))).toEqual(sampleResult);
  });

  it('counts problems by severity', () =>
    expect(JSON.parse(ofProblems('json'))).toEqual({
      formatVersion: 1,
      diagnostics,
      summary: { error: 1, warning: 0, info: 1 },
    }));
});

describe('GitLab', () =>
  it('gets the counts of its Terraform report', () =>
    expect(ofPlan('gitlab')).toBe('{"create":2,"update":2,"delete":1}\n')));

describe('GitHub annotations', () => {
  it('point at file, line and column', () =>
    expect(ofProblems('github')).toBe(
      '::error file=config/a.yaml,line=3,col=1,title=unknown-field%3A NotificationTemplate/a/EMAIL/en::Unknown field `subjct`.%0Ahint: Did you mean `subject`?\n' +
        '::notice title=deprecated-kind::SimIntegration is deprecated by the vendor.\n',
    ));

  it('count the changes of a plan', () =>
    expect(ofPlan('github')).toMatch(
      /^::notice title=tenantctl plan%3A production::Plan: 2 to create, 2 to update, 1 to delete, 1 by hand, 137 unchanged\.$/m,
    ));

  it('warn of risks, and tell what failed', () => {
    expect(ofPlan('github')).toContain(
      '::warning file=config/all.yaml,line=12,title=LOCK-OUT%3A AuthProfile/Employees::',
    );
    expect(ofResult('github')).toContain(
      '::error title=failed%3A AuthProfile/Employees::400 Bad request: offNetwork is not allowed here.%0APATCH',
    );
  });
});

it('names files from the top of the repository, where CI systems look for them', () => {
  const show = (shown: Parameters<typeof render>[0], format: 'github' | 'sarif') =>
    render(shown, format, { folder: 'iam/' });
  expect(show(samplePlan, 'github')).toContain('::warning file=iam/config/all.yaml,line=12,');
  expect(show(diagnostics, 'github')).toContain('::error file=iam/config/a.yaml,line=3,');
  expect(show(diagnostics, 'sarif')).toContain('"uri": "iam/config/a.yaml"');
});

it('annotates what a plan warns of, and what the tenant did not do as asked', () => {
  const update = change({ address: 'A/b%40c', action: 'update', warnings: ['The tenant may refuse it.'] });
  const remark = { code: 'odd', severity: 'warning', message: 'It is odd.' } as const;
  const warned = ofPlan('github', plan([update], { diagnostics: [remark] }));
  expect(warned).toContain(
    '::warning file=config/all.yaml,line=12,title=to update%3A A/b@c::The tenant may refuse it.\n',
  );
  expect(warned).toContain('::warning title=odd::It is odd.\n');
  const failed = outcome({ address: 'A/b', outcome: 'failed', error: 'Refused.', warnings: ['It is slow.'] });
  expect(render(result([failed, outcome({ address: 'A/c', outcome: 'unknown' })]), 'github')).toMatch(
    /^::error title=failed%3A A\/b::Refused\.\n::warning title=failed%3A A\/b::It is slow\.\n::error title=unknown%3A A\/c::unknown\n/,
  );
  const done = outcome({ address: 'A/b', outcome: 'done', warnings: ['The tenant ignored /x.'] });
  expect(render(result([done]), 'github')).toContain('::warning title=done%3A A/b::The tenant ignored /x.\n');
  expect(ofResult('github')).toContain(
    '::warning title=by hand%3A NotificationPreference/approvals::Set the mediums by hand.\n',
  );
});

/** A problem in a place whose parts all differ, in a file whose name has every sign that ends a property. */
const odd: Diagnostic = {
  code: 'unknown-field',
  severity: 'warning',
  message: 'a, b: c\r\n100%\x07',
  source: { file: 'config/a, b: c%.yaml', line: 12, column: 34 },
  address: 'SenderAddress/a%40b',
};
const renderOdd = (format: Format) => render([odd], format);

describe('signs that end a part of an annotation', () =>
  it('are escaped: comma and colon in properties only, percent and line ends everywhere', () =>
    expect(renderOdd('github')).toBe(
      '::warning file=config/a%2C b%3A c%25.yaml,line=12,col=34,title=unknown-field%3A SenderAddress/a@b::a, b: c%0A100%25␇\n',
    )));

describe('SARIF', () => {
  it('has line and column of the place, in UTF-16 units as the loader counts', () => {
    const [run] = JSON.parse(renderOdd('sarif')).runs;
    expect(run.columnKind).toBe('utf16CodeUnits');
    expect(run.results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'config/a%2C%20b%3A%20c%25.yaml' },
      region: { startLine: 12, startColumn: 34 },
    });
  });

  it('has a rule a code and a region a problem', () => {
    const [run] = JSON.parse(render([...diagnostics, ...diagnostics], 'sarif')).runs;
    expect(run.tool.driver.rules).toEqual([
      { id: 'deprecated-kind', name: 'DeprecatedKind' },
      { id: 'unknown-field', name: 'UnknownField' },
    ]);
    expect(run.results[0]).toMatchObject({
      ruleId: 'unknown-field',
      ruleIndex: 1,
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'config/a.yaml' },
            region: { startLine: 3, startColumn: 1 },
          },
        },
      ],
    });
    expect(run.results[1]).toMatchObject({ level: 'note', ruleIndex: 0 });
    expect(run.results[1]).not.toHaveProperty('locations');
  });

  it('has the object of a problem that is in no file', () => {
    const [run] = JSON.parse(render([{ ...guard, address: 'A/b\x07' }], 'sarif')).runs;
    expect(run.results[0].locations).toEqual([{ logicalLocations: [{ fullyQualifiedName: 'A/b␇' }] }]);
  });

  it.each([
    ['Write `where: { name: x }`, not {0}', 'Write `where: {{ name: x }}`, not {{0}}'],
    ['see [here](https://x.example)', 'see \\[here\\](https://x.example)'],
    ['see \\[here\\](1)', 'see \\\\\\[here\\\\\\](1)'],
    ['rules[0] and C:\\x', 'rules[0] and C:\\x'],
  ])('makes neither a placeholder nor a link of %j', (message, expected) => {
    const problem: Diagnostic = { code: 'lint', severity: 'error', message, hint: message };
    const text = render([problem], 'sarif');
    expect(JSON.parse(text).runs[0].results[0].message.text).toBe(`${expected}\n${expected}`);
  });
});

describe('JUnit', () => {
  it('fails what differs, and a guard that refused', () => {
    const text = ofPlan('junit', plan([senderDelete], { diagnostics: [guard] }));
    expect(text).toContain(
      '<testsuites name="tenantctl plan production" tests="3" failures="2" errors="0" skipped="0"',
    );
    expect(text).toContain('name="SenderAddress/old@acme.example"');
    expect(text).toContain('<failure message="differs: to delete" type="delete">');
    expect(text).toContain('type="too-many-deletes"');
  });

  it('passes where nothing differs', () =>
    expect(ofPlan('junit', plan([]))).toContain('tests="1" failures="0"'));

  it('has a test for each remark, which passes', () => {
    const remark = { ...guard, severity: 'warning', address: 'A/b&' } as const;
    const text = ofPlan('junit', plan([], { diagnostics: [remark] }));
    expect(text).toContain('<testsuite name="A/b&amp;" tests="1"');
    expect(text).toContain('tests="2" failures="0"');
    expect(text).toContain(`<system-out>warning: ${guard.message}`);
  });

  it('shows all of a long text with --verbose', () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}\n`);
    const long = update('NotificationTemplate/long/EMAIL/en', difference('/body', '', lines.join('')));
    const shown = (verbose: boolean) => render(plan([long]), 'junit', { verbose });
    expect(shown(false)).not.toContain('line 59');
    expect(shown(true)).toContain('line 59');
  });

  it('tells failed, skipped and done apart', () => {
    const text = ofResult('junit');
    expect(text).toContain('tests="6" failures="2" errors="0" skipped="2" time="30.120"');
    expect(text).toContain('<failure message="to update: failed" type="failed">400 Bad request');
    expect(text).toContain('<skipped message="to delete: skipped">');
  });

  it('has a suite for each environment, with what is known of each', () => {
    const [problem = guard] = diagnostics;
    const moved = update('A/b&', difference('/name', '<a>', 'b'));
    const plans = fleet(['eu', 'us', 'x'], (name) => (name === 'x' ? problem : name === 'eu' ? [moved] : []));
    expect(render(plans, 'junit')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="tenantctl environments" tests="4" failures="2" errors="0" skipped="0" time="0.000">
  <testsuite name="eu" tests="2" failures="1" errors="0" skipped="0" time="0.000">
    <testcase classname="eu" name="A: A/b&amp;" file="config/all.yaml" time="0.000"><failure message="differs: to update" type="update">  ~ A/b&amp;  config/all.yaml:12
      ~ name  &quot;&lt;a&gt;&quot; → &quot;b&quot;
</failure></testcase>
    <testcase classname="eu" name="tenant: 137 objects unchanged" time="0.000"></testcase>
  </testsuite>
  <testsuite name="us" tests="1" failures="0" errors="0" skipped="0" time="0.000">
    <testcase classname="us" name="tenant: 137 objects unchanged" time="0.000"><system-out>No changes. The tenant matches the manifests.</system-out></testcase>
  </testsuite>
  <testsuite name="x" tests="1" failures="1" errors="0" skipped="0" time="0.000">
    <testcase classname="x" name="config/a.yaml: unknown-field config/a.yaml:3:1" file="config/a.yaml" time="0.000"><failure message="Unknown field \`subjct\`." type="unknown-field">Unknown field \`subjct\`.
3 | subjct: Hello
  | ^
Did you mean \`subject\`?</failure></testcase>
  </testsuite>
</testsuites>
`);
  });

  it('fails a run that was stopped before anything failed', () => {
    const changes = sampleResult.changes.filter(({ outcome }) => outcome === 'notAttempted');
    const text = render({ ...sampleResult, outcome: 'interrupted', changes } as const, 'junit');
    expect(text).toContain('tests="2" failures="1" errors="0" skipped="1"');
    expect(text).toContain(
      '<testcase classname="run" name="apply to production" time="0.000"><failure message="Interrupted: 0 done, 0 failed, 0 skipped, 0 not attempted, 0 unknown, 1 by hand." type="apply">',
    );
  });
});
