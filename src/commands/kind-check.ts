import { join } from 'node:path';
import { parse } from 'yaml';
import { checkKind } from '../engine/check-kind.ts';
import { applyEdits } from '../exporter/edit/apply-edits.ts';
import { unknownKind } from '../kinds/address-glob.ts';
import type { Kinds } from '../kinds/catalog.ts';
import type { Kind } from '../kinds/kind.ts';
import { descriptorDigest, proofMember } from '../kinds/proof.ts';
import { openProjects } from '../loader/index.ts';
import { requireInside } from '../loader/own-folder.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { ExitCode, type Failure, failure } from '../model/failure.ts';
import { isObject, type Json } from '../model/json.ts';
import { readIfThere, writeText } from './files.ts';
import { type Io, isInteractive, type Verbosity } from './io.ts';
import { printDocument } from './output.ts';
import { withTenant } from './progress.ts';
import { projectFileOptions, selectedEnvironment } from './project.ts';
import { confirm } from './prompt.ts';

interface CheckArgs extends Verbosity {
  readonly subject: string;
  readonly config: string | undefined;
  readonly env: string[];
  readonly write: boolean;
  readonly format: 'text' | 'json';
}

/**
 * Checks a kind of the project against the tenant, which is only read. A descriptor that holds is marked as proven with
 * `--write`, or when a person at a terminal says so. Throws a Failure where the check cannot be made.
 */
export async function check(args: CheckArgs, io: Io): Promise<ExitCode> {
  const projects = openProjects(projectFileOptions(args, io));
  const project = projects.environment(selectedEnvironment(args, io));
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
  writeText(file.path, withProof(file), io);
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
