import { append } from './edit/lines.ts';
import { printPlace } from './omission.ts';
import type { NamedSecret } from './secret-names.ts';

/** The file that lists the secrets which manifests need, beside the project file. */
export const envExampleFile = '.env.example';

const header =
  '# The secrets that the manifests name. Set them where tenantctl runs; keep the values out of git.\n';

/**
 * The text of `.env.example` with a line for each secret that it does not list, and where the secret is used. What is
 * there stays as it is.
 *
 * @param existing the present text; `null` where there is no such file
 */
export function addToEnvExample(existing: string | null, secrets: readonly NamedSecret[]): string | null {
  const listed = new Set(
    [...(existing ?? '').matchAll(/^[#\s]*(?:export\s+)?(\w+)\s*=/gm)].map(([, name]) => name),
  );
  const missing = secrets.filter(({ name }) => !listed.has(name));
  const names = [...new Set(missing.map(({ name }) => name))];
  const added = names.map((name) => entryOf(name, missing)).join('');
  if (added === '') return existing;
  return existing === null || existing.trim() === '' ? header + added : append(existing, added);
}

function entryOf(name: string, secrets: readonly NamedSecret[]): string {
  const places = secrets.filter((secret) => secret.name === name);
  const uses = places.map(({ address, at }) => `# ${address}, ${printPlace(at)}\n`);
  return `\n${uses.join('')}${name}=\n`;
}
