import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { diskSource } from '../loader/source.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { unreadableFile } from '../model/system-error.ts';
import { draftKind } from '../openapi/draft.ts';
import { oneLine } from '../report/safe.ts';
import { writeText } from './files.ts';
import type { Io, Verbosity } from './io.ts';

interface DraftArgs extends Verbosity {
  readonly subject: string;
  readonly path?: string | undefined;
  readonly out?: string | undefined;
}

/** The descriptions of whole products have several MB. */
const largestDocument = 64 * 1024 * 1024;

/** Drafts a descriptor from an OpenAPI document. Throws a Failure where it cannot, or where the file to write exists. */
export async function draft(args: DraftArgs, io: Io): Promise<ExitCode> {
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
  else writeText(out, text, io);
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
    throw unreadableFile(named, error);
  }
}
