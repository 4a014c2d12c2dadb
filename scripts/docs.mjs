// Brings the documents up to date with the program: tables from schemas and kinds, commands from --help, outputs of
// the tutorials. `node scripts/docs.mjs [FILE…]`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { built, requireProgram } from './docs/built.mjs';
import { documents } from './docs/documents.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const named = process.argv.slice(2);
const updated = [];
for (const file of named.length > 0 ? named : Object.keys(documents)) {
  const make = documents[file];
  if (!make) throw new Error(`${file} is not generated; these are: ${Object.keys(documents).join(', ')}`);
  const before = readFileSync(`${root}${file}`, 'utf8');
  requireProgram();
  const after = await make(before, built);
  requireProgram();
  if (after === before) continue;
  updated.push(file);
  writeFileSync(`${root}${file}`, after);
}
console.log(updated.length > 0 ? `Updated: ${updated.join(', ')}` : 'Everything is up to date.');
