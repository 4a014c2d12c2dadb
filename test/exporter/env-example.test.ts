import { describe, expect, it } from 'vitest';
import { createEnvExample } from '../../src/exporter/files.ts';

describe('the list of secrets to set', () => {
  const place = { address: 'SimIntegration/S', at: '/attributes/password' };
  const listed = (existing: string | null) => {
    const textOf = (path: string) => (path === 'config/.env.example' ? existing : null);
    const destination = { folder: 'config', nameSecret: () => 'S_PASSWORD', textOf };
    return createEnvExample([place], destination);
  };
  const entry = '\n# SimIntegration/S, attributes.password\nS_PASSWORD=\n';

  it('begins with what it is', () => {
    const head =
      '# The secrets that the manifests name. Set them where tenantctl runs; keep the values out of git.\n';
    for (const existing of [null, '', ' \n']) {
      expect(listed(existing)).toEqual({ path: 'config/.env.example', content: head + entry });
    }
  });

  it.each([
    ['a line', 'OLD=\n', `OLD=\n${entry}`],
    ['a line without end', 'OLD=', `OLD=\n${entry}`],
    ['lines of Windows', 'OLD=\r\n', `OLD=\r\n${entry.replaceAll('\n', '\r\n')}`],
    ['lines of Windows without end', 'A=\r\nOLD=', `A=\r\nOLD=\r\n${entry.replaceAll('\n', '\r\n')}`],
  ])('goes on below %s', (_name, existing, expected) => {
    expect(listed(existing)?.content).toBe(expected);
  });

  it('is not there without secrets', () => {
    expect(createEnvExample([], { folder: '', nameSecret: () => '', textOf: () => null })).toBeNull();
  });
});
