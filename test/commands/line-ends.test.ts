/** The line endings of a checkout, which git changes on some machines, are no part of a digest. */
import { expect, it } from 'vitest';
import { createTestWorld } from '../support/world.ts';

const seed = 'templateDefaults: [{ key: welcome, subject: Welcome, body: b }]\n';
const files = {
  'config/a.yaml':
    'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nsubject: Soon\nbody: !file a.html\ndescription: |\n  one\n  two\n',
  'config/a.html': '<p>\n  one\n</p>\n',
};

it('a plan and what it declares have one digest, whatever the line endings of the files', async () => {
  const world = await createTestWorld({ seed });
  const planWith = async (ends: (text: string) => string) => {
    for (const [path, text] of Object.entries(files)) world.write(path, ends(text));
    const { digest, desired, changes } = await world.plan();
    expect(changes).toHaveLength(1);
    return { digest, desired };
  };
  const plan = await planWith((text) => text);
  expect(await planWith((text) => text.replaceAll('\n', '\r\n'))).toEqual(plan);
  expect(await planWith((text) => text.replaceAll('one', 'more'))).not.toEqual(plan);
});
