/** What begins like something that is allowed, and is something else. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadProject } from '../../src/loader/index.ts';
import { failureOf, project, thrown } from './fixture.ts';

it('a link into a folder whose name begins like that of the project leads out of it', () => {
  const root = project({});
  const neighbour = `${root}-x`;
  onTestFinished(() => rmSync(neighbour, { recursive: true, force: true }));
  mkdirSync(neighbour);
  mkdirSync(join(root, 'config'));
  writeFileSync(join(neighbour, 'a.yaml'), 'kind: SenderAddress\nemail: a@acme.example\n');
  symlinkSync(join(neighbour, 'a.yaml'), join(root, 'config/a.yaml'));
  const { diagnostics } = thrown(() => loadProject({ configFile: join(root, 'tenantctl.yaml') }));
  expect(diagnostics).toMatchObject([{ code: 'outside-project' }]);
});

it.each(['localhost.evil.example', '127.0.0.1.evil.example', 'evil.example', '128.0.0.1'])(
  'http is for this machine only, not for %s',
  (host) => {
    const config = [
      'version: 1',
      'environments:',
      '  test:',
      '    identity:',
      `      baseUrl: http://${host}`,
      '      auth: { token: !env S }',
      '',
    ].join('\n');
    expect(failureOf({ 'tenantctl.yaml': config }).map(({ code }) => code)).toContain('invalid-url');
  },
);
