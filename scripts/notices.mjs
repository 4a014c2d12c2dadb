// The licences of the packages in a bundle, as their terms require.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {readonly string[]} files the files in the bundle
 * @returns {string} a text that names each package with its licence. Throws for a package without a licence file.
 */
export function noticesOf(files) {
  const folders = new Set(files.flatMap((path) => packageOf(path) ?? []));
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const licences = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    if (licences.length === 0) throw new Error(`${name} has no licence file.`);
    const texts = licences.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
  });
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `The bundled program contains code of these packages.\n${line}${notices.join(line)}`;
}

/** The folder of the package that a file belongs to; `null` for a file of this project. */
function packageOf(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;
}
