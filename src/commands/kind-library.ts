import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { validators } from '../generated/validators.js';
import { targetsIn } from '../kinds/descriptor.ts';
import { builtInKinds } from '../kinds/index.ts';
import { requireInside } from '../loader/paths.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { getText, type Json } from '../model/json.ts';
import { didYouMean } from '../model/words.ts';
import { writeTextFile } from './files.ts';
import type { Io } from './io.ts';
import { packageFile } from './package-file.ts';
import { projectFileOf } from './project.ts';

const library = 'examples/kinds/library';
const fileOf = (kind: string) => `${kind}.kind.yaml`;

/** The kinds that the library has descriptors of. */
export function libraryKinds(): string[] {
  const files = readdirSync(packageFile(library)).filter((name) => name.endsWith(fileOf('')));
  return files.map((name) => name.slice(0, -fileOf('').length)).sort();
}

/** Copies a descriptor of the library into a project, or lists what there is. Throws a Failure where the file exists. */
export async function add(
  { subject, config }: { readonly subject: string | undefined; readonly config: string | undefined },
  io: Io,
): Promise<ExitCode> {
  const kinds = libraryKinds();
  if (subject === undefined) {
    const width = Math.max(...kinds.map(({ length }) => length));
    for (const kind of kinds) {
      const summary = getText(parse(readKind(kind)), 'summary') ?? '';
      io.stdout.write(`${kind.padEnd(width)}  ${summary}\n`);
    }
    return ExitCode.done;
  }
  if (!kinds.includes(subject)) {
    const hint = didYouMean(subject, kinds) ?? '`tenantctl kind add` lists those that it has.';
    throw fail('unknown-kind', `The library has no kind ${subject}.`, { hint });
  }
  const root = dirname(projectFileOf(config, io));
  const hasFile = (kind: string) => existsSync(join(root, 'kinds', fileOf(kind)));
  const file = join('kinds', fileOf(subject));
  if (hasFile(subject))
    throw fail('file-exists', `${file} already exists. Nothing was written.`, {
      hint: 'Remove it first, or compare it with the one in the package.',
    });
  requireInside(root, file);
  await writeTextFile(join(root, file), readKind(subject), io);
  io.stdout.write(`Written: ${file}. Show that it holds: \`tenantctl kind check ${subject}\`.\n`);
  const written: Json = parse(readKind(subject));
  const targets = validators.kind(written)
    ? [...targetsIn(written).map(([, kind]) => kind), ...Object.values(written.parent ?? {})]
    : [];
  const others = targets.filter((kind) => kind !== subject && !hasFile(kind) && !builtInKinds.find(kind));
  if (others.length > 0)
    io.stdout.write(`It refers to ${[...new Set(others)].sort().join(', ')}: add those that you use, too.\n`);
  return ExitCode.done;
}

const readKind = (kind: string) => readFileSync(packageFile(join(library, fileOf(kind))), 'utf8');
