import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import { validators } from '../../generated/validators.js';
import { kindFrom } from '../../kinds/described-kind.ts';
import { descriptorFrom } from '../../kinds/descriptor.ts';
import { builtInKinds } from '../../kinds/index.ts';
import { isObserved, type Kind } from '../../kinds/kind.ts';
import { documentedPaths, holderOf } from '../../loader/kind-files.ts';
import { repositoryOf } from '../../loader/repository.ts';
import { diskSource } from '../../loader/source.ts';
import { ExitCode, fail, unreadableFile } from '../../model/failure.ts';
import type { Json } from '../../model/json.ts';
import { OpenApi } from '../../openapi/document.ts';
import { draftAll, draftKind } from '../../openapi/draft.ts';
import { oneLine } from '../../report/safe.ts';
import { writeTextFile } from '../files.ts';
import type { Io } from '../io.ts';

interface DraftArgs {
  readonly subject: string;
  readonly path: string | undefined;
  readonly out: string | undefined;
  readonly all: string | undefined;
}

/** The descriptions of whole products have several MB. */
const largestDocument = 64 * 1024 * 1024;

/** Drafts descriptors from an OpenAPI document. Throws a Failure where it cannot, or where the file to write exists. */
export async function draft({ subject, path, out, all }: DraftArgs, io: Io): Promise<ExitCode> {
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
  const { text } = draftKind(api, path, { kind });
  if (out === undefined) io.stdout.write(text);
  else await writeDraft(out, text, io);
  return ExitCode.done;
}

async function writeDraft(file: string, text: string, io: Io): Promise<void> {
  await writeTextFile(file, text, io);
  const checks = text.match(/(?<=# (.*; )?)check: /g)?.length ?? 0;
  io.stdout.write(`Written: ${file}, ${checks === 0 ? 'nothing' : checks} to check.\n`);
}

/** Drafts every collection of a document into a folder. What is there, and what a project cannot describe, is left. */
async function draftWhole(api: OpenApi, folder: string, io: Io): Promise<ExitCode> {
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
    else await writeDraft(file, text, io);
  }
  if (leftOut.length > 0)
    io.stderr.write(`Left out:\n${leftOut.map((line) => `- ${oneLine(line)}\n`).join('')}`);
  return ExitCode.done;
}

/** The built-in kind whose collection a descriptor would take; `undefined` where it takes none. */
function collectionHolder(text: string): Kind | undefined {
  const value: Json = parse(text);
  if (!validators.kind(value)) throw new TypeError(`A draft is not valid:\n${text}`);
  const kind = kindFrom(descriptorFrom(value));
  const builtIn = builtInKinds.find(kind.name);
  return builtIn && !isObserved(builtIn) ? builtIn : holderOf(kind, builtInKinds, documentedPaths);
}

/** Opens an OpenAPI document. Its references may lead anywhere in its repository; without one, anywhere in its folder. */
function openDocument(named: string, io: Io): OpenApi {
  const file = realPathOf(named, io);
  const root = repositoryOf(dirname(file))?.top ?? dirname(file);
  return new OpenApi(diskSource(root, largestDocument), relative(root, file).split(sep).join('/'));
}

function realPathOf(named: string, io: Io): string {
  try {
    return realpathSync.native(resolve(io.cwd, named));
  } catch (error) {
    throw unreadableFile(named, error, 'Name a file on this machine: nothing is downloaded.');
  }
}
