import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isScalar, parseAllDocuments, stringify, visit } from 'yaml';
import { parseDocuments } from '../../src/loader/parse.ts';
import { Problems, SourceFile } from '../../src/loader/problems.ts';
import { readTree } from '../../src/loader/tree.ts';
import { trickyText } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { config, failureOf, load } from './fixture.ts';

/** The documents of a text and where they begin, if the text is sound and without tags; else `null`. */
function read(text: string) {
  const problems = new Problems();
  const documents = parseDocuments(new SourceFile('a.yaml', text), problems).map((document) => {
    const { value, tagged } = readTree(document, () => null, problems);
    return { offset: document.offset, value, tagged };
  });
  if (problems.diagnostics.length > 0 || documents.some(({ tagged }) => tagged)) return null;
  return documents.map(({ offset, value }) => ({ offset, value }));
}

/**
 * The values that the YAML library reads by itself, without the empty documents. A key is the text in the
 * file, so `1.0: a` has the key `1.0`, where the library converts the number to text.
 */
function expected(text: string): unknown[] {
  const documents = parseAllDocuments(text, { version: '1.2', schema: 'core', logLevel: 'silent' });
  const isBlank = (document: (typeof documents)[number]) =>
    isScalar(document.contents) &&
    document.contents.source === '' &&
    document.contents.tag === undefined &&
    document.contents.anchor === undefined;
  const written = [...documents].filter((document) => !isBlank(document));
  for (const document of written)
    visit(document, {
      Pair: (_, { key }) => {
        if (isScalar(key) && key.value !== null && typeof key.value !== 'string') key.value = key.source;
      },
    });
  return written.map((document) => document.toJS());
}

/** Lines of all sorts, with a ¦ between them. */
const lines = [
  'key: value¦name: two words¦empty:¦empty: ¦tight:value¦wide :  value¦kind: ~¦on: yes¦number: 12',
  'float: 1.5¦truth: true¦hex: 0x1f¦nothing: null¦date: 2026-01-01¦null: a¦text: |¦text: >-',
  'text: |+¦text: |2¦text: | # comment¦text: |\t¦nested:¦nested: # comment¦  inner: value',
  '    deep: value¦   odd: value¦  line of text¦\ttab: value¦  \ttab¦  ¦¦# comment¦  # comment',
  'key: value # comment¦key: value#none¦---¦...¦%YAML 1.2¦- item¦key: &anchor value¦key: *anchor',
  'key: !tag value¦!tag key: value¦? key¦: value¦<<: value¦key: {a: b}¦key: [a]¦key: a: b',
  'key: "quoted"¦key: \'quoted\'¦key: "a\\tb\\u0041"¦key: "open¦key: \'open¦"quoted": value',
  'key: "a" b¦key: @value¦key: `value`¦key: %value¦key: - value¦  - item¦- name: value',
  '  - name: value¦    more: value¦- "item" # comment¦-¦- - item¦-  item¦key: [a, "b", 1]',
  'key: [ a , b ]¦key: [a,b]¦key: [a, b: c]¦key: [a,]¦key: []¦key: {}',
  'key: {a: b, c: [d, {e: f}]} # comment¦key: { a: b }¦key: {a: b, a: c}¦key: {a:b}',
  'key: {"a": b}¦key: {"a":b}¦key: [a¦  , b]¦key: [a # comment¦key: [!tag a]¦key: [a]]',
  'key: [a] b¦key: -0¦key: 007¦key: -12¦key: 123456789012345678¦__proto__: value',
  'constructor: value¦$secret: value¦key.with-all_1: value¦ключ: value¦key:\tvalue¦key: value\t',
  "key: \"it's\" # comment¦key: 'it''s'¦key: value: ¦key: ,value¦key: >\r¦a: b\r",
].flatMap((each) => each.split('¦'));
const line = fc.oneof(
  fc.constantFrom(...lines),
  fc.tuple(fc.constantFrom('a', 'b', '  c'), trickyText).map(([key, value]) => `${key}: ${value}`),
);

const name = fc.constantFrom('kind', 'name', 'body', 'description', 'a-b.c');
const text = fc.oneof(
  { weight: 3, arbitrary: trickyText },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z :#'"<>$-]{1,12}$/) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom('', '  a', 'b: c', '<p>', '# d'), { minLength: 2 })
      .map((l) => l.join('\n')),
  },
);

const written = fc
  .record({
    value: fc.dictionary(
      fc.oneof({ weight: 20, arbitrary: name }, { weight: 1, arbitrary: fc.constantFrom('null', 'a b') }),
      fc.oneof(
        { weight: 12, arbitrary: text },
        { weight: 3, arbitrary: fc.dictionary(name, text, { minKeys: 1, maxKeys: 3 }) },
        {
          weight: 2,
          arbitrary: fc.array(fc.oneof(text, fc.dictionary(name, text, { maxKeys: 2 })), { maxLength: 3 }),
        },
        { weight: 2, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null)) },
      ),
      { minKeys: 1, maxKeys: 5 },
    ),
    options: fc.record({
      indent: fc.constantFrom(1, 2, 4),
      lineWidth: fc.constantFrom(0, 20, 80),
      defaultStringType: fc.constantFrom(
        ...(['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const),
      ),
      singleQuote: fc.constantFrom(true, false, null),
      collectionStyle: fc.constantFrom('any', 'any', 'flow'),
      indentSeq: fc.boolean(),
    }),
  })
  .map(({ value, options }) => stringify(value, options));

const several = fc.array(written, { minLength: 1, maxLength: 3 }).map((all) => all.join('---\n'));

const assembled = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 7 }), fc.constantFrom('\n', '\n', '\r\n'))
  .map(([lines, end]) => lines.join(end) + end);

/** A text with some characters taken out, put in or doubled. */
const damaged = fc
  .tuple(
    fc.oneof(written, assembled),
    fc.array(
      fc.record({
        at: fc.nat(),
        remove: fc.nat({ max: 3 }),
        insert: fc.constantFrom('', ' a: ', ...' :\n"|-#\t,[]{}'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((changed, { at, remove, insert }) => {
      const place = at % (changed.length + 1);
      return changed.slice(0, place) + insert + changed.slice(place + remove);
    }, text),
  );

const numericKeys = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom('1.0', '007', '1e3', 'True'),
  )
  .map((key) => `{ ${key}: a }\n`);

describe('a text without tags', () => {
  it.each([
    ['of plain manifests', written, 0.9],
    ['of several in a file', several, 0.8],
    ['of lines of all sorts', assembled, 0.05],
    ['of damaged texts', damaged, 0.05],
    ['of keys that are numbers', numericKeys, 0.9],
  ])('is read as the YAML library reads it, %s', (_, texts, least) => {
    let [all, sound] = [0, 0];
    fc.assert(
      fc.property(texts, (yaml) => {
        const found = read(yaml);
        all += 1;
        if (!found || found.length === 0) return;
        sound += 1;
        expect(JSON.stringify(found.map(({ value }) => value))).toBe(JSON.stringify(expected(yaml)));
      }),
      { numRuns: runs(5000) },
    );
    // Were nothing sound, the law would hold all the same.
    expect(sound / all).toBeGreaterThan(least);
  });

  it('may hold several documents, whose offsets do not count what precedes them', () => {
    expect(read('# First\n---\na: b\n--- # second\n\nc: d\n')).toEqual([
      { offset: 12, value: { a: 'b' } },
      { offset: 31, value: { c: 'd' } },
    ]);
    expect(read('')).toEqual([]);
  });

  it.each([
    'a: [b]c',
    'a: [b}',
    'a: {b: c]',
    'a: "b"# c',
    'a: {b: c, b: d}',
    'a: b\na: c',
    '<<: a',
    '--- a: b',
  ])('is refused where it is `%s`', (text) => expect(read(`${text}\n`)).toBeNull());
});

describe('the size of a project', () => {
  const half = 'x'.repeat(512 * 1024 - 200);
  const template = (key: string, body: string) =>
    `kind: NotificationTemplate\nkey: ${key}\nmedium: EMAIL\nlocale: en\nbody: ${body}\n`;
  const limited = `${config()}sizeLimit: 1\n`;

  it('is limited, which is one problem with the first file beyond, and where to raise it', () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((key) => [`config/${key}.yaml`, template(key, half)]),
    );
    expect(load({ ...files, 'tenantctl.yaml': config() }).resources).toHaveLength(5);
    expect(failureOf({ ...files, 'tenantctl.yaml': limited })).toMatchObject([
      {
        code: 'project-too-large',
        source: { file: 'config/c.yaml' },
        hint: expect.stringContaining('sizeLimit'),
      },
    ]);
  });

  it.each([
    ['a variable', '!var big', '!var big', 'config/3.yaml', 4],
    ['texts with a variable', '!format "%{big}"', '!format "%{big}"', 'config/3.yaml', 4],
    ['aliases', `&x "${half.slice(0, 50_000)}"`, '[*x, *x, *x]', 'config/5.yaml', 1],
  ])('counts %s as often as manifests use it, in one or in many', (_, first, again, file, line) => {
    const manifest = (key: number, count: number) =>
      `kind: SimIntegration\nname: k${key}\nattributes:\n  a: ${first}\n  list:\n    - 1\n${`    - ${again}\n`.repeat(count)}`;
    const big = half.slice(0, 150_000);
    const filesOf = (count: number, uses: number) => ({
      'tenantctl.yaml': `${config(`    variables: { big: ${big} }\n`)}sizeLimit: 1\n`,
      ...Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`config/${at}.yaml`, manifest(at, uses)]),
      ),
    });
    expect(load(filesOf(3, 1)).resources).toHaveLength(3);
    const problemsOf = (count: number, uses: number) =>
      failureOf(filesOf(count, uses)).filter(({ severity }) => severity === 'error');
    const problem = { code: 'project-too-large', hint: expect.stringContaining('sizeLimit') };
    expect(problemsOf(6, 1)).toMatchObject([{ ...problem, source: { file, line } }]);
    expect(problemsOf(1, 7)).toMatchObject([problem]);
  });

  it('does not count files that are no manifests, though manifests may follow', () => {
    const files = {
      'tenantctl.yaml': limited,
      'config/a.yml': `# ${half}${half}${half}`,
      'config/b.yaml': 'kind: SenderAddress\nemail: b@b.example\n',
    };
    expect(load(files)).toMatchObject({ resources: [{ key: ['b@b.example'] }], diagnostics: [] });
  });

  it('counts a file as often as it is included', () => {
    const text = { 'config/text.txt': half, 'tenantctl.yaml': limited };
    const including = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`config/${at}.yaml`, template(`k${at}`, '!file text.txt')]),
      );
    expect(load({ ...text, ...including(2) }).resources).toHaveLength(2);
    expect(failureOf({ ...text, ...including(3) })).toMatchObject([{ code: 'project-too-large' }]);
  });
});

describe('a position that is asked for after reading', () =>
  it('is found again in files with many documents, one after the other and back', () => {
    const file = (name: string) =>
      ['a', 'b']
        .map((key) => `---\n# ${name}\nkind: SenderAddress\nemail: ${key}@${name}.example\n`)
        .join('');
    const all = load({ 'config/one.yaml': file('one'), 'config/two.yaml': file('two') }).resources;
    const found = [...all, ...all.toReversed()].map(
      (each) => [each.key[0], each.point('/email').source] as const,
    );
    for (const [email, { file: path, line, column }] of found)
      expect(`${path}:${line}:${column}`).toBe(
        `config/${email?.slice(2, 5)}.yaml:${email?.startsWith('a') ? 4 : 8}:8`,
      );
  }));

describe('memory', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');

  /** In bytes, after everything that nobody needs is gone. */
  function heapUsed(): number {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  }

  // V8 keeps what the parser concatenates as a tree, of twenty times its size.
  it.each(['double', 'single'])('keeps texts in %s quotes in about their own size', (quotes) => {
    const quote = quotes === 'double' ? '"' : "'";
    const lines = Array.from(
      { length: 5000 },
      (_, at) => `k${at}: ${quote}${at}${'-text'.repeat(20)}${quote}\n`,
    );
    const text = lines.join('');
    const before = heapUsed();
    const values = read(text);
    const used = heapUsed() - before;
    expect(values).toHaveLength(1);
    expect(used).toBeLessThan(8 * text.length);
  });
});
