import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { TenantState } from '../../src/sandbox/index.ts';
import { loadState } from '../../src/sandbox/state.ts';

const ofExamples = new URL('../../examples/sandbox.seed.yaml', import.meta.url);

/** The tenant of the examples, as JSON: many hundred tests begin with it, and YAML takes long to read. */
export const seedFile = join(mkdtempSync(join(tmpdir(), 'tenantctl-seed-')), 'seed.json');
writeFileSync(seedFile, JSON.stringify(parse(readFileSync(ofExamples, 'utf8'))));

let whole: string | undefined;

/** What a tenant with this seed holds. To check it takes ten times as long as all else that a tenant does at its start. */
export function seededState(): TenantState {
  whole ??= JSON.stringify(loadState(seedFile, null).state);
  return JSON.parse(whole);
}
