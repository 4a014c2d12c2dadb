import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readJournal } from '../applier/journal.ts';
import { ownFolder } from '../loader/own-folder.ts';
import { ifFailure } from '../model/failure.ts';
import { systemCode, unwritableFile } from '../model/system-error.ts';
import { isSameTenant, type TenantName } from '../model/tenant.ts';
import { journalFolder, requireUncommitted } from './recent.ts';
import { resultsFolder } from './results.ts';
import type { Tenant } from './tenant.ts';

/**
 * Moves the journals and results that earlier versions kept for all environments together to the folder of this one, so
 * that an unfinished run is finished. Called with the lock held. Throws a Failure where a file cannot be moved, and for a
 * journal that came with the repository, which git would not know at its new place.
 */
export async function moveOldRecords(root: string, { environment, client }: Tenant): Promise<void> {
  const { name } = environment;
  const isJournal = (file: string) => file.endsWith('.jsonl');
  const isResult = (file: string) => oldResult.exec(file)?.[1] === name;
  await move(join(root, ownFolder, 'journal'), journalFolder(root, name), async (folder, file) => {
    const journal = join(folder, file);
    if (!isJournal(file) || !(await mayBeOf(client.tenant, journal))) return false;
    await requireUncommitted(root, journal);
    return true;
  });
  await move(join(root, ownFolder, 'results'), resultsFolder(root, name), async (_, file) => isResult(file));
}

/** The start of the run, and the environment. */
const oldResult = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-(.+)\.json$/;

/** A damaged journal may be of any tenant: opening it reports the damage. */
function mayBeOf(tenant: TenantName, file: string): Promise<boolean> {
  return readJournal(file).then(
    ({ header }) => !header?.tenant || isSameTenant(header.tenant, tenant),
    ifFailure(() => true),
  );
}

async function move(
  from: string,
  to: string,
  isWanted: (folder: string, file: string) => Promise<boolean>,
): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw error;
  });
  for (const { name } of entries.filter((entry) => entry.isFile())) {
    if (!(await isWanted(from, name))) continue;
    try {
      await mkdir(to, { recursive: true });
      await rename(join(from, name), join(to, name));
    } catch (error) {
      throw unwritableFile(join(to, name), error);
    }
  }
}
