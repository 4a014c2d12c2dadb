import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import { checkKind } from '../engine/check-kind.ts';
import type { ProposedPlaces } from '../engine/stray-ids.ts';
import { applyEdits } from '../exporter/edit/apply-edits.ts';
import { validators } from '../generated/validators.js';
import { kindFrom } from '../kinds/described-kind.ts';
import { descriptorFrom, proofOf } from '../kinds/descriptor.ts';
import { builtInKinds } from '../kinds/index.ts';
import { isObserved, type Kind } from '../kinds/kind.ts';
import { unknownKind } from '../kinds/project.ts';
import { repositoryOf } from '../loader/git.ts';
import { openProjects } from '../loader/index.ts';
import { holdersIn } from '../loader/kind-files.ts';
import { requireInside } from '../loader/paths.ts';
import type { Printable } from '../loader/print.ts';
import { diskSource } from '../loader/source.ts';
import { ExitCode, fail, hasErrors, unreadableFile } from '../model/failure.ts';
import { getText, isObject, type Json, type JsonObject } from '../model/json.ts';
import { pointer, valueAt } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';
import { findPlace } from '../openapi/collection.ts';
import { OpenApi } from '../openapi/document.ts';
import { draftAll, draftKind } from '../openapi/draft.ts';
import { oneLine } from '../report/safe.ts';
import { type ArgsOf, commonOptions, describeCommand, option } from './command.ts';
import { changeFiles, readIfThere, writeTextFile } from './files.ts';
import type { Io } from './io.ts';
import { printReport, reportOf } from './output.ts';
import { packageFile } from './package-file.ts';
import { withTenant } from './progress.ts';
import { projectFileOf, projectOptions } from './project.ts';

const options = {
  ...commonOptions,
  action: { ...option.argument('What to do'), choices: ['draft', 'add', 'check'], demandOption: true },
  subject: option.argument('For draft: the OpenAPI document, as JSON or YAML. For add and check: the kind'),
  path: option.argument('For draft: the path of the collection'),
  out: option.text('For draft: the file to write, such as kinds/Role.kind.yaml. Default: print it'),
  all: option.text('For draft: draft every collection, into this folder'),
  write: option.flag(
    'For check: if the descriptor holds, mark it as proven in its file, and add policies of ids',
  ),
  format: { ...option.format(['text', 'json']), describe: 'For check: output format' },
} as const;

type Args = ArgsOf<typeof options>;
type Subject = Args & { readonly subject: string };

export const command = describeCommand({
  usage:
    '$0 kind add [KIND] | kind draft OPENAPI PATH | kind check KIND [options]\n\nHelps to describe a kind of your own. `add` copies a descriptor from the library of the package; without a kind, it lists what the library has. `draft` writes a first descriptor from the OpenAPI description of a collection, or of all. `check` reads the tenant to show whether the descriptor holds: a plan of an export must be empty.',
  options,
  examples: {
    '$0 kind add': 'List the descriptors that are ready to copy',
    '$0 kind add Role': 'Copy one into the project',
    '$0 kind draft openapi.yaml /v2025/roles': 'Print a first descriptor',
    '$0 kind draft openapi.yaml /v2025/roles --out kinds/Role.kind.yaml': 'Write it into the project',
    '$0 kind draft openapi.yaml --all kinds': 'Write one for each collection',
    '$0 kind check Role -e sandbox': 'Show whether the descriptor holds',
    '$0 kind check Role -e sandbox --write': 'Mark it as proven, too',
  },
}).run(async (args, io) => {
  const { action, subject, path, out, all, write } = args;
  const given = { out: out !== undefined, all: all !== undefined, write, format: args.format !== 'text' };
  const stray = Object.entries(given).find(([name, isGiven]) => isGiven && !optionsOf[action].includes(name));
  if (stray)
    throw fail('usage', `kind ${action} takes no --${stray[0]}.`, {
      hint: '`tenantctl kind --help` lists the options.',
    });
  if (path !== undefined && action !== 'draft') throw fail('usage', `Unknown argument: ${path}.`);
  if (action === 'add') return add(args, io);
  if (subject === undefined)
    throw fail('usage', `kind ${action} needs ${action === 'draft' ? 'an OpenAPI document' : 'a kind'}.`);
  return action === 'draft' ? draft({ ...args, subject }, io) : check({ ...args, subject }, io);
});

const optionsOf: Readonly<Record<Args['action'], readonly string[]>> = {
  draft: ['out', 'all'],
  add: [],
  check: ['write', 'format'],
};

const library = 'examples/kinds/library';

export function libraryKinds(): string[] {
  return readdirSync(packageFile(library))
    .flatMap((name) => /^(.+)\.kind\.yaml$/.exec(name)?.[1] ?? [])
    .sort();
}

/** Copies a descriptor of the library into a project, or lists what there is. Throws a Failure if the file exists. */
function add({ subject, config }: Args, io: Io): ExitCode {
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
  const file = join('kinds', `${subject}.kind.yaml`);
  if (existsSync(join(root, file)))
    throw fail('file-exists', `${file} already exists. Nothing was written.`, {
      hint: 'Remove it first, or compare it with the one in the package.',
    });
  requireInside(root, file);
  writeTextFile(join(root, file), readKind(subject), io);
  io.stdout.write(`Written: ${file}. Show that it holds: \`tenantctl kind check ${subject}\`.\n`);
  return ExitCode.done;
}

const readKind = (kind: string) => readFileSync(packageFile(`${library}/${kind}.kind.yaml`), 'utf8');

/**
 * Checks a kind of the project against the tenant, which is only read. With `--write`, a descriptor that holds is marked as
 * proven. Throws a Failure if the check cannot be made.
 */
async function check(args: Subject, io: Io, isAgain = false): Promise<ExitCode> {
  const options = projectOptions(args, io);
  const projects = openProjects(options);
  const { root, ...project } = projects.environment(options.environment);
  const { name: environment, kinds } = project.environment;
  const kind = kinds.find(args.subject);
  if (!kind) {
    const { code, message, hint } = unknownKind(args.subject, kinds);
    throw fail(code, message, { hint });
  }
  const file = `kinds/${kind.name}.kind.yaml`;
  const descriptor = readIfThere(join(root, file), file);
  if (descriptor === null)
    throw fail('kind-built-in', `${kind.name} is built in: there is no ${file} to check.`, {
      hint: 'Check the kinds that the project describes in `kinds/`.',
    });
  const { objects, exported, proposed, diagnostics } = await withTenant(project, io, (tenant) =>
    checkKind(tenant, kind, (manifests) => projects.loadFolder(manifests, environment)),
  );
  // Each line is something to do.
  const report = reportOf({ is: 'diagnostics', diagnostics }, io);
  const isShown = args.format === 'json' || diagnostics.length > 0;
  if (isShown) await printReport(report, args.format, { ...io, verbose: true });
  if (hasErrors(diagnostics)) return ExitCode.couldNotRun;
  const settled = Object.keys(proposed);
  const write = (content: string) => {
    requireInside(root, file);
    return changeFiles([{ path: join(root, file), content }], [], io);
  };
  if (args.write && settled.length > 0 && !isAgain) {
    await write(withPlaces(descriptor, proposed, file));
    io.stderr.write(`Added to \`places\` in ${file}: ${settled.map(oneLine).join(', ')}\n`);
    return check(args, io, true);
  }
  const output = args.format === 'text' ? io.stdout : io.stderr;
  const all = objects === 1 ? 'its only object' : `its ${objects} objects`;
  const which = exported < objects ? `${exported} of ${all}` : all;
  output.write(`${kind.name} holds in ${environment}: a plan of the export of ${which} is empty.\n`);
  if (kind.quirks?.notice === undefined) return ExitCode.done;
  if (!args.write) {
    output.write('It is still unproven. Add --write to mark it as proven.\n');
    return ExitCode.done;
  }
  await write(edit(descriptor, file, (document) => [[['proven'], proofOf(kind.name, document).digest]]));
  output.write(`Marked as proven in ${file}. Commit the file.\n`);
  return ExitCode.done;
}

function withPlaces(text: string, proposed: ProposedPlaces, file: string): string {
  const policies = Object.entries(proposed).map(([path, { is, names, by, to }]): [string, Printable] => {
    const target = typeof to === 'string' ? to : { members: Object.entries(to) };
    const more = Object.entries({ ...(names && { names }), ...(by && { by }) });
    return [path, { members: [['is', is], ...more, ['to', target]] }];
  });
  return edit(text, file, (document) =>
    Object.hasOwn(document, 'places')
      ? policies.map(([path, policy]) => [['places', path], policy])
      : [[['places'], { members: policies }]],
  );
}

/** Sets members of a descriptor in its text. Throws a Failure if it cannot be edited. */
function edit(
  text: string,
  file: string,
  membersOf: (document: JsonObject) => readonly (readonly [path: readonly string[], value: Printable])[],
): string {
  // It has just been loaded, so it is valid.
  const document: Json = parse(text);
  const members = isObject(document) ? membersOf(document) : [];
  const edits = members.map(([path, value]) => {
    const isThere = valueAt(document, pointer(...path)) !== undefined;
    return { op: isThere ? 'set' : 'insert', path, value } as const;
  });
  const edited = applyEdits(text, edits);
  if (edited !== null) return edited;
  throw fail('kind-not-written', `${file} cannot be edited.`, {
    hint: 'Write it in block style, a member on each line.',
  });
}

/** The descriptions of whole products have several MB. */
const largestDocument = 64 * 1024 * 1024;

/** Drafts descriptors from an OpenAPI document. Throws a Failure if it cannot, or if the file to write exists. */
function draft({ subject, path, out, all }: Subject, io: Io): ExitCode {
  if ((path === undefined) === (all === undefined) || (all !== undefined && out !== undefined))
    throw fail('usage', 'kind draft needs the path of a collection, such as /v2025/roles, or --all FOLDER.', {
      hint: 'Usage: tenantctl kind draft OPENAPI PATH [--out FILE], or tenantctl kind draft OPENAPI --all FOLDER',
    });
  const [, kind = null] = /^([A-Z][A-Za-z0-9]{0,63})\.kind\.yaml$/.exec(basename(out ?? '')) ?? [];
  if (out !== undefined && kind === null)
    throw fail('kind-name', `"${out}" is not the name of a descriptor.`, {
      hint: 'The file is named after its kind: kinds/Role.kind.yaml.',
    });
  if (out !== undefined && existsSync(resolve(io.cwd, out)))
    throw fail('file-exists', `${out} already exists. Nothing was written.`, {
      hint: 'Remove it first, or leave --out out to compare the draft with it.',
    });
  const api = openDocument(subject, io);
  if (path === undefined) return draftWhole(api, all ?? '', io);
  const { text } = draftKind(api, findPlace(api, path), kind);
  if (out === undefined) io.stdout.write(text);
  else writeDraft(out, text, io);
  return ExitCode.done;
}

function writeDraft(file: string, text: string, io: Io): void {
  writeTextFile(file, text, io);
  const checks = text.match(/(?<=# (.*; )?)check: /g)?.length ?? 0;
  io.stdout.write(`Written: ${file}, ${checks === 0 ? 'nothing' : checks} to check.\n`);
}

/** Drafts every collection of a document into a folder. Skips existing files and collections that a project cannot describe. */
function draftWhole(api: OpenApi, folder: string, io: Io): ExitCode {
  const observed = builtInKinds.all.filter(isObserved).map(({ name }) => name);
  const { drafts, leftOut } = draftAll(api, observed);
  if (drafts.length === 0)
    throw fail('openapi-path', `${basename(api.root.file)} describes no collection.`, {
      hint: 'A collection has a GET that returns a list, and a POST or objects below its path.',
    });
  for (const { kind, path, text } of drafts) {
    const file = join(folder, `${kind}.kind.yaml`);
    const holder = collectionHolder(text);
    if (holder) leftOut.push(`${path}: the built-in kind ${holder.name} has it`);
    else if (existsSync(resolve(io.cwd, file))) leftOut.push(`${path}: ${file} already exists`);
    else writeDraft(file, text, io);
  }
  if (leftOut.length > 0)
    io.stderr.write(`Left out:\n${leftOut.map((line) => `- ${oneLine(line)}\n`).join('')}`);
  return ExitCode.done;
}

/** The built-in kind whose collection a descriptor would take; `undefined` if it takes none. */
function collectionHolder(text: string): Kind | undefined {
  const value: Json = parse(text);
  if (!validators.kind(value)) throw new TypeError(`A draft is not valid:\n${text}`);
  const kind = kindFrom(descriptorFrom(value));
  const builtIn = builtInKinds.find(kind.name);
  return builtIn && !isObserved(builtIn) ? builtIn : holdersIn(builtInKinds)(kind);
}

/** Opens an OpenAPI document. Its references may lead anywhere in its repository; without one, anywhere in its folder. */
function openDocument(named: string, io: Io): OpenApi {
  let file: string;
  try {
    file = realpathSync.native(resolve(io.cwd, named));
  } catch (error) {
    throw unreadableFile(named, error, 'Name a file on this machine: nothing is downloaded.');
  }
  const root = repositoryOf(dirname(file))?.top ?? dirname(file);
  return new OpenApi(diskSource(root, largestDocument), relative(root, file).split(sep).join('/'));
}
