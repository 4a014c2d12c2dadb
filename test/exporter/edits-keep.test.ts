/** What an edit of a manifest's text keeps around it: comments, aliases' values, blank lines, the layout of lists. */
import { describe } from 'vitest';
import { check, insert, named, remove, set } from './editing.ts';

describe('a byte order mark stays', () =>
  check([['at the start', '\ufeffa: 1\n', insert('b', 2), '\ufeffa: 1\nb: 2\n']]));

describe('comments between items stay', () =>
  check([
    [
      'where one comes before the first',
      'a:\n  - 1 # one\n  - 2 # two\n  - 3\n',
      insert('a.0', 'x'),
      'a:\n  - x\n  - 1 # one\n  - 2 # two\n  - 3\n',
    ],
    [
      'where one comes between items in flow style',
      'a: [\n  1, # one\n  2, # two\n  3\n]\n',
      insert('a.1', 'x'),
      'a: [\n  1, # one\n  x, 2, # two\n  3\n]\n',
    ],
    [
      'where one comes before the first in flow style',
      'a: [ # all\n  1, # one\n  2\n]\n',
      insert('a.0', 'x'),
      'a: [ # all\n  x, 1, # one\n  2\n]\n',
    ],
    [
      'where one comes to a list in flow style above another list',
      'a: [\n  1, # one\n  2\n]\nb: [1, 2]\n',
      insert('a.2', 'x'),
      'a: [\n  1, # one\n  2,\n  x\n]\nb: [1, 2]\n',
    ],
    [
      'where one comes after a comma that stands apart',
      'a: [\n  1, # one\n  2 , # two\n]\n',
      insert('a.2', 'x'),
      'a: [\n  1, # one\n  2 , # two\n  x,\n]\n',
    ],
    [
      'where the last goes at the end of a file without line end',
      'a:\n  - 1 # one\n  - 2 # two\n  - 3',
      remove('a.2'),
      'a:\n  - 1 # one\n  - 2 # two\n',
    ],
    ['the first goes', 'a:\n  - 1 # one\n  - 2 # two\n  - 3\n', remove('a.0'), 'a:\n  - 2 # two\n  - 3\n'],
    ['of the last one in flow', 'a: [\n  1, # one\n  2 # two\n]\n', remove('a.1'), 'a: [\n  1 # one\n]\n'],
    [
      'above one that goes with the last line in flow style',
      'a: {\n  b: 1,\n  # more\n  c: 2 # two\n  # end\n}\n',
      remove('a.c'),
      'a: {\n  b: 1\n  # more\n  # end\n}\n',
    ],
    [
      'where one goes before a comment in flow style',
      'a: [\n  1, 2,\n  # three\n  3\n]\n',
      remove('a.1'),
      'a: [\n  1,\n  # three\n  3\n]\n',
    ],
    ['where the last goes before a bracket', 'a: [1, # one\n  2]\n', remove('a.1'), 'a: [1, # one\n  ]\n'],
    ['where the only one goes in flow style', 'a: [ # all\n  1\n]\n', remove('a.0'), 'a: [ # all\n]\n'],
    [
      'where a member goes that shares its line, above others',
      'a:\n  - b: 1 # one\n    # two\n    c: 2\n',
      remove('a.0.b'),
      'a:\n  -\n    # two\n    c: 2\n',
    ],
    ['beside a value below its key', 'a:\n  old # why\nb: 1\n', set('a', 'new'), 'a: new # why\nb: 1\n'],
    [
      'beside a value below a key with a comment',
      'a: # key\n  [1, 2] # why\nb: 1\n',
      set('a', 'new'),
      'a: # key\n  new # why\nb: 1\n',
    ],
    [
      'where one goes that shares its line in flow style',
      'a: [\n  1, 2, # two\n  3\n]\n',
      remove('a.0'),
      'a: [\n  2, # two\n  3\n]\n',
    ],
    [
      'where a member goes that shares its line with its list',
      'a:\n  - b: 1 # one\n    c: 2 # two\n  - d\n',
      remove('a.0.b'),
      'a:\n  - c: 2 # two\n  - d\n',
    ],
    [
      'where a member comes',
      'a:\n  - b: 1 # one\n    c: 2 # two\n  # more\n  - d\n',
      insert('a.0.e', 3),
      'a:\n  - b: 1 # one\n    c: 2 # two\n    e: 3\n  # more\n  - d\n',
    ],
  ]));

describe('comments above the first item stay', () =>
  check([
    [
      'where one comes before it',
      'a:\n  # one\n  - 1\n  # two\n  - 2\n',
      insert('a.0', 'x'),
      'a:\n  - x\n  # one\n  - 1\n  # two\n  - 2\n',
    ],
  ]));

describe('a member with a key of its own line goes', () =>
  check([
    [
      'alone',
      'a: # why\n  # one\n  ? b\n  : 1\n  # two\n  c: 2 # c\n',
      remove('a.b'),
      'a: # why\n  # one\n  # two\n  c: 2 # c\n',
    ],
    ['as the last', 'a:\n  c: 2 # c\n  ? b # b\n  : - 1\n', remove('a.b'), 'a:\n  c: 2 # c\n'],
    ['in flow style', 'a: { ? b : 1, # one\n  c: 2 }\n', remove('a.b'), 'a: { # one\n  c: 2 }\n'],
    ['from a list', 'a:\n  - ? b\n    : 1\n    c: 2 # c\n', remove('a.0.b'), 'a:\n  - c: 2 # c\n'],
  ]));

describe('blank lines of a text are empty lines', () =>
  check([
    [
      'in a new block inside a mapping',
      'a:\n  b: old\nc: 1\n',
      set('a.b', 'x\n\ny\n'),
      'a:\n  b: |\n    x\n\n    y\nc: 1\n',
    ],
    ['in a block of a new mapping', 'a: old\n', set('a', { b: 'x\n\ny\n' }), 'a:\n  b: |\n    x\n\n    y\n'],
  ]));

describe('the layout of a value stays', () =>
  check([
    [
      'with blank lines that are not empty below a block',
      'a: |\n  one\n  \n \nb: 1\n',
      set('a', 'x\n'),
      'a: |\n  x\n  \n \nb: 1\n',
    ],
    ['with blank lines above a block', 'a: |\n\n\n     one\nb: 1\n', set('a', 'x\n'), 'a: |\n     x\nb: 1\n'],
    ['with line ends that a file without one needs', 'a: |\n  one', set('a', 'x\n\n'), 'a: |+\n  x\n\n'],
    [
      'with the indentation of a mapping',
      'a: # why\n      b: 1\nc: 1\n',
      set('a', { d: { e: 'x' } }),
      'a: # why\n      d:\n        e: x\nc: 1\n',
    ],
    [
      'with the dashes of a list below its key',
      'a:\n- 1\n- 2\nb: 1\n',
      set('a', [{ d: 'x' }, 'z']),
      'a:\n- d: x\n- z\nb: 1\n',
    ],
  ]));

describe('the name beside an id', () =>
  check([
    ['follows blanks at the end of a line', 'a: 1c  \nb: 1\n', named(set('a', '2c')), 'a: 2c  # New\nb: 1\n'],
    ['is left out where the value has no such place', 'a: 1c\n', named(set('a', '2c'), '/b'), 'a: 2c\n'],
    ['changes nothing where the edit cannot be made', 'a: 1\n', named(set('b', '2c')), null],
    [
      'stands beside a member inside the value',
      'a:\n  - b: 1c\n',
      named(insert('a.1', { b: '2c' }), '/b'),
      'a:\n  - b: 1c\n  - b: 2c  # New\n',
    ],
  ]));
