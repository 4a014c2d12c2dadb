import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Argv } from 'yargs';
import { checkKind } from '../engine/check-kind.ts';
import { applyEdits } from '../exporter/edit/apply-edits.ts';
import { unknownKind } from '../kinds/address-glob.ts';
import type { Kinds } from '../kinds/catalog.ts';
import { descriptorDigest, proofMember } from '../kinds/descriptor.ts';
import type { Kind } from '../kinds/kind.ts';
import { openProjects } from '../loader/index.ts';
import { requireInside } from '../loader/own-folder.ts';
import { diskSource } from '../loader/source.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { ExitCode, type Failure, failure } from '../model/failure.ts';
import { isObject, type Json } from '../model/json.ts';
import { unreadableFile } from '../model/system-error.ts';
import { draftKind } from '../openapi/draft.ts';
import { oneLine } from '../report/safe.ts';
import { type ArgsOf, commonOptions, defineCommand, examples, flag, format, text } from './command.ts';
import { readIfThere, writeText } from './files.ts';
import { confirm, type Io, isInteractive } from './io.ts';
import { printDocument } from './output.ts';
import { withTenant } from './progress.ts';
import { projectOptions } from './project.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 kind draft OPENAPI PATH | kind check KIND [options]\n\nHelps to describe a kind of your own. `draft` writes a first descriptor from the OpenAPI description of a collection. `check` reads the tenant to show whether the descriptor holds: a plan of an export has to be empty.',
    )
    .positional('action', { choices: ['draft', 'check'] as const, describe: 'What to do' })
    .positional('subject', {
      type: 'string',
      describe: 'For draft: the OpenAPI document, as JSON or YAML. For check: the kind',
    })
    .positional('path', { type: 'string', describe: 'For draft: the path of the collection' })
    .demandOption(['action', 'subject'])
    .option('out', text('For draft: the file to write, such as kinds/Role.kind.yaml. Default: print it'))
    .option('write', flag('For check: mark a descriptor that holds as proven, in its file'))
    .option('format', { ...format(['text', 'json']), describe: 'For check: output format' })
    .example(
      examples({
        '$0 kind draft openapi.yaml /v2025/roles': 'Print a first descriptor',
        '$0 kind draft openapi.yaml /v2025/roles --out kinds/Role.kind.yaml': 'Write it into the project',
        '$0 kind check Role -e sandbox': 'Show whether the descriptor holds',
        '$0 kind check Role -e sandbox --write': 'Mark it as proven, too',
      }),
    );
}

type Args = ArgsOf<typeof build>;

export const command = defineCommand(build, async (args, io) => {
  switch (args.action) {
    case 'draft':
      refuseOthers(args.action, { write: args.write, format: args.format !== 'text' });
      return draft(args, io);
    case 'check':
      refuseOthers(args.action, { out: args.out !== undefined });
      if (args.path !== undefined) throw failure('usage', `Unknown argument: ${args.path}`);
      return check(args, io);
  }
});

/** Throws a Failure for options of the other action, which would have no effect. */
function refuseOthers(action: string, given: Readonly<Record<string, boolean>>): void {
  const name = Object.keys(given).find((option) => given[option]);
  if (name === undefined) return;
  throw failure('usage', `kind ${action} takes no --${name}.`, {
    hint: '`tenantctl kind --help` lists the options.',
  });
}

/** The descriptions of whole products have several MB. */
const largestDocument = 64 * 1024 * 1024;

/** Drafts a descriptor from an OpenAPI document. Throws a Failure where it cannot, or where the file to write exists. */
async function draft(args: Args, io: Io): Promise<ExitCode> {
  const { subject, path, out } = args;
  if (path === undefined)
    throw failure('usage', 'kind draft needs the path of a collection, such as /v2025/roles.', {
      hint: 'Usage: tenantctl kind draft OPENAPI PATH',
    });
  const named = out === undefined ? null : kindIn(out);
  if (out !== undefined && existsSync(resolve(io.cwd, out)))
    throw failure('file-exists', `${out} already exists. Nothing was written.`, {
      hint: 'Remove it first, or leave --out out to compare the draft with it.',
    });
  const file = realPathOf(subject, io);
  const source = diskSource(dirname(file), largestDocument);
  const { text, missed } = draftKind({ source, file: basename(file), path, kind: named });
  if (missed.length > 0 && !args.quiet) {
    const lines = missed.map((sentence) => `- ${oneLine(sentence)}\n`);
    io.stderr.write(`${oneLine(basename(file))} does not say everything:\n${lines.join('')}`);
  }
  if (out === undefined) io.stdout.write(text);
  else await writeText(out, text, io);
  return ExitCode.done;
}

/** The kind that a file describes. Throws a Failure for a file that would not be read as a descriptor. */
function kindIn(out: string): string {
  const [, name] = /^([A-Z][A-Za-z0-9]{0,63})\.kind\.yaml$/.exec(basename(out)) ?? [];
  if (name !== undefined) return name;
  throw failure('kind-name', `"${out}" is not the name of a descriptor.`, {
    hint: 'The file is named after its kind: kinds/Role.kind.yaml.',
  });
}

function realPathOf(named: string, io: Io): string {
  try {
    return realpathSync.native(resolve(io.cwd, named));
  } catch (error) {
    throw unreadableFile(named, error, 'Name a file on this machine: nothing is downloaded.');
  }
}

/**
 * Checks a kind of the project against the tenant, which is only read. A descriptor that holds is marked as proven with
 * `--write`, or when a person at a terminal says so. Throws a Failure where the check cannot be made.
 */
async function check(args: Args, io: Io): Promise<ExitCode> {
  const options = projectOptions(args, io);
  const projects = openProjects(options);
  const project = projects.environment(options.environment);
  const kind = describedKind(args.subject, project.environment.kinds);
  const file = descriptorFile(kind, project.root);
  const environment = project.environment.name;
  const { objects, exported, diagnostics } = await withTenant(project, args, io, (tenant) =>
    checkKind(tenant, kind, (manifests) => projects.loadFolder(manifests, environment)),
  );
  // Each line is something to do.
  const isShown = args.format === 'json' || diagnostics.length > 0;
  if (isShown) printDocument({ is: 'diagnostics', diagnostics }, { ...args, verbose: true }, io);
  if (hasErrors(diagnostics)) return ExitCode.couldNotRun;
  const say = (text: string) => (args.format === 'text' ? io.stdout : io.stderr).write(`${text}\n`);
  const all = objects === 1 ? 'its only object' : `its ${objects} objects`;
  const which = exported < objects ? `${exported} of ${all}` : all;
  say(`${kind.name} holds in ${environment}: a plan of the export of ${which} is empty.`);
  if (kind.notice === undefined) return ExitCode.done;
  const isWanted =
    args.write || (isInteractive(io) && (await confirm(`mark it as proven in ${file.shown}`, io)));
  if (!isWanted) {
    say('It is still unproven. Add --write to mark it as proven.');
    return ExitCode.done;
  }
  requireInside(project.root, file.shown);
  await writeText(file.path, withProof(file), io);
  say(`Marked as proven in ${file.shown}. Commit the file.`);
  return ExitCode.done;
}

/** Throws a Failure for a name that is not a kind. */
function describedKind(name: string, kinds: Kinds): Kind {
  const kind = kinds.find(name);
  if (kind) return kind;
  const { code, message, hint } = unknownKind(name, kinds);
  throw failure(code, `${message}.`, { hint });
}

interface DescriptorFile {
  /** Absolute. */
  readonly path: string;
  readonly shown: string;
  readonly text: string;
}

/** The file that describes a kind. Throws a Failure for a kind that is built in. */
function descriptorFile({ name }: Kind, root: string): DescriptorFile {
  const shown = `kinds/${name}.kind.yaml`;
  const path = join(root, shown);
  const text = readIfThere(path, shown);
  if (text === null)
    throw failure('kind-built-in', `${name} is built in: there is no ${shown} to check.`, {
      hint: 'Check the kinds that the project describes in `kinds/`.',
    });
  return { path, shown, text };
}

/** The text of a descriptor with the digest of what it says. Throws a Failure where it cannot be edited. */
function withProof({ text, shown }: DescriptorFile): string {
  // It has just been loaded, so it is valid.
  const document: Json = parse(text);
  if (!isObject(document)) throw notEdited(shown);
  const digest = descriptorDigest(document);
  const op = Object.hasOwn(document, proofMember) ? 'set' : 'insert';
  const edited = applyEdits(text, [{ op, path: [proofMember], value: digest }]);
  if (edited === null) throw notEdited(shown);
  return edited;
}

function notEdited(file: string): Failure {
  return failure('kind-not-written', `${file} cannot be edited.`, {
    hint: 'Write it in block style, a member on each line.',
  });
}
