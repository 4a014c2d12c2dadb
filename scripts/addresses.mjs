// Where the project lives, as package.json says. `node scripts/addresses.mjs [package.json]` refuses a placeholder: npm runs it before
// it publishes the package, and not before it packs a file of it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The host of the addresses that a fork has not filled in yet. No host can have this name. */
const placeholder = 'example.invalid';

/** The address for reports of bugs; `null` for the placeholder. */
export const bugsOf = ({ bugs }) => (isReal(bugs?.url) ? bugs.url : null);

const isReal = (url) => typeof url === 'string' && !url.includes(placeholder);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv[2] ?? fileURLToPath(new URL('../package.json', import.meta.url));
  const { repository, bugs } = JSON.parse(readFileSync(file, 'utf8'));
  const missing = Object.entries({ repository, bugs }).filter(([, value]) => !isReal(value?.url));
  if (missing.length > 0) {
    const names = missing.map(([name]) => `\`${name}.url\``).join(' and ');
    console.error(`Not published: package.json has no address of yours in ${names}.`);
    console.error('Put in those of your repository and of its issues. `npm pack` works without them.');
    process.exitCode = 1;
  }
}
