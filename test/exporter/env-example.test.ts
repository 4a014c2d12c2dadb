import { describe, expect, it } from 'vitest';
import { addToEnvExample } from '../../src/exporter/files.ts';

describe('the list of secrets to set', () => {
  const secret = { name: 'S_PASSWORD', address: 'SimIntegration/S', at: '/attributes/password' };
  const listed = (existing: string | null) => addToEnvExample(existing, [secret]);
  const entry = '\n# SimIntegration/S, attributes.password\nS_PASSWORD=\n';

  it('begins with what it is', () => {
    const head =
      '# The secrets that the manifests name. Set them where tenantctl runs; keep the values out of git.\n';
    for (const existing of [null, '', ' \n']) expect(listed(existing)).toBe(head + entry);
  });

  it.each([
    ['a line', 'OLD=\n', `OLD=\n${entry}`],
    ['a line without end', 'OLD=', `OLD=\n${entry}`],
    ['lines of Windows', 'OLD=\r\n', `OLD=\r\n${entry.replaceAll('\n', '\r\n')}`],
    ['lines of Windows without end', 'A=\r\nOLD=', `A=\r\nOLD=\r\n${entry.replaceAll('\n', '\r\n')}`],
    [
      'a value that looks like it',
      'A=https://x.example/?S_PASSWORD=1\n',
      `A=https://x.example/?S_PASSWORD=1\n${entry}`,
    ],
    ['a longer name', 'S_PASSWORD_2=\n', `S_PASSWORD_2=\n${entry}`],
  ])('goes on below %s', (_name, existing, expected) => {
    expect(listed(existing)).toBe(expected);
  });

  it.each([
    'S_PASSWORD=\n',
    'export S_PASSWORD=ask Ada\n',
    'export  S_PASSWORD=\n',
    '# S_PASSWORD = from the vault\r\n',
  ])('leaves what a person wrote about a secret: %j', (existing) => {
    expect(listed(existing)).toBe(existing);
  });

  it('says of each secret where it alone is used', () => {
    const other = { name: 'T_TOKEN', address: 'SimIntegration/T', at: '/attributes/token' };
    expect(addToEnvExample('A=\n', [secret, other])).toBe(
      `A=\n${entry}\n# SimIntegration/T, attributes.token\nT_TOKEN=\n`,
    );
  });

  it('lists a secret of several places once, and nothing without secrets', () => {
    const twice = [secret, { ...secret, address: 'SimIntegration/T' }];
    expect(addToEnvExample('A=\n', twice)).toBe(
      'A=\n\n# SimIntegration/S, attributes.password\n# SimIntegration/T, attributes.password\nS_PASSWORD=\n',
    );
    expect(addToEnvExample(null, [])).toBeNull();
    expect(addToEnvExample('A=', [])).toBe('A=');
  });
});
