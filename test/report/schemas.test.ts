import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { guard, lockout, plan, samplePlan, sampleResult } from './fixtures.ts';

function validator(name: string) {
  const schema = JSON.parse(
    readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'),
  );
  return new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    ownProperties: true,
  }).compile(schema);
}

const isPlan = validator('plan');
const isResult = validator('result');

/** A copy with the value at a path of keys replaced; `undefined` takes it away. */
function altered(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(value));
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce((at, key) => at[key], copy);
  if (replacement === undefined) delete parent[last];
  else parent[last] = replacement;
  return copy;
}

describe('the schema of plans', () => {
  it('takes what the planner makes', () => {
    expect(isPlan(samplePlan)).toBe(true);
    expect(isPlan(plan([], { diagnostics: [guard] }))).toBe(true);
    expect(isPlan(JSON.parse(JSON.stringify(plan([lockout]))))).toBe(true);
  });

  it.each([
    [['digest'], 'sha256:short'],
    [['digest'], undefined],
    [['formatVersion'], 1],
    [['extra'], true],
    [['createdAt'], 'yesterday'],
    [['summary', 'create'], -1],
    [['scope', 'since'], undefined],
    [['changes', '0', 'action'], 'replace'],
    [['changes', '0', 'fingerprint'], 'x'],
    [['changes', '0', 'address'], 'no address'],
    [['changes', '0', 'diff', '0', 'path'], 'no/pointer'],
    [['changes', '0', 'diff', '0', 'sensitive'], undefined],
    [['changes', '0', 'requests', '0', 'path'], '//evil.example/x'],
    [['changes', '0', 'requests', '0', 'path'], '/v2025/%2e%2e/x'],
    [['changes', '0', 'requests', '0', 'path'], 'https://evil.example/'],
    [['changes', '0', 'requests', '0', 'headers'], { 'x-a': 'b\r\nx-c: d' }],
    [['changes', '0', 'requests', '0', 'query'], { a: 1 }],
    [['changes', '0', 'source', 'line'], 0],
    [['changes', '0', 'risk'], ['fun']],
  ])('refuses %j as %j', (path, value) => expect(isPlan(altered(samplePlan, path, value))).toBe(false));
});

describe('the schema of results', () => {
  it('takes what the applier makes', () => {
    expect(isResult(sampleResult)).toBe(true);
    expect(isResult({ ...sampleResult, outcome: 'refused', diagnostics: [guard] })).toBe(true);
  });

  it.each([
    [['planDigest'], 'x'],
    [['outcome'], 'fine'],
    [['extra'], 1],
    [['changes', '0', 'before'], []],
    [['changes', '0', 'error'], undefined],
    [['changes', '1', 'requests', '0', 'status'], 42],
    [['changes', '1', 'requests', '0', 'attempts'], 0],
  ])('refuses %j as %j', (path, value) => expect(isResult(altered(sampleResult, path, value))).toBe(false));
});
