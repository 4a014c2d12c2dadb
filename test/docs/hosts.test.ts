import { describe, expect, test } from 'vitest';
import { presetNames, presets } from '../../src/kinds/presets.ts';
import { ways } from '../../src/sandbox/index.ts';
import { textOf } from './documents.ts';

const page = textOf('docs/hosts.md');

describe('the page about hosts', () => {
  test.each(presetNames)('has what %s stands for, and how its hosts are named', (name) => {
    const { service, product, hosts, settings } = presets[name];
    const [row] = page.split('\n').filter((line) => line.startsWith(`| \`${service}.preset: ${name}\``));
    const said = [product, ...hosts.map((end) => `\`*${end}\``)];
    const members = Object.entries(settings).map(([setting, value]) => `\`${setting}: ${value}\``);
    for (const part of [...said, ...members]) expect(row).toContain(part);
  });

  test('has every way of a host that the embedded tenant plays', () => {
    const all = Object.entries(ways).map(([name, [, ...others]]) => [
      name,
      ...others.map((value) => `${name}=${value}`),
    ]);
    expect(all.filter(([, ...others]) => !others.some((way) => page.includes(`\`${way}\``)))).toEqual([]);
  });
});
