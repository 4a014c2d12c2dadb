import { expect, it } from 'vitest';
import { Redactor } from '../../src/client/redactor.ts';

it('takes out a secret with half a surrogate pair in it, as it is and as it was sent', () => {
  const redactor = new Redactor();
  redactor.learn('hunter\ud83d2');
  const forms = ['hunter\ud83d2', 'hunter\ufffd2', 'hunter%EF%BF%BD2', 'hunter\\ud83d2'];
  for (const form of forms) expect(redactor.text(`no ${form} here`)).toBe('no [secret] here');
});
