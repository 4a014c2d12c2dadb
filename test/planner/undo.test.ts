import { describe, expect, it } from 'vitest';
import { record, rollBack } from './rolling-back.ts';

const address = 'SimIntegration/S';

describe('a result file that nobody could have written', () => {
  it.each([
    ['an address of no kind', [record('Nothing/x')], /"Nothing\/x" is not an object of any kind/],
    ['an address with too few parts', [record('NotificationTemplate/x')], /is not an object of any kind/],
    ['no address', [record('x')], /is not an object of any kind/],
    [
      'two changes of an object',
      [record(address), record(address)],
      /it has two changes of SimIntegration\/S/,
    ],
    [
      'two spellings of one',
      [record('SenderAddress/a'), record('SenderAddress/A')],
      /two changes of SenderAddress\/A/,
    ],
    ['an impossible former key', [record(address, { renamedFrom: ['a', 'b'] })], /renamed from a key/],
    ['an empty former key', [record(address, { renamedFrom: [''] })], /renamed from a key/],
  ])('is refused: %s', (_, records, message) => {
    expect(() => rollBack({ records })).toThrow(message);
  });
});
