import { chmod, chown, lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ifExists, systemCode, unwritableFile } from '../model/failure.ts';
import { makeFolder } from '../model/files.ts';

interface WholeFile {
  readonly path: string;
  readonly content: string;
}

type StagedFile = Awaited<ReturnType<typeof stageFile>>;

/** Nobody sees half of a file. Throws a Failure, and changes none of them, if there is no room for all. */
export async function replaceFiles(files: readonly WholeFile[], folder = ''): Promise<void> {
  const staged: StagedFile[] = [];
  try {
    for (const file of files) staged.push(await naming(file, stageFile(file, folder)));
    for (let file = staged[0]; file; file = staged[0]) {
      await naming(file, putInPlace(file));
      staged.shift();
    }
  } finally {
    for (const { draft } of staged) if (draft !== null) await rm(draft, { force: true });
  }
}

async function naming<T>({ path }: WholeFile, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unwritableFile(path, error);
  }
}

/** `draft`: the file that takes the target's place, or is a new target; `null` if what is there is written over. */
async function stageFile(file: WholeFile, folder: string) {
  const path = resolve(folder, file.path);
  makeFolder(dirname(path));
  // Most files of an export are new. A draft of each would take a third of its time.
  if ((await ifExists(lstat(path))) === null) {
    await writeFile(path, file.content, { flag: 'wx' }).catch(async (error: unknown) => {
      if (noRoom.includes(systemCode(error) ?? '')) await rm(path, { force: true });
      throw error;
    });
    return { ...file, target: path, draft: path };
  }
  const target = (await ifExists(realpath(path))) ?? path;
  const draft = (await isRegular(target)) ? await writeDraft(target, file.content) : null;
  return { ...file, target, draft };
}

/** Without room for a draft, the existing file stays: written over, it would be cut off. */
const noRoom = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Returns `null` if it does not work: a file can be writable although its folder is not. Rejects if there is no room. */
async function writeDraft(target: string, content: string): Promise<string | null> {
  const draft = `${target}.${process.pid}.draft`;
  try {
    await writeFile(draft, content, { flag: 'wx' });
    const replaced = await ifExists(stat(target));
    if (replaced) {
      await chown(draft, replaced.uid, replaced.gid);
      await chmod(draft, replaced.mode);
    }
    return draft;
  } catch (error) {
    await rm(draft).catch(() => {});
    if (noRoom.includes(systemCode(error) ?? '')) throw error;
    return null;
  }
}

async function putInPlace({ draft, target, content }: StagedFile): Promise<void> {
  if (draft === target) return;
  try {
    if (draft !== null) return await rename(draft, target);
  } catch {
    // Some systems cannot replace a file that another program has open, or that is a mount point.
    if (draft !== null) await rm(draft, { force: true });
  }
  await writeFile(target, content);
}

/** Whether a file is a regular one, or does not exist. A device or a pipe can be neither replaced nor written twice. */
export async function isRegular(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    (error: unknown) => systemCode(error) === 'ENOENT',
  );
}
