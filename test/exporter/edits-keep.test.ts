/** What an edit of a manifest's text keeps around it: comments, aliases' values, blank lines, the layout of lists. */
import { describe } from 'vitest';
import { check, insert, named, remove, set } from './editing.ts';

describe('a byte order mark stays', () =>
  check([['at the start', '\ufeffa: 1\n{+b: 2\n+}', insert('b', 2)]]));

describe('comments between items stay where', () =>
  check([
    ['one comes before the first', 'a:\n{+  - x\n+}  - 1 # one\n  - 2 # two\n  - 3\n', insert('a.0', 'x')],
    [
      'one comes between items in flow style',
      'a: [\n  1, # one\n  {+x, +}2, # two\n  3\n]\n',
      insert('a.1', 'x'),
    ],
    [
      'one comes before the first in flow style',
      'a: [ # all\n  {+x, +}1, # one\n  2\n]\n',
      insert('a.0', 'x'),
    ],
    [
      'one comes to a list in flow style above another list',
      'a: [\n  1, # one\n  2{+,+}\n{+  x\n+}]\nb: [1, 2]\n',
      insert('a.2', 'x'),
    ],
    [
      'one comes after a comma that is apart',
      'a: [\n  1, # one\n  2 , # two\n{+  x,\n+}]\n',
      insert('a.2', 'x'),
    ],
    ['the last goes, with no line end below it', 'a:\n  - 1 # one\n  - 2 # two\n[-  - 3-]', remove('a.2')],
    ['the first goes', 'a:\n[-  - 1 # one\n-]  - 2 # two\n  - 3\n', remove('a.0')],
    ['the last one goes in flow style', 'a: [\n  1[-,-] # one\n[-  2 # two\n-]]\n', remove('a.1')],
    [
      'the last line goes in flow style',
      'a: {\n  b: 1[-,-]\n  # more\n  [-c: 2 # two\n  # -]{+# +}end\n}\n',
      remove('a.c'),
    ],
    ['one goes before a comment in flow style', 'a: [\n  1[-, 2-],\n  # three\n  3\n]\n', remove('a.1')],
    ['the last goes before a bracket', 'a: [1, # one\n  [-2-]]\n', remove('a.1')],
    ['the only one goes in flow style', 'a: [ # all\n[-  1\n-]]\n', remove('a.0')],
    [
      'a member goes from a line, above others',
      'a:\n  -[- b: 1 # one-]\n    # two\n    c: 2\n',
      remove('a.0.b'),
    ],
    ['a value below its key changes', 'a:[-\n  old-] {+new +}# why\nb: 1\n', set('a', 'new')],
    [
      'one below a key with a comment changes',
      'a: # key\n  [-[1, 2] -]{+new +}# why\nb: 1\n',
      set('a', 'new'),
    ],
    ['one goes that shares its line in flow style', 'a: [\n  [-1, -]2, # two\n  3\n]\n', remove('a.0')],
    [
      'a member goes from the line of its list',
      'a:\n  - [-b: 1 # one\n    -]c: 2 # two\n  - d\n',
      remove('a.0.b'),
    ],
    [
      'a member comes',
      'a:\n  - b: 1 # one\n    c: 2 # two\n{+    e: 3\n+}  # more\n  - d\n',
      insert('a.0.e', 3),
    ],
  ]));

describe('comments above the first item stay', () =>
  check([
    ['where one comes before it', 'a:\n{+  - x\n+}  # one\n  - 1\n  # two\n  - 2\n', insert('a.0', 'x')],
  ]));

describe('a member with a key of its own line goes', () =>
  check([
    ['alone', 'a: # why\n  # one\n[-  ? b\n  : 1\n-]  # two\n  c: 2 # c\n', remove('a.b')],
    ['as the last', 'a:\n  c: 2 # c\n[-  ? b # b\n  : - 1\n-]', remove('a.b')],
    ['in flow style', 'a: { [-? b : 1, -]# one\n  c: 2 }\n', remove('a.b')],
    ['from a list', 'a:\n  - [-? b\n    : 1\n    -]c: 2 # c\n', remove('a.0.b')],
  ]));

describe('blank lines of a text are empty lines', () =>
  check([
    ['in a block in a mapping', 'a:\n  b: [-old-]{+|+}\n{+    x\n\n    y\n+}c: 1\n', set('a.b', 'x\n\ny\n')],
    ['in a new mapping', 'a:[- old-]{+\n  b: |+}\n{+    x\n\n    y\n+}', set('a', { b: 'x\n\ny\n' })],
  ]));

describe('the layout of a value stays', () =>
  check([
    ['with blanks in the lines below a block', 'a: |\n  [-one-]{+x+}\n  \n \nb: 1\n', set('a', 'x\n')],
    ['with blank lines above a block', 'a: |\n[-\n\n     one-]{+     x+}\nb: 1\n', set('a', 'x\n')],
    ['with line ends that a file without one needs', 'a: |{+++}\n  [-one-]{+x\n\n+}', set('a', 'x\n\n')],
    [
      'with the indentation of a mapping',
      'a: # why\n      [-b: 1-]{+d:\n        e: x+}\nc: 1\n',
      set('a', { d: { e: 'x' } }),
    ],
    [
      'with the dashes of a list below its key',
      'a:\n- [-1-]{+d: x+}\n- [-2-]{+z+}\nb: 1\n',
      set('a', [{ d: 'x' }, 'z']),
    ],
  ]));

describe('the name beside an id', () =>
  check([
    ['follows blanks at the end of a line', 'a: [-1c  -]{+2c  # New+}\nb: 1\n', named(set('a', '2c'))],
    ['is left out where the value has no such place', 'a: [-1c-]{+2c+}\n', named(set('a', '2c'), '/b')],
    ['changes nothing where the edit cannot be made', 'a: 1\n', named(set('b', '2c'))],
    [
      'stands beside a member inside the value',
      'a:\n  - b: 1c\n{+  - b: 2c  # New\n+}',
      named(insert('a.1', { b: '2c' }), '/b'),
    ],
  ]));
