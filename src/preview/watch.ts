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
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  const follow = () => {
    close();
    watchers = [...foldersBelow(root)].flatMap((folder) => {
      try {
        // An error says that the folder is gone: the folder above it has an event.
        return watch(folder, onEvent).on('error', () => {});
      } catch {
        return [];
      }
    });
  };
  const onEvent = (_event: string, name: string | null) => {
    if (name !== null && ignored.has(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      follow();
      onChange();
    }, quietTime);
  };
  follow();
  return { close };
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
