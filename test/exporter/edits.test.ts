/** Edits of a manifest's text: what changes, and that nothing else does. */
import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../src/exporter/edit/apply-edits.ts';
import { check, insert, named, remove, set } from './editing.ts';

describe('setting a text', () =>
  check([
    ['plain', 'a: old # why\nb: 1\n', set('a', 'new'), 'a: new # why\nb: 1\n'],
    ['in double quotes', 'a: "old"  # why\n', set('a', 'new'), 'a: "new"  # why\n'],
    ['in single quotes', "a: 'old'\n", set('a', "it's"), "a: 'it''s'\n"],
    ['in single quotes that cannot hold it', "a: 'old'\n", set('a', 'x\u0007y'), 'a: "x\\u0007y"\n'],
    ['plain that could be read as something else', 'a: old\n', set('a', 'yes'), 'a: "yes"\n'],
    ['of an anchor, which stays', 'a: &x old\nb: 1\n', set('a', 'new'), 'a: new\nb: 1\n'],
    ['in the place of a tag', 'a: !var x # why\n', set('a', 'new'), 'a: new # why\n'],
    ['in the place of nothing', 'a:\nb: 1\n', set('a', 'new'), 'a: new\nb: 1\n'],
    ['in the place of a number', 'a: 12\n', set('a', 'x'), 'a: x\n'],
    ['in the place of null', 'a: ~ # why\n', set('a', 'x'), 'a: x # why\n'],
    ['in an item', 'a:\n  - one # 1\n  - two # 2\n', set('a.1', 'new'), 'a:\n  - one # 1\n  - new # 2\n'],
    ['in flow style', 'a: {b: old, c: 1} # why\n', set('a.b', 'new'), 'a: {b: new, c: 1} # why\n'],
    ['in flow style with a comma in it', 'a: [old, 1]\n', set('a.0', 'x, y'), 'a: ["x, y", 1]\n'],
    ['at the end of a file without line end', 'b: 1\na: old', set('a', 'new'), 'b: 1\na: new'],
    ['of an anchor and a tag, which go', 'a: &x !t old # why\n', set('a', 'new'), 'a: new # why\n'],
    ['of a tag and an anchor, which go', 'a: !t &x old # why\n', set('a', 'new'), 'a: new # why\n'],
    ['to a tag', 'a: !var x\nb: 1\n', set('a', { $secret: 'S' }), 'a: !secret S\nb: 1\n'],
    ['in the place of nothing in flow style', 'a: {b: , c: 1}\n', set('a.b', 'x'), 'a: {b: x, c: 1}\n'],
    [
      'in the place of nothing before a comment',
      'a: # why\n  # more\nb: # last\n',
      set('a', 'x'),
      'a: x # why\n  # more\nb: # last\n',
    ],
    ['in the place of nothing at the end', 'b: 1\na: # last\n\n', set('a', 'x'), 'b: 1\na: x # last\n\n'],
    ['for an empty item with a comment', 'a:\n  - # no\n  - 1\n', set('a.0', 'x'), 'a:\n  - x # no\n  - 1\n'],
    ['close after a colon', 'a: [1, {b:}]\n', set('a.1.b', 'x'), 'a: [1, {b: x}]\n'],
    ['in the place of an empty item', 'a:\n  -\n  - 1\n', set('a.0', 'x'), 'a:\n  - x\n  - 1\n'],
    ['below a key of its own line', '? a\n: old\nb: 1\n', set('a', 'x'), '? a\n: x\nb: 1\n'],
    ['in the place of a text over two lines', 'a: x\n  y # why\nb: 1\n', set('a', 'z'), 'a: z # why\nb: 1\n'],
    ['over two lines in quotes', 'a: "x\n  y"\nb: 1\n', set('a', 'z'), 'a: "z"\nb: 1\n'],
    ['of a key in quotes', '"a b": old\n', set('a b', 'new'), '"a b": new\n'],
    ['of a key that is a number', '1: old\n', set('1', 'new'), '1: new\n'],
    ['of a list without a name', '- 1\n- 2\n', set('0', 'x'), '- x\n- 2\n'],
    ['with half a character, which is escaped', 'a: "x" # why\n', set('a', '\ud800'), 'a: "\\ud800" # why\n'],
    ['that is empty', 'a: old\n', set('a', ''), 'a: ""\n'],
    ['to null', 'a: old # why\n', set('a', null), 'a: null # why\n'],
    ['to a number and back', 'a: 1\n', set('a', 2.5), 'a: 2.5\n'],
  ]));

describe('the name beside an id', () => {
  const lookup = { $lookup: { from: 'x' } };
  check([
    ['takes the place of another', 'a: 1c # Old\nb: 1\n', named(set('a', '2c')), 'a: 2c  # New\nb: 1\n'],
    ['is new', 'a: 1c\nb: 1\n', named(set('a', '2c')), 'a: 2c  # New\nb: 1\n'],
    ['is new at the end of a file', 'a: 1c', named(set('a', '2c')), 'a: 2c  # New'],
    ['comes with an item', 'a:\n- 1c\nb: 1\n', named(insert('a.1', '2c')), 'a:\n- 1c\n- 2c  # New\nb: 1\n'],
    ['is moved beside a tag', 'a: 1c # Old\n', named(set('a', lookup)), 'a: !lookup { from: x }  # New\n'],
    ['does not come to a block', 'a: 1c\nb: 1\n', named(set('a', 'x\n')), 'a: |\n  x\nb: 1\n'],
    ['does not come into a block', 'a: |-\n  1c\nb: 1\n', named(set('a', '2c')), 'a: |-\n  2c\nb: 1\n'],
    ['does not come to a tag', 'a: 1c\n', named(set('a', lookup)), 'a: !lookup { from: x }\n'],
    ['does not come into a list on one line', 'a: [1c] # Old\n', named(set('a.0', '2c')), 'a: [2c] # Old\n'],
    ['keeps CRLF line ends', 'a: 1c # Old\r\nb: 1\r\n', named(set('a', '2c')), 'a: 2c  # New\r\nb: 1\r\n'],
  ]);
});

describe('setting a text of several lines', () =>
  check([
    ['in a block', 'a: |\n  one\n  two\nb: 1\n', set('a', 'one\nnew\n'), 'a: |\n  one\n  new\nb: 1\n'],
    ['with its indentation', 'a: |\n     one\nb: 1\n', set('a', 'x\ny\n'), 'a: |\n     x\n     y\nb: 1\n'],
    ['with the comment of its head', 'a: | # why\n  one\n', set('a', 'x\n'), 'a: | # why\n  x\n'],
    ['without an end of line', 'a: |\n  one\n', set('a', 'x\ny'), 'a: |-\n  x\n  y\n'],
    ['with an end of line again', 'a: |-\n  one\n', set('a', 'x\ny\n'), 'a: |\n  x\n  y\n'],
    ['with blank lines inside', 'a: |\n  one\nb: 1\n', set('a', 'x\n\ny\n'), 'a: |\n  x\n\n  y\nb: 1\n'],
    ['with the blank lines below it', 'a: |\n  one\n\nb: 1\n', set('a', 'x\n'), 'a: |\n  x\n\nb: 1\n'],
    ['in a folded block', 'a: >\n  one\n  two\n', set('a', 'x\ny\n'), 'a: >\n  x\n\n  y\n'],
    ['in the place of a plain text', 'a: old\nb: 1\n', set('a', 'x\ny\n'), 'a: |\n  x\n  y\nb: 1\n'],
    ['beside a comment, which stays', 'a: old # why\n', set('a', 'x\ny\n'), 'a: "x\\ny\\n" # why\n'],
    ['with many ends of line', 'a: |+\n  one\n\nb: 1\n', set('a', 'x\n\n\n'), 'a: |+\n  x\n\n\nb: 1\n'],
    ['with one end of line of many', 'a: |+\n  one\n\nb: 1\n', set('a', 'x\n'), 'a: |\n  x\nb: 1\n'],
    ['with one more end of line', 'a: |\n  one\nb: 1\n', set('a', 'x\n\n'), 'a: |+\n  x\n\nb: 1\n'],
    ['below a blank line', 'a: |\n\n  one\nb: 1\n', set('a', 'x\ny\n'), 'a: |\n  x\n  y\nb: 1\n'],
    ['with a given margin', 'a: |2\n   one\n  two\nb: 1\n', set('a', 'x\ny\n'), 'a: |\n  x\n  y\nb: 1\n'],
    ['in a folded one', 'a: >-\n  one\nb: 1\n', set('a', 'x\n\ny'), 'a: >-\n  x\n\n\n  y\nb: 1\n'],
    ['at the end of a file without line end', 'a: |\n  one', set('a', 'x\ny'), 'a: |-\n  x\n  y'],
    ['that had no end, at the end of a file', 'a: |-\n  one', set('a', 'x\ny\n'), 'a: |\n  x\n  y'],
    [
      'in an item of a file of Windows',
      'a:\r\n  - |\r\n    one\r\n    two\r\n  - 2\r\n',
      set('a.0', 'x\ny\n'),
      'a:\r\n  - |\r\n    x\r\n    y\r\n  - 2\r\n',
    ],
    [
      'in a member of an item',
      'a:\n  - b: old\n    c: 1\n',
      set('a.0.b', 'x\ny\n'),
      'a:\n  - b: |\n      x\n      y\n    c: 1\n',
    ],
    ['that ends with a hard blank', 'a: |\n  one\u00a0\nb: 1\n', set('a', ' x'), 'a: " x"\nb: 1\n'],
    ['in an item', 'a:\n  - old\n  - 2\n', set('a.0', 'x\ny\n'), 'a:\n  - "x\\ny\\n"\n  - 2\n'],
    ['in single quotes', "a: 'old' # why\n", set('a', 'x\ny\n'), 'a: "x\\ny\\n" # why\n'],
    [
      'that becomes null, with the comment of its head',
      'a: | # why\n  one\nb: 1\n',
      set('a', null),
      'a: null # why\nb: 1\n',
    ],
    ['that begins with a blank', 'a: > # why\n  one\nb: 1\n', set('a', ' x'), 'a: " x" # why\nb: 1\n'],
    ['that becomes one folded line', 'a: > # why\n  one\nb: 1\n', set('a', 'x'), 'a: >- # why\n  x\nb: 1\n'],
    ['in flow style', 'a: {b: old}\n', set('a.b', 'x\ny\n'), 'a: {b: "x\\ny\\n"}\n'],
    ['that begins with a blank', 'a: |\n  one\n', set('a', '  x\ny\n'), 'a: "  x\\ny\\n"\n'],
    ['that becomes one line', 'a: |\n  one\n  two\nb: 1\n', set('a', 'x'), 'a: |-\n  x\nb: 1\n'],
    ['with a hidden sign', 'a: |\n  one\nb: 1\n', set('a', 'x\u200by\nz\n'), 'a: "x\\u200by\\nz\\n"\nb: 1\n'],
  ]));

describe('setting a collection', () =>
  check([
    ['in block style', 'a: # why\n  b: 1\nc: 1\n', set('a', { d: 'x' }), 'a: # why\n  d: x\nc: 1\n'],
    ['in flow style', 'a: {b: 1} # why\n', set('a', { d: 'x' }), 'a: { d: x } # why\n'],
    ['instead of text', 'a: old\nc: 1\n', set('a', { d: 'x', e: ['z'] }), 'a:\n  d: x\n  e: [z]\nc: 1\n'],
    [
      'in the place of one with an anchor',
      'x:\n  a: &x\n    b: 1\n  c: 1\n',
      set('x.a', { d: 'x', e: ['z'] }),
      'x:\n  a:\n    d: x\n    e: [z]\n  c: 1\n',
    ],
    ['in the place of one with a tag', 'a: !t\n  b: 1\nc: 1\n', set('a', { d: 'x' }), 'a:\n  d: x\nc: 1\n'],
    ['in the place of nothing', 'a:\nc: 1\n', set('a', { d: 'x' }), 'a:\n  d: x\nc: 1\n'],
    [
      'in the place of nothing before a comment',
      'b: 1\na: # why\n\n# end\n',
      set('a', { d: 'x' }),
      'b: 1\na: # why\n  d: x\n\n# end\n',
    ],
    [
      'in the place of an item with an anchor',
      'a:\n  - &x\n    b: 1\n  - 2\n',
      set('a.0', { d: 'x', e: 'z' }),
      'a:\n  - d: x\n    e: z\n  - 2\n',
    ],
    ['a list in a list', 'a:\n  - - 1\n    - 2\n', set('a.0', ['u', 'v']), 'a:\n  - - u\n    - v\n'],
    ['by a text', 'a:\n  b: 1\n  c: 2\nd: 1\n', set('a', 'x'), 'a: x\nd: 1\n'],
    ['by a text beside its comment', 'a: # why\n  b: 1\nc: 1\n', set('a', 'x'), 'a: x # why\nc: 1\n'],
    ['by a text above its comment', 'a:\n  # why\n  b: 1\nc: 1\n', set('a', 'x'), 'a: x\n  # why\nc: 1\n'],
    ['in a list in flow style', 'a: [1, 2] # why\nb: 1\n', set('a', ['u']), 'a: [u] # why\nb: 1\n'],
    [
      'in a file of Windows',
      'a: old\r\nb: 1\r\n',
      set('a', { d: 'x', e: 'one\ntwo\n' }),
      'a:\r\n  d: x\r\n  e: |\r\n    one\r\n    two\r\nb: 1\r\n',
    ],
    ['of members below a key by itself', '? a\n: old\nb: 1\n', set('a', { d: 1 }), '? a\n:\n  d: 1\nb: 1\n'],
    ['by an empty one', 'a:\n  b: 1\nd: 1\n', set('a', []), 'a: []\nd: 1\n'],
    ['a list', 'a:\n  - 1\n  - 2\nd: 1\n', set('a', ['u', 'v', 'w']), 'a:\n  - u\n  - v\n  - w\nd: 1\n'],
    ['item', 'a:\n  - b: 1\n  - c\n', set('a.1', { d: 'x', e: 'z' }), 'a:\n  - b: 1\n  - d: x\n    e: z\n'],
  ]));

describe('inserting', () =>
  check([
    ['a last member', 'a:\n  b: 1 # why\nd: 1\n', insert('a.c', 'x'), 'a:\n  b: 1 # why\n  c: x\nd: 1\n'],
    ['a member in flow style', 'a: {b: 1} # why\n', insert('a.c', 'x'), 'a: {b: 1, c: x} # why\n'],
    ['a member in an empty mapping', 'a: {}\n', insert('a.c', 'x'), 'a: { c: x }\n'],
    ['an item at the end', 'a:\n  - 1 # why\nd: 1\n', insert('a.1', 'x'), 'a:\n  - 1 # why\n  - x\nd: 1\n'],
    [
      'an item before another',
      'a:\n  # first\n  - 1\n  # second\n  - 2\n',
      insert('a.1', 'x'),
      'a:\n  # first\n  - 1\n  - x\n  # second\n  - 2\n',
    ],
    ['an item in flow style', 'a: [1, 2]\n', insert('a.1', 'x'), 'a: [1, x, 2]\n'],
    ['an item at the end in flow style', 'a: [1, 2]\n', insert('a.2', 'x'), 'a: [1, 2, x]\n'],
    ['an item without indentation', 'a:\n- 1\n- 2\nd: 1\n', insert('a.2', 'x'), 'a:\n- 1\n- 2\n- x\nd: 1\n'],
    [
      'a mapping into a list of one-line mappings',
      'a:\n  - {b: 1}\n  - {b: 2}\n',
      insert('a.2', { b: 3 }),
      'a:\n  - {b: 1}\n  - {b: 2}\n  - { b: 3 }\n',
    ],
    [
      'a mapping into a list of mappings',
      'a:\n  - b: 1\n    c: 2\n',
      insert('a.1', { b: 3, c: 4 }),
      'a:\n  - b: 1\n    c: 2\n  - b: 3\n    c: 4\n',
    ],
    ['a first item', 'a:\n  - 1 # why\nb: 1\n', insert('a.0', 'x'), 'a:\n  - x\n  - 1 # why\nb: 1\n'],
    [
      'an item of several lines before the first',
      'a:\n  # first\n  - b: 1\n    c: 2\n',
      insert('a.0', { b: 3, c: 4 }),
      'a:\n  - b: 3\n    c: 4\n  # first\n  - b: 1\n    c: 2\n',
    ],
    [
      'a member below blank lines that belong to a text',
      'a:\n  b: |+\n    one\n\n\nc: 1\n',
      insert('a.d', 'x'),
      'a:\n  b: |+\n    one\n\n\n  d: x\nc: 1\n',
    ],
    [
      'a member below such lines at the end of the file',
      'a:\n  b: |+\n    one\n\n',
      insert('a.d', 'x'),
      'a:\n  b: |+\n    one\n\n  d: x\n',
    ],
    [
      'an item below others that are alone on their lines in flow style',
      'a: [\n  1, # one\n  2 # two\n]\n',
      insert('a.2', 'x'),
      'a: [\n  1, # one\n  2, # two\n  x\n]\n',
    ],
    [
      'an item below a comma at the end in flow style',
      'a: [\n  1,\n  2,\n]\n',
      insert('a.2', 'x'),
      'a: [\n  1,\n  2,\n  x,\n]\n',
    ],
    ['an item far behind the end', 'a:\n  - 1\n  - 2\n', insert('a.9', 'x'), 'a:\n  - 1\n  - 2\n  - x\n'],
    ['the first item in flow style', 'a: [1, 2]\n', insert('a.0', 'x'), 'a: [x, 1, 2]\n'],
    ['an item in an empty list', 'a: [] # why\nb: 1\n', insert('a.0', 'x'), 'a: [x] # why\nb: 1\n'],
    ['an inner item', 'a:\n  - - 1\n    - 2\n', insert('a.0.2', 3), 'a:\n  - - 1\n    - 2\n    - 3\n'],
    ['an item below a key alone', '? a\n: - 1\n  - 2\n', insert('a.1', 3), '? a\n: - 1\n  - 3\n  - 2\n'],
    ['an item after one on the first line', 'a: [1,\n  2]\n', insert('a.2', 3), 'a: [1,\n  2, 3]\n'],
    ['a member beside an empty one', 'a:\n  b:\n', insert('a.c', 1), 'a:\n  b:\n  c: 1\n'],
    ['one before blank lines', 'a:\n  b: 1\n\n\nc: 1\n', insert('a.d', 2), 'a:\n  b: 1\n  d: 2\n\n\nc: 1\n'],
    ['a member before a comment', 'a:\n  b: 1\n# end\n', insert('a.c', 2), 'a:\n  b: 1\n  c: 2\n# end\n'],
    [
      'members alone on their lines in flow style',
      'a: {\n  b: 1,\n  c: 2, # why\n}\n',
      insert('a.d', 3),
      'a: {\n  b: 1,\n  c: 2, # why\n  d: 3,\n}\n',
    ],
    [
      'a list into a list that is not all on one line',
      'a:\n  - [1]\n  - b: 1\n',
      insert('a.2', ['u', 'v']),
      'a:\n  - [1]\n  - b: 1\n  - - u\n    - v\n',
    ],
    [
      'a mapping with the indentation of its neighbors',
      'a:\n    b: 1\n    c:\n        - 1\n',
      insert('a.c.1', { d: 1, e: 2 }),
      'a:\n    b: 1\n    c:\n        - 1\n        - { d: 1, e: 2 }\n',
    ],
    ['a member that is there', 'a:\n  b: 1\n', insert('a.b', 3), null],
    ['at the end of a file without line end', 'a:\n  - 1', insert('a.1', 'x'), 'a:\n  - 1\n  - x'],
    ['into what is no collection', 'a: 1\n', insert('a.b', 'x'), null],
  ]));

describe('removing', () =>
  check([
    ['a member with its comment', 'a:\n  b: 1 # why\n  c: 2\n', remove('a.b'), 'a:\n  c: 2\n'],
    ['the last member', 'a:\n  b: 1\n  c: 2 # why\nd: 1\n', remove('a.c'), 'a:\n  b: 1\nd: 1\n'],
    ['a member of several lines', 'a:\n  b:\n    - 1\n    - 2\n  c: 2\n', remove('a.b'), 'a:\n  c: 2\n'],
    ['an item', 'a:\n  - 1\n  - 2 # why\n  - 3\n', remove('a.1'), 'a:\n  - 1\n  - 3\n'],
    ['the first item', 'a:\n  - 1\n  - 2\n', remove('a.0'), 'a:\n  - 2\n'],
    ['the only item', 'a:\n  - 1\nb: 1\n', remove('a.0'), 'a: []\nb: 1\n'],
    ['a member in flow style', 'a: {b: 1, c: 2}\n', remove('a.b'), 'a: {c: 2}\n'],
    ['the last in flow style', 'a: {b: 1, c: 2}\n', remove('a.c'), 'a: {b: 1}\n'],
    ['the only one in flow style', 'a: {b: 1}\nd: 1\n', remove('a.b'), 'a: {}\nd: 1\n'],
    ['an item in flow style', 'a: [1, 2, 3]\n', remove('a.1'), 'a: [1, 3]\n'],
    [
      'an item alone on its line in flow style',
      'a: [\n  1, # one\n  2, # two\n  3\n]\n',
      remove('a.1'),
      'a: [\n  1, # one\n  3\n]\n',
    ],
    [
      'an item, but no comment of its own line',
      'a:\n  - 1\n\n  # two\n  - 2\n\nb: 1\n',
      remove('a.1'),
      'a:\n  - 1\n\n  # two\n\nb: 1\n',
    ],
    ['the last, alone on its line', 'a: {\n  b: 1,\n  c: 2\n}\n', remove('a.c'), 'a: {\n  b: 1\n}\n'],
    ['the last before a comma in flow', 'a: {\n  b: 1,\n  c: 2,\n}\n', remove('a.c'), 'a: {\n  b: 1,\n}\n'],
    ['the second on a line in flow style', 'a: [\n  1, 2 ]\n', remove('a.1'), 'a: [\n  1 ]\n'],
    ['a member without a value', 'a:\n  b:\n  c: 1\n', remove('a.b'), 'a:\n  c: 1\n'],
    [
      'a text, but no blank lines at its end',
      'a:\n  b: 1\n  c: |+\n    one\n\nd: 1\n',
      remove('a.c'),
      'a:\n  b: 1\n\nd: 1\n',
    ],
    ['an item of a list without a name', '- 1\n- 2\n', remove('1'), '- 1\n'],
    ['the only member of the document', 'a: 1\n', remove('a'), null],
    ['a whole field', 'a: 1\nb:\n  c: 2\nd: 1\n', remove('b'), 'a: 1\nd: 1\n'],
    ['what is not there', 'a: 1\n', remove('b'), null],
  ]));

describe('an alias', () => {
  const shared = 'a: &x\n  b: 1\nc: *x\nd: *x\n';
  check([
    ['becomes a value where it changes', shared, set('c.b', 2), 'a: &x\n  b: 1\nc:\n  b: 2\nd: *x\n'],
    ['that is removed is of no concern', 'a: &x 1\nb: *x\nc: 2\n', remove('b'), 'a: &x 1\nc: 2\n'],
    ['in flow style becomes a value', 'a: &x 1\nb: { c: *x }\n', set('b.c', 2), 'a: &x 1\nb: { c: 2 }\n'],
    ['inside what is replaced is of no concern', 'a: &x 1\nb: { c: *x }\n', set('b', 'z'), 'a: &x 1\nb: z\n'],
    ['gets an item of its own', 'a: &x [1]\nb: [*x, 2]\n', insert('b.0.1', 5), 'a: &x [1]\nb: [[1, 5], 2]\n'],
    [
      'keeps its tag, and true, false or nothing',
      'a: &x { b: !var host, c: 1, d: true, e: ~ }\nz: *x\n',
      set('z.c', 2),
      'a: &x { b: !var host, c: 1, d: true, e: ~ }\nz:\n  b: !var host\n  c: 2\n  d: true\n  e: null\n',
    ],
    ['keeps its anchor from changing', shared, set('a.b', 2), null],
    ['keeps its anchor from being removed', 'a: &x 1\nb: *x\n', remove('a'), null],
  ]);
});

describe('edits', () => {
  it('are applied in order, all or none', () => {
    const text = 'a:\n  - 1\n  - 2\nb: x\n';
    expect(applyEdits(text, [remove('a.1'), insert('a.1', 3), set('b', 'z')])).toBe(
      'a:\n  - 1\n  - 3\nb: z\n',
    );
    expect(applyEdits(text, [set('b', 'z'), remove('c')])).toBeNull();
    expect(applyEdits(text, [remove('c'), set('b', 'z')])).toBeNull();
    expect(applyEdits(text, [set('b', 'z'), insert('a', 3), set('a', 3)])).toBeNull();
    expect(applyEdits(text, [])).toBe(text);
    expect(applyEdits('a: [', [set('a', 1)])).toBeNull();
  });

  it('keep the line ends of Windows', () => {
    const text = 'a:\r\n  b: 1\r\nc: x\r\n';
    expect(applyEdits(text, [insert('a.d', 'z'), set('c', 'one\ntwo\n')])).toBe(
      'a:\r\n  b: 1\r\n  d: z\r\nc: |\r\n  one\r\n  two\r\n',
    );
    expect(applyEdits(text, [remove('a.b')])).toBe('a: {}\r\nc: x\r\n');
  });
});
