import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.ts';
import { resources } from './fixture.ts';

/** What is said of a value that the schema does not accept. */
function said(medium: string): string {
  try {
    resources(`kind: NotificationTemplate\nkey: k\nmedium: ${medium}\nlocale: en\n`);
  } catch (error) {
    if (error instanceof Failure) return error.diagnostics.map(({ message }) => message).join('\n');
    throw error;
  }
  throw new Error('It was accepted.');
}

it.each([
  ['[EMAIL]', 'a list'],
  ['{ a: 1 }', 'a mapping'],
  ['FAX', 'FAX'],
  [`F${'A'.repeat(39)}`, `F${'A'.repeat(39)}`],
  [`F${'A'.repeat(40)}`, `F${'A'.repeat(39)}…`],
])('a value that is not accepted is shown in brief: %s', (medium, shown) => {
  const message = said(medium);
  expect(message).toContain(shown);
  expect(message).not.toContain('A'.repeat(40));
  expect(message.includes('…')).toBe(shown.endsWith('…'));
});
