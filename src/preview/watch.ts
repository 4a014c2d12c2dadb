import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** These hold no manifests, and the embedded tenant writes to its own file whenever it is read. */
const ignored = new Set(['node_modules', '.git', '.tenantctl']);
const maxFolders = 2000;
/** An editor that saves causes several events; they count as one change after a pause of so many milliseconds. */
const quietTime = 60;

/**
 * Calls `onChange` soon after a file below `root` was changed, created or removed. Folders are watched one by one:
 * watching a whole tree depends on the platform and would include `node_modules`.
 */
export function watchFolder(root: string, onChange: () => void): { close(): void } {
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
  const onEvent = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      follow();
      onChange();
    }, quietTime);
  };
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null || !ignored.has(name)) onEvent();
      });
      watcher.on('error', () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // The folder is gone again. The folder above it gets an event.
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
    if (folders.size >= maxFolders) break;
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() && !ignored.has(entry.name)) folders.add(join(folder, entry.name));
    } catch {
      // It is gone again, or cannot be read.
    }
  }
  return folders;
}
