/** Where a message points that is about one character of a text, such as a mistake in a template. */
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/kinds/resource.ts';
import { config, type Files, resource } from './fixture.ts';

const head = 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n';

/** Where the first `#` of a field's text stands for the reader: `file:line:column`, and the excerpt. */
function hashIn(field: 'body' | 'subject', declared: Resource): { place: string; excerpt: string } {
  const offset = String(declared.fields[field]).indexOf('#');
  if (offset < 0) throw new Error('The text has no #.');
  const { source, excerpt } = declared.point(`/${field}`, offset);
  return { place: `${source?.file}:${source?.line}:${source?.column}`, excerpt };
}

const template = (fields: string, files: Files = {}) => resource(head + fields, files);

describe('a character of a text is found where it is written', () => {
  it.each([
    ['plain', 'subject: one#two\n', 'config/a.yaml:5:13'],
    ['in double quotes', 'subject: "one #two"\n', 'config/a.yaml:5:15'],
    ['in single quotes', "subject: 'one #two'\n", 'config/a.yaml:5:15'],
    ['at its beginning', 'subject: "#one"\n', 'config/a.yaml:5:11'],
    ['under its key', 'subject:\n  one#two\n', 'config/a.yaml:6:6'],
    ['before a quoted part that repeats it', 'subject: one#two one#two\n', 'config/a.yaml:5:13'],
  ])('%s', (_what, fields, place) => {
    expect(hashIn('subject', template(fields)).place).toBe(place);
  });

  it.each([
    ['in the first line of a block', 'body: |\n  #one\n  two\n', 'config/a.yaml:6:3'],
    ['in a later line', 'body: |\n  one\n  two\n  thr#ee\n', 'config/a.yaml:8:6'],
    ['in the last line, without a line end', 'body: |-\n  one\n  t#wo', 'config/a.yaml:7:4'],
    ['in a line that is indented further', 'body: |\n  one\n     t#wo\n  three\n', 'config/a.yaml:7:7'],
    ['after an empty line', 'body: |\n  one\n\n  #two\n', 'config/a.yaml:8:3'],
    ['in a block whose first line is indented further', 'body: |2\n    one\n  t#wo\n', 'config/a.yaml:7:4'],
    ['in a block with a comment in its header', 'body: | # text\n    one\n    t#wo\n', 'config/a.yaml:7:6'],
  ])('%s', (_what, fields, place) => {
    expect(hashIn('body', template(fields)).place).toBe(place);
  });

  it('in the file that `!file` names, from the project on', () => {
    const text = '<p>\n  one #two\n</p>\n';
    const { place, excerpt } = hashIn('body', template('body: !file ../t/a.html\n', { 't/a.html': text }));
    expect(place).toBe('t/a.html:2:7');
    expect(excerpt).toBe('2 |   one #two\n  |       ^');
  });

  it('in the overlay that sets it', () => {
    const overlay = config('    overlays:\n      - { target: "**", merge: { body: "one #two" } }\n');
    const declared = template('body: "other #text"\n', { 'tenantctl.yaml': overlay });
    expect(hashIn('body', declared).place).toBe('tenantctl.yaml:6:45');
  });

  it('in the last of several overlays that set it', () => {
    const merges = ['body: "one #two"', 'body: "for #two"', 'subject: s'];
    const lines = merges.map((merge) => `      - { target: "**", merge: { ${merge} } }\n`);
    const declared = template('', { 'tenantctl.yaml': config(`    overlays:\n${lines.join('')}`) });
    expect(hashIn('body', declared).place).toBe('tenantctl.yaml:7:45');
  });

  it('with the line that holds it', () => {
    expect(hashIn('body', template('body: |\n  one\n  two #three\n')).excerpt).toBe(
      '7 |   two #three\n  |       ^',
    );
  });
});

describe('the beginning of the value is shown where the file does not hold the text as it is', () => {
  it.each([
    ['folded', 'body: >\n  one\n  t#wo\n', 'config/a.yaml:5:7'],
    ['with an escape before the character', 'body: "one\\ttwo#three"\n', 'config/a.yaml:5:7'],
    ['with a doubled quote before the character', "body: 'it''s #one'\n", 'config/a.yaml:5:7'],
    ['plain over two lines', 'body: one\n  t#wo\n', 'config/a.yaml:5:7'],
    ['made of variables', 'body: !format "%{host} #one"\n', 'config/a.yaml:5:7'],
    ['of a variable', 'body: !var note\n', 'config/a.yaml:5:7'],
    ['under an alias', 'subject: &s one#two\nbody: *s\n', 'config/a.yaml:6:7'],
  ])('%s', (_what, fields, place) => {
    const variables = config('    variables: { host: h, note: "one #two" }\n');
    expect(hashIn('body', template(fields, { 'tenantctl.yaml': variables })).place).toBe(place);
  });
});

it('a place is that of the value where no character is named, of the mapping where there is no value', () => {
  const declared = template('subject: "one"\n');
  expect(declared.point('/subject')).toEqual({
    source: { file: 'config/a.yaml', line: 5, column: 10 },
    excerpt: '5 | subject: "one"\n  |          ^',
  });
  expect(declared.point('/body', 3).source).toMatchObject({ line: 1, column: 1 });
  expect(declared.point('', 3).source).toMatchObject({ line: 1, column: 1 });
});
