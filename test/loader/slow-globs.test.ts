/** Globs of a project that would keep a run busy for hours. A test that compares one of them does not end in time. */
import { expect, it } from 'vitest';
import { selectEnvironments } from '../../src/loader/selection.ts';
import { brief, refusalOf, thrown } from './fixture.ts';

const glob = `${'*a'.repeat(13)}!`;
const long = 'a'.repeat(200);
const manifest = `kind: SenderAddress\nemail: ${long}@acme.example\n`;
const project = (text: string, environment = '') =>
  `version: 1\n${text}environments:\n  test:\n    sandbox: {}\n${environment}`;

it.each([
  ['of manifests', project(`manifests: ["${glob}"]\n`), 'tenantctl.yaml:2:13'],
  ['of what is protected', project('', `    protect: ["SenderAddress/${glob}"]\n`), 'tenantctl.yaml:5:15'],
  [
    'of what an overlay changes',
    project('', `    overlays: [{ target: "SenderAddress/${glob}", merge: {} }]\n`),
    'tenantctl.yaml:5:26',
  ],
])('%s are errors', (_of, text, place) => {
  const files = { 'tenantctl.yaml': text, 'config/a.yaml': manifest, [`${long}.yaml`]: manifest };
  expect(refusalOf(files).map(brief)).toContain(`slow-glob ${place}`);
});

it('are reported together with every other glob of manifests that cannot be used', () => {
  const globs = ['../a/*.yaml', 'config/*.yaml', '.env', '.git/*.yaml', glob, '!../b'];
  const files = {
    'tenantctl.yaml': project(`manifests: ${JSON.stringify(globs)}\n`),
    'config/a.yaml': manifest,
  };
  expect(refusalOf(files).map(({ code, message }) => [code, message.split(/[ `]+/).find(Boolean)])).toEqual([
    ['outside-project', '../a/*.yaml'],
    ['reserved-file', '.env'],
    ['reserved-folder', '.git/*.yaml'],
    ['slow-glob', glob],
    ['outside-project', '../b'],
  ]);
});

it('of groups select nothing', () => {
  const project = { environments: [long], groups: { eu: [glob] }, defaultEnvironment: null };
  const select = () => selectEnvironments(['@eu'], project);
  expect(thrown(select).diagnostics).toMatchObject([{ severity: 'error' }]);
});
