/** `j` and `k` go to the next and the previous entry, `x` ticks one off. */
export function startKeys(
  shown: () => readonly HTMLDetailsElement[],
  tick: (entry: HTMLDetailsElement) => void,
): void {
  addEventListener('keydown', (event) => {
    const { key } = event;
    if (!['j', 'k', 'x'].includes(key) || isTyping(event)) return;
    const current = document.activeElement?.closest<HTMLDetailsElement>('.entry') ?? null;
    if (key === 'x') {
      if (current) tick(current);
      return;
    }
    const list = shown();
    const from = current ? list.indexOf(current) : -1;
    const next = list[key === 'j' ? from + 1 : from - 1];
    next?.querySelector('summary')?.focus();
  });
}

function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isField =
    target instanceof Element && target.matches('input:not([type="checkbox"]), select, textarea');
  return isField || ctrlKey || metaKey || altKey;
}
