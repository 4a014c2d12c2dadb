import { find } from '../../report/html/browser/dom.ts';

/** What a page remembers while it is loaded again, by the tab. */
const name = 'preview';

interface Place {
  readonly address: string;
  readonly top: number;
  readonly filter: string;
  readonly isChangedOnly: boolean;
}

let last = read();

/** Restores the filter of the page before it was loaded again, and remembers the place when it is left. */
export function startPlace(selectedAddress: () => string | null): void {
  const [filter, only] = [find('filter', HTMLInputElement), find('changed-only', HTMLInputElement)];
  filter.value = last.filter;
  only.checked = last.isChangedOnly;
  history.scrollRestoration = 'manual';
  addEventListener('pagehide', () => {
    const address = selectedAddress() ?? '';
    const place: Place = { address, top: scrollY, filter: filter.value, isChangedOnly: only.checked };
    sessionStorage.setItem(name, JSON.stringify(place));
  });
}

/** How far down the page was at a template before it was loaded again. Another template begins at its top. */
export function takePlace(address: string): number {
  const top = address === last.address ? last.top : 0;
  last = { ...last, top: 0 };
  return top;
}

function read(): Place {
  const none: Place = { address: '', top: 0, filter: '', isChangedOnly: false };
  // Only this page of this origin writes it.
  return { ...none, ...JSON.parse(sessionStorage.getItem(name) ?? '{}') };
}
