import { describe, expect, it } from 'vitest';
import { isConcealed, isMasked } from '../../src/model/sensitive.ts';

describe('a value that the tenant does not show', () => {
  it.each(['***', '****', '*****', '******', '*******', '********', '•••', '●●●●●'])(
    '%s is a mask',
    (text) => {
      expect(isMasked(text)).toBe(true);
      expect(isConcealed(text)).toBe(true);
    },
  );

  it.each(['', '*', '**', '***a', 'a***', '* * *', 'x'])('%j is no mask', (text) => {
    expect(isMasked(text)).toBe(false);
  });

  it.each(['1:ACP:c2VjcmV0', '12:ACX:abc', '{AES}abc', '{AES256}abc', '{RSA-OAEP}abc', '{ENC}'])(
    '%s is ciphertext',
    (text) => {
      expect(isConcealed(text)).toBe(true);
      expect(isMasked(text)).toBe(false);
    },
  );

  it.each(['ACP:abc', 'x1:ACP:abc', '1:acp:abc', 'see {AES}abc', '{DES}abc', '{AES', 'plain'])(
    '%s is shown in clear',
    (text) => {
      expect(isConcealed(text)).toBe(false);
    },
  );
});
