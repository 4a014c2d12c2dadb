import { fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { lazy } from '../model/basics.ts';
import { messageOf } from '../model/failure.ts';
import { checkWritable } from './files.ts';
import { type Io, printNote } from './io.ts';

/**
 * The surroundings of a command that is traced into a file. Throws a Failure for a file that cannot be written. Only the first exchange
 * takes the place of what the file holds: by then, the project has refused a file of its own.
 */
export function openTrace(file: string, io: Io): Io {
  checkWritable([file], io, []);
  const open = lazy(() => openPrivate(resolve(io.cwd, file)));
  let isBroken = false;
  return {
    ...io,
    trace(exchange) {
      if (isBroken) return;
      try {
        writeSync(open(), `${JSON.stringify(exchange)}\n`);
      } catch (error) {
        // The command goes on: it may have changed the tenant already.
        isBroken = true;
        printNote(`The trace is not complete: ${file} cannot be written. ${messageOf(error)}`, io);
      }
    },
  };
}

/** Opens a file that only its owner may read: a trace tells much about a tenant. */
function openPrivate(path: string): number {
  const file = openSync(path, 'w', 0o600);
  if (fstatSync(file).isFile()) fchmodSync(file, 0o600);
  return file;
}
