import type { Bodies } from './bodies.ts';
import { findAll } from './dom.ts';

/**
 * Of more changes in a long report, pictures and requests are left out: a browser needs more memory for the pages of thousands
 * of them than it may have.
 */
const maxWhole = 100;

/** Expands all that the filter shows while the page is printed. */
export function startPrinting(entries: readonly HTMLDetailsElement[], bodies: Bodies): void {
  const { dataset } = document.documentElement;
  let closed: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    const printed = entries.filter(({ hidden }) => !hidden);
    const isBrief = bodies.isPacked && printed.length > maxWhole;
    dataset.print = isBrief ? 'brief' : 'whole';
    closed = findAll('.members, .remarks, .entry:not([hidden])', HTMLDetailsElement).filter(
      ({ open }) => !open,
    );
    for (const fold of closed) fold.open = true;
    for (const entry of printed) {
      if (isBrief) bodies.fillBriefly(entry);
      else bodies.fillNow(entry);
    }
  });
  addEventListener('afterprint', () => {
    for (const fold of closed) fold.open = false;
    for (const entry of entries) bodies.emptyBrief(entry);
  });
}
