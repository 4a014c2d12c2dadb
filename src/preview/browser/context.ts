import { messageOf } from '../../model/failure.ts';
import { isObject, type Json } from '../../model/json.ts';
import { find } from '../../report/html/browser/dom.ts';
import type { RenderQuestion } from '../protocol.ts';

type Context = RenderQuestion['context'];

interface TypedContext {
  readonly text: string;
  /** The last text that was a JSON object. */
  readonly value: Context;
  readonly error: string;
}

/** Milliseconds without typing after which the template is rendered again. */
const typingPause = 250;

const field = find('context', HTMLTextAreaElement);
/** What was typed, by the address of the template that it stays with. */
const typed = new Map<string, TypedContext>();

/**
 * Lets people type the context of the selected template, or return to sample values.
 *
 * @param selectedAddress returns the address of that template
 * @param onChange is called when the context has changed
 */
export function startContext(selectedAddress: () => string | null, onChange: () => void): void {
  let timer = 0;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    const address = selectedAddress();
    if (address === null) return;
    const context = readField(contextOf(address));
    typed.set(address, context);
    showContext(address);
    if (context.error === '') timer = setTimeout(onChange, typingPause);
  });
  find('reset', HTMLButtonElement).addEventListener('click', () => {
    clearTimeout(timer);
    const address = selectedAddress();
    if (address !== null) typed.delete(address);
    onChange();
  });
}

/** The context of a template: what was typed for it, or `null` for sample values. */
export function contextOf(address: string): Context {
  return typed.get(address)?.value ?? null;
}

/** Shows what was typed for a template. Without that, the field keeps its text until {@link showSamples}. */
export function showContext(address: string): void {
  const context = typed.get(address);
  if (context && field.value !== context.text) field.value = context.text;
  find('context-state', HTMLElement).textContent = context ? 'your values' : 'sample values';
  find('context-error', HTMLElement).textContent = context?.error ?? '';
  field.setAttribute('aria-invalid', String(Boolean(context?.error)));
}

/** Shows the sample values that a template was rendered with, unless values were typed for it. */
export function showSamples(address: string, context: Context): void {
  if (!typed.has(address)) field.value = JSON.stringify(context, null, 2);
}

function readField(last: Context): TypedContext {
  const text = field.value;
  try {
    const value: Json = JSON.parse(text);
    if (isObject(value)) return { text, value, error: '' };
    return { text, value: last, error: 'It has to be a JSON object.' };
  } catch (error) {
    return { text, value: last, error: messageOf(error) };
  }
}
