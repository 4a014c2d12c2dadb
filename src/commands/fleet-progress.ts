import type { FleetOptions, FleetProgressState } from '../engine/fleet.ts';
import type { TenantOptions } from '../engine/tenant.ts';
import { namesAndMore } from '../model/words.ts';
import { printable } from '../report/safe.ts';
import { logLine } from './event-words.ts';
import { type Io, printNote, takesEscapes, type Verbosity, widthOf } from './io.ts';
import { noteInterrupts } from './progress.ts';

/** Shows on stderr how far the work on several environments is. */
export interface FleetProgress {
  onProgress(name: string, state: FleetProgressState): void;
  /** How a tenant is opened, so that its requests are shown with `--verbose`. */
  tenantOptions(name: string): TenantOptions;
  /** Removes what is not to stay on the terminal. */
  end(): void;
}

/** Runs `work` with the progress of several environments, and ends that. */
export async function withFleetProgress<T>(
  total: number,
  args: Verbosity & { readonly parallel: number },
  io: Io,
  work: (run: FleetOptions & FleetProgress) => Promise<T>,
): Promise<T> {
  const progress = createFleetProgress(total, args, io);
  try {
    return await work({ ...progress, parallel: args.parallel, signal: io.signal });
  } finally {
    progress.end();
  }
}

/** Progress on a terminal in one line, in a CI job a line for each environment; nothing elsewhere and with `--quiet`. */
export function createFleetProgress(total: number, args: Verbosity, io: Io): FleetProgress {
  const isShown = !args.quiet && args.progress;
  const atWork = new Set<string>();
  let ended = 0;
  const isTerminal = takesEscapes(io.stderr, io) && !args.verbose;
  const draw = () => {
    // Those that began first are the slowest.
    const [first, second, third, ...others] = atWork;
    const names = [first, second, third].filter((name) => name !== undefined);
    const work = names.length === 0 ? '' : `  at work: ${namesAndMore(names, others.length)}`;
    const text = `${ended}/${total} environments${work}`;
    io.stderr.write(`\r\x1b[2K${printable(text).slice(0, Math.max(0, widthOf(io.stderr) - 1))}`);
  };
  const clear = () => {
    if (isShown && isTerminal) io.stderr.write('\r\x1b[2K');
  };
  const note = args.quiet ? () => {} : noteInterrupts(io, clear);
  return {
    onProgress(name, state) {
      if (state === 'begun') atWork.add(name);
      else {
        atWork.delete(name);
        ended += 1;
      }
      if (!isShown) return;
      if (isTerminal) draw();
      else if ((io.env.CI || args.verbose) && state !== 'begun') {
        printNote(`${ended}/${total} ${name}${state === 'done' ? '' : `: ${state}`}`, io);
      }
    },
    tenantOptions: (name) => ({
      redactor: io.redactor,
      onEvent(event) {
        note(event);
        const line = args.verbose ? logLine(event) : null;
        if (line !== null) printNote(`${name}: ${line}`, io);
      },
    }),
    end: clear,
  };
}
