// Brings the documents up to date with the program: tables from schemas and kinds, commands from --help, outputs of
// the tutorials. `node scripts/docs.mjs [FILE…]`; with --check it changes nothing and exits 1 where a file is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { commandsPage } from './docs/commands.mjs';
import { outputsAfter, shownIn, withFleet, withHost, withOutputs } from './docs/console.mjs';
import { diffOf } from './docs/lines.mjs';
import * as tables from './docs/tables.mjs';

const root = new URL('..', import.meta.url).pathname;

/** How each document is made from what it is now. */
const documents = {
  'README.md': withOutputs,
  'docs/adding-a-kind.md': filled({ kind: tables.kindFile }),
  'docs/ci.md': filled({ action: tables.action }),
  'docs/commands.md': commandsPage,
  'docs/environments.md': filled({ settings: tables.settings, lint: tables.lint }),
  'docs/exit-codes.md': filled({ plan: tables.plan, result: tables.result }),
  'docs/kinds.md': async (text) => withOutputs(await filled({ descriptor: tables.descriptor })(text)),
  'docs/manifests.md': filled({ kinds: tables.kinds }),
  'docs/first-tenant.md': withHost,
  'docs/fleet-tutorial.md': withFleet,
  'docs/fleet.md': filled({
    diff: () =>
      shownIn(readFileSync(`${root}docs/fleet-tutorial.md`, 'utf8'), 'npx tenantctl diff eu-1 us-1'),
  }),
  'docs/promotion.md': withOutputs,
  // People follow one after the other, in one clone.
  'docs/tutorial.md': outputsAfter(() => readFileSync(`${root}README.md`, 'utf8')),
};

const words = process.argv.slice(2);
const check = words.includes('--check');
const named = words.filter((word) => word !== '--check');
const stale = [];
for (const file of named.length > 0 ? named : Object.keys(documents)) {
  const make = documents[file];
  if (!make) throw new Error(`${file} is not generated; these are: ${Object.keys(documents).join(', ')}`);
  const before = readFileSync(`${root}${file}`, 'utf8');
  const after = await make(before);
  if (after === before) continue;
  stale.push(file);
  if (check) console.error(`${file} is stale; run \`npm run docs\`:\n${diffOf(before, after)}`);
  else writeFileSync(`${root}${file}`, after);
}
if (!check) console.log(stale.length > 0 ? `Updated: ${stale.join(', ')}` : 'Everything is up to date.');
process.exitCode = check && stale.length > 0 ? 1 : 0;

/** Fills the parts between `<!-- generated: NAME -->` and `<!-- end -->`. */
function filled(parts) {
  return async (text) => {
    let rest = text;
    for (const [name, make] of Object.entries(parts)) {
      const place = new RegExp(`(<!-- generated: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
      if (!place.test(rest)) throw new Error(`There is no place for "${name}".`);
      const content = await make();
      rest = rest.replace(place, (_all, start, end) => `${start}\n${content.trim()}\n\n${end}`);
    }
    return rest;
  };
}
