// How each generated document is made. A script and the tests use it, with the built program or with the sources.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandsPage } from './commands.mjs';
import { outputsAfter, shownIn, withFleet, withHost, withOutputs } from './console.mjs';
import * as tables from './tables.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Makes each document from what it is now, with the program that its commands run. */
export const documents = {
  'README.md': withOutputs,
  'docs/adding-a-kind.md': fillTables({ kind: tables.kindFile }),
  'docs/ci.md': fillTables({ action: tables.action }),
  'docs/commands.md': (_text, program) => commandsPage(program.help),
  'docs/environments.md': fillTables({ settings: tables.settings, lint: tables.lint }),
  'docs/exit-codes.md': fillTables({ plan: tables.plan, result: tables.result }),
  'docs/kinds.md': async (text, program) =>
    withOutputs(await fillTables({ descriptor: tables.descriptor })(text), program),
  'docs/manifests.md': fillTables({ kinds: tables.kinds }),
  'docs/first-tenant.md': withHost,
  'docs/fleet-tutorial.md': withFleet,
  'docs/fleet.md': fillTables({
    diff: () =>
      shownIn(
        readFileSync(`${root}docs/fleet-tutorial.md`, 'utf8'),
        'npx --no-install tenantctl diff eu-1 us-1',
      ),
  }),
  'docs/promotion.md': withOutputs,
  // People follow one after the other, in one clone.
  'docs/tutorial.md': outputsAfter(() => readFileSync(`${root}README.md`, 'utf8')),
};

/** Fills the parts between `<!-- generated: NAME -->` and `<!-- end -->`. */
function fillTables(parts) {
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
