import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const ofExamples = new URL('../../examples/sandbox.seed.yaml', import.meta.url);

/** The tenant of the examples, as JSON: many hundred tests begin with it, and YAML takes long to read. */
export const seedFile = join(mkdtempSync(join(tmpdir(), 'tenantctl-seed-')), 'seed.json');
writeFileSync(seedFile, JSON.stringify(parse(readFileSync(ofExamples, 'utf8'))));
