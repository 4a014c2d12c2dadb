/** Milliseconds for which a button says that it has copied. */
const copiedTime = 1500;

/** Lets buttons copy what they stand for. */
export function startCopying(): void {
  addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null;
    if (!button) return;
    const say = (text: string) => {
      const before = button.dataset.name ?? button.textContent ?? '';
      button.dataset.name = before;
      button.textContent = text;
      setTimeout(() => {
        button.textContent = before;
      }, copiedTime);
    };
    // Some browsers refuse it in pages that are files.
    Promise.resolve(navigator.clipboard?.writeText(button.dataset.copy ?? '')).then(
      () => say('Copied'),
      () => say('Not allowed here'),
    );
  });
}

/** A button that copies a value. */
export function copyButton(text: string, value: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.dataset.copy = value;
  button.textContent = text;
  return button;
}
