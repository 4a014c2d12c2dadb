import type { ApplyEvent } from '../applier/run.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { type ChangeResult, exitCodeOf, type Result } from '../model/result.ts';
import type { Io } from './io.ts';

/** The events of an apply on stdout, one JSON object per line, for programs that follow it. */
export interface ApplyLines {
  planned(plan: Plan): void;
  event(environment: string, event: ApplyEvent): void;
  ended(result: Result): void;
  failed(environment: string, diagnostics: readonly Diagnostic[]): void;
}

export function applyLines({ stdout }: Pick<Io, 'stdout'>): ApplyLines {
  const told = new Set<string>();
  const write = (type: string, environment: string, more: object) => {
    stdout.write(`${JSON.stringify({ type, at: new Date().toISOString(), environment, ...more })}\n`);
  };
  const tell = (environment: string, { address, action, outcome, error, warnings }: ChangeResult) => {
    told.add(`${environment} ${address}`);
    write(outcome, environment, { address, action, error, warnings: warnings ?? [] });
  };
  return {
    planned({ environment, digest, summary, changes }) {
      const listed = changes.map(({ address, action }) => ({ address, action }));
      write('planned', environment, { digest, summary, changes: listed });
    },
    event(environment, event) {
      if (event.type === 'started')
        write('started', environment, { address: event.address, action: event.action });
      if (event.type === 'waiting') write('waiting', environment, { address: event.address, why: event.why });
      if (event.type === 'finished') tell(environment, event.result);
    },
    ended(result) {
      const { environment, outcome, summary, changes, diagnostics = [] } = result;
      // What never began has had no event.
      for (const change of changes)
        if (!told.has(`${environment} ${change.address}`)) tell(environment, change);
      write('summary', environment, { outcome, summary, exitCode: exitCodeOf(result), diagnostics });
    },
    failed: (environment, diagnostics) => write('error', environment, { diagnostics }),
  };
}
