import { expect, it } from 'vitest';
import { noteOverlay } from '../../src/model/diagnostic.ts';

it('a message about a value of an overlay says so before its full stop', () => {
  expect(noteOverlay('`a.b` is no name.', true)).toBe('`a.b` is no name (set by this overlay).');
  expect(noteOverlay('`a.b` is no name.', false)).toBe('`a.b` is no name.');
});
