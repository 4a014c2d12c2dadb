import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Never holds manifests; the embedded tenant's own file would make every read a change. */
const skipped = new Set(['node_modules', '.git', '.tenantctl']);
const mostFolders = 2000;
/** An editor that saves is several events. */
const settle = 60;

/** Something that watches until it is closed. */
export interface Watch {
  close(): void;
}

/**
 * Calls `onChange` soon after a file below `root` was changed, made or removed. Folders are watched one by one, since
 * watching a tree whole is left to each platform, and would take in `node_modules`.
 */
export function watchFolder(root: string, onChange: () => void): Watch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const drop = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const follow = () => {
    const folders = foldersBelow(root);
    for (const known of watchers.keys()) if (!folders.has(known)) drop(known);
    for (const folder of folders) if (!watchers.has(folder)) add(folder);
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      follow();
      onChange();
    }, settle);
  };
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null || !skipped.has(name)) changed();
      });
      watcher.on('error', () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // A folder that is gone again: the one above tells.
    }
  };
  follow();
  return {
    close() {
      clearTimeout(timer);
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}

function foldersBelow(root: string): Set<string> {
  const folders = new Set([root]);
  for (const folder of folders) {
    if (folders.size >= mostFolders) break;
    for (const entry of entriesOf(folder))
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.add(join(folder, entry.name));
  }
  return folders;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
