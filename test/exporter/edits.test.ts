/** Edits of a manifest's text: what changes, and that nothing else does. */
import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../src/exporter/edit/apply-edits.ts';
import { check, insert, named, remove, set } from './editing.ts';

describe('setting a text', () =>
  check([
    ['plain', 'a: [-old-]{+new+} # why\nb: 1\n', set('a', 'new')],
    ['in double quotes', 'a: "[-old-]{+new+}"  # why\n', set('a', 'new')],
    ['in single quotes', "a: '[-old'-]{+it''s'+}\n", set('a', "it's")],
    ['in single quotes that cannot hold it', 'a: [-\'old\'-]{+"x\\u0007y"+}\n', set('a', 'x\u0007y')],
    ['plain that could be read as something else', 'a: [-old-]{+"yes"+}\n', set('a', 'yes')],
    ['of an anchor, which stays', 'a: [-&x old-]{+new+}\nb: 1\n', set('a', 'new')],
    ['in the place of a tag', 'a: [-!var x -]{+new +}# why\n', set('a', 'new')],
    ['in the place of nothing', 'a:{+ new+}\nb: 1\n', set('a', 'new')],
    ['in the place of a number', 'a: [-12-]{+x+}\n', set('a', 'x')],
    ['in the place of null', 'a: [-~-]{+x+} # why\n', set('a', 'x')],
    ['in an item', 'a:\n  - one # 1\n  - [-two-]{+new+} # 2\n', set('a.1', 'new')],
    ['in flow style', 'a: {b: [-old-]{+new+}, c: 1} # why\n', set('a.b', 'new')],
    ['in flow style with a comma in it', 'a: [[-old, -]{+"x, y", +}1]\n', set('a.0', 'x, y')],
    ['at the end of a file without line end', 'b: 1\na: [-old-]{+new+}', set('a', 'new')],
    ['of an anchor and a tag, which go', 'a: [-&x !t old -]{+new +}# why\n', set('a', 'new')],
    ['of a tag and an anchor, which go', 'a: [-!t &x old -]{+new +}# why\n', set('a', 'new')],
    ['to a tag', 'a: [-!var x-]{+!secret S+}\nb: 1\n', set('a', { $secret: 'S' })],
    ['in the place of nothing in flow style', 'a: {b: {+x+}, c: 1}\n', set('a.b', 'x')],
    ['in the place of nothing before a comment', 'a: {+x +}# why\n  # more\nb: # last\n', set('a', 'x')],
    ['in the place of nothing at the end', 'b: 1\na: {+x +}# last\n\n', set('a', 'x')],
    ['for an empty item with a comment', 'a:\n  - {+x +}# no\n  - 1\n', set('a.0', 'x')],
    ['close after a colon', 'a: [1, {b:{+ x+}}]\n', set('a.1.b', 'x')],
    ['in the place of an empty item', 'a:\n  -{+ x+}\n  - 1\n', set('a.0', 'x')],
    ['below a key of its own line', '? a\n: [-old-]{+x+}\nb: 1\n', set('a', 'x')],
    ['in the place of a text over two lines', 'a: [-x\n  y-]{+z+} # why\nb: 1\n', set('a', 'z')],
    ['over two lines in quotes', 'a: "[-x\n  y-]{+z+}"\nb: 1\n', set('a', 'z')],
    ['of a key in quotes', '"a b": [-old-]{+new+}\n', set('a b', 'new')],
    ['of a key that is a number', '1: [-old-]{+new+}\n', set('1', 'new')],
    ['of a list without a name', '- [-1-]{+x+}\n- 2\n', set('0', 'x')],
    ['with half a character, which is escaped', 'a: "[-x-]{+\\ud800+}" # why\n', set('a', '\ud800')],
    ['that is empty', 'a: [-old-]{+""+}\n', set('a', '')],
    ['to null', 'a: [-old-]{+null+} # why\n', set('a', null)],
    ['to a number and back', 'a: [-1-]{+2.5+}\n', set('a', 2.5)],
  ]));

describe('the name beside an id', () => {
  const lookup = { $lookup: { from: 'x' } };
  check([
    ['takes the place of another', 'a: [-1c # Old-]{+2c  # New+}\nb: 1\n', named(set('a', '2c'))],
    ['is new', 'a: [-1c-]{+2c  # New+}\nb: 1\n', named(set('a', '2c'))],
    ['is new at the end of a file', 'a: [-1c-]{+2c  # New+}', named(set('a', '2c'))],
    ['comes with an item', 'a:\n- 1c\n{+- 2c  # New\n+}b: 1\n', named(insert('a.1', '2c'))],
    ['is moved beside a tag', 'a: [-1c # Old-]{+!lookup { from: x }  # New+}\n', named(set('a', lookup))],
    ['does not come to a block', 'a: [-1c-]{+|+}\n{+  x\n+}b: 1\n', named(set('a', 'x\n'))],
    ['does not come into a block', 'a: |-\n  [-1c-]{+2c+}\nb: 1\n', named(set('a', '2c'))],
    ['does not come to a tag', 'a: [-1c-]{+!lookup { from: x }+}\n', named(set('a', lookup))],
    ['does not come into a list on one line', 'a: [[-1c-]{+2c+}] # Old\n', named(set('a.0', '2c'))],
    ['keeps CRLF line ends', 'a: [-1c # Old-]{+2c  # New+}\r\nb: 1\r\n', named(set('a', '2c'))],
  ]);
});

describe('setting a text of several lines', () =>
  check([
    ['in a block', 'a: |\n  one\n  [-two-]{+new+}\nb: 1\n', set('a', 'one\nnew\n')],
    ['with its indentation', 'a: |\n     [-one-]{+x+}\n{+     y\n+}b: 1\n', set('a', 'x\ny\n')],
    ['with the comment of its head', 'a: | # why\n  [-one-]{+x+}\n', set('a', 'x\n')],
    ['without an end of line', 'a: |{+-+}\n  [-one-]{+x+}\n{+  y\n+}', set('a', 'x\ny')],
    ['with an end of line again', 'a: |[---]\n  [-one-]{+x+}\n{+  y\n+}', set('a', 'x\ny\n')],
    ['with blank lines inside', 'a: |\n  [-one-]{+x+}\n{+\n  y\n+}b: 1\n', set('a', 'x\n\ny\n')],
    ['with the blank lines below it', 'a: |\n  [-one-]{+x+}\n\nb: 1\n', set('a', 'x\n')],
    ['in a folded block', 'a: >\n  [-one-]{+x+}\n[-  two-]{+\n  y+}\n', set('a', 'x\ny\n')],
    ['in the place of a plain text', 'a: [-old-]{+|+}\n{+  x\n  y\n+}b: 1\n', set('a', 'x\ny\n')],
    ['beside a comment, which stays', 'a: [-old-]{+"x\\ny\\n"+} # why\n', set('a', 'x\ny\n')],
    ['with many ends of line', 'a: |+\n  [-one-]{+x+}\n\n{+\n+}b: 1\n', set('a', 'x\n\n\n')],
    ['with one end of line of many', 'a: |[-+-]\n  [-one-]{+x+}\n[-\n-]b: 1\n', set('a', 'x\n')],
    ['with one more end of line', 'a: |{+++}\n  [-one-]{+x+}\n{+\n+}b: 1\n', set('a', 'x\n\n')],
    ['below a blank line', 'a: |\n{+  x+}\n  [-one-]{+y+}\nb: 1\n', set('a', 'x\ny\n')],
    ['with a given margin', 'a: |[-2-]\n[-   one-]{+  x+}\n  [-two-]{+y+}\nb: 1\n', set('a', 'x\ny\n')],
    ['in a folded one', 'a: >-\n  [-one-]{+x+}\n{+\n\n  y\n+}b: 1\n', set('a', 'x\n\ny')],
    ['at the end of a file without line end', 'a: |{+-+}\n  [-one-]{+x\n  y+}', set('a', 'x\ny')],
    ['that had no end, at the end of a file', 'a: |[---]\n  [-one-]{+x\n  y+}', set('a', 'x\ny\n')],
    [
      'in an item of a file of Windows',
      'a:\r\n  - |\r\n    [-one-]{+x+}\r\n    [-two-]{+y+}\r\n  - 2\r\n',
      set('a.0', 'x\ny\n'),
    ],
    [
      'in a member in a list',
      'a:\n  - b: [-old-]{+|+}\n{+      x\n      y\n+}    c: 1\n',
      set('a.0.b', 'x\ny\n'),
    ],
    ['that ends with a hard blank', 'a: [-|-]{+" x"+}\n[-  one\u00a0\n-]b: 1\n', set('a', ' x')],
    ['in an item', 'a:\n  - [-old-]{+"x\\ny\\n"+}\n  - 2\n', set('a.0', 'x\ny\n')],
    ['in single quotes', 'a: [-\'old\'-]{+"x\\ny\\n"+} # why\n', set('a', 'x\ny\n')],
    ['that becomes null, with its comment', 'a: [-|-]{+null+} # why\n[-  one\n-]b: 1\n', set('a', null)],
    ['that begins with a blank', 'a: [-> -]{+" x" +}# why\n[-  one\n-]b: 1\n', set('a', ' x')],
    ['that becomes one folded line', 'a: >{+-+} # why\n  [-one-]{+x+}\nb: 1\n', set('a', 'x')],
    ['in flow style', 'a: {b: [-old-]{+"x\\ny\\n"+}}\n', set('a.b', 'x\ny\n')],
    ['that begins with a blank', 'a: [-|\n  one-]{+"  x\\ny\\n"+}\n', set('a', '  x\ny\n')],
    ['that becomes one line', 'a: |{+-+}\n  [-one-]{+x+}\n[-  two\n-]b: 1\n', set('a', 'x')],
    ['with a hidden sign', 'a: [-|-]{+"x\\u200by\\nz\\n"+}\n[-  one\n-]b: 1\n', set('a', 'x\u200by\nz\n')],
  ]));

describe('setting a collection', () =>
  check([
    ['in block style', 'a: # why\n  [-b: 1-]{+d: x+}\nc: 1\n', set('a', { d: 'x' })],
    ['in flow style', 'a: {[-b: 1-]{+ d: x +}} # why\n', set('a', { d: 'x' })],
    ['instead of text', 'a:[- old-]{+\n  d: x+}\n{+  e: [z]\n+}c: 1\n', set('a', { d: 'x', e: ['z'] })],
    [
      'in the place of one with an anchor',
      'x:\n  a:[- &x-]{+\n    d: x+}\n    [-b: 1-]{+e: [z]+}\n  c: 1\n',
      set('x.a', { d: 'x', e: ['z'] }),
    ],
    ['in the place of one with a tag', 'a:[- !t-]\n  [-b: 1-]{+d: x+}\nc: 1\n', set('a', { d: 'x' })],
    ['in the place of nothing', 'a:\n{+  d: x\n+}c: 1\n', set('a', { d: 'x' })],
    ['for nothing, before a comment', 'b: 1\na: # why\n{+  d: x+}\n{+\n+}# end\n', set('a', { d: 'x' })],
    [
      'in the place of an item with an anchor',
      'a:\n  - [-&x-]{+d: x+}\n    [-b: 1-]{+e: z+}\n  - 2\n',
      set('a.0', { d: 'x', e: 'z' }),
    ],
    ['a list in a list', 'a:\n  - - [-1-]{+u+}\n    - [-2-]{+v+}\n', set('a.0', ['u', 'v'])],
    ['by a text', 'a:[-\n  b: 1-]{+ x+}\n[-  c: 2\n-]d: 1\n', set('a', 'x')],
    ['by a text beside its comment', 'a: {+x +}# why\n[-  b: 1\n-]c: 1\n', set('a', 'x')],
    ['by a text above its comment', 'a:{+ x+}\n  # why\n[-  b: 1\n-]c: 1\n', set('a', 'x')],
    ['in a list in flow style', 'a: [[-1, 2-]{+u+}] # why\nb: 1\n', set('a', ['u'])],
    [
      'in a file of Windows',
      'a:[- old-]{+\r\n  d: x+}\r\n{+  e: |\r\n    one\r\n    two\r\n+}b: 1\r\n',
      set('a', { d: 'x', e: 'one\ntwo\n' }),
    ],
    ['of members below a key by itself', '? a\n:[- old-]{+\n  d: 1+}\nb: 1\n', set('a', { d: 1 })],
    ['by an empty one', 'a:[-\n  b: 1-]{+ []+}\nd: 1\n', set('a', [])],
    ['a list', 'a:\n  - [-1-]{+u+}\n  - [-2-]{+v+}\n{+  - w\n+}d: 1\n', set('a', ['u', 'v', 'w'])],
    ['item', 'a:\n  - b: 1\n  - [-c-]{+d: x+}\n{+    e: z\n+}', set('a.1', { d: 'x', e: 'z' })],
  ]));

describe('inserting', () =>
  check([
    ['a last member', 'a:\n  b: 1 # why\n{+  c: x\n+}d: 1\n', insert('a.c', 'x')],
    ['a member in flow style', 'a: {b: 1{+, c: x+}} # why\n', insert('a.c', 'x')],
    ['a member in an empty mapping', 'a: {{+ c: x +}}\n', insert('a.c', 'x')],
    ['an item at the end', 'a:\n  - 1 # why\n{+  - x\n+}d: 1\n', insert('a.1', 'x')],
    ['an item before another', 'a:\n  # first\n  - 1\n{+  - x\n+}  # second\n  - 2\n', insert('a.1', 'x')],
    ['an item in flow style', 'a: [1{+, x+}, 2]\n', insert('a.1', 'x')],
    ['an item at the end in flow style', 'a: [1, 2{+, x+}]\n', insert('a.2', 'x')],
    ['an item without indentation', 'a:\n- 1\n- 2\n{+- x\n+}d: 1\n', insert('a.2', 'x')],
    [
      'a mapping beside one-line ones',
      'a:\n  - {b: 1}\n  - {b: 2}\n{+  - { b: 3 }\n+}',
      insert('a.2', { b: 3 }),
    ],
    [
      'a mapping beside another',
      'a:\n  - b: 1\n    c: 2\n{+  - b: 3\n    c: 4\n+}',
      insert('a.1', { b: 3, c: 4 }),
    ],
    ['a first item', 'a:\n{+  - x\n+}  - 1 # why\nb: 1\n', insert('a.0', 'x')],
    [
      'an item of several lines before the first',
      'a:\n{+  - b: 3\n    c: 4\n+}  # first\n  - b: 1\n    c: 2\n',
      insert('a.0', { b: 3, c: 4 }),
    ],
    [
      'a member below blank lines of a text',
      'a:\n  b: |+\n    one\n\n\n{+  d: x\n+}c: 1\n',
      insert('a.d', 'x'),
    ],
    [
      'a member below them at the end of the file',
      'a:\n  b: |+\n    one\n\n{+  d: x\n+}',
      insert('a.d', 'x'),
    ],
    [
      'an item below others that are alone on their lines in flow style',
      'a: [\n  1, # one\n  2{+,+} # two\n{+  x\n+}]\n',
      insert('a.2', 'x'),
    ],
    ['an item below a comma at the end in flow style', 'a: [\n  1,\n  2,\n{+  x,\n+}]\n', insert('a.2', 'x')],
    ['an item far behind the end', 'a:\n  - 1\n  - 2\n{+  - x\n+}', insert('a.9', 'x')],
    ['the first item in flow style', 'a: [{+x, +}1, 2]\n', insert('a.0', 'x')],
    ['an item in an empty list', 'a: [{+x+}] # why\nb: 1\n', insert('a.0', 'x')],
    ['an inner item', 'a:\n  - - 1\n    - 2\n{+    - 3\n+}', insert('a.0.2', 3)],
    ['an item below a key alone', '? a\n: - 1\n{+  - 3\n+}  - 2\n', insert('a.1', 3)],
    ['an item after one on the first line', 'a: [1,\n  2{+, 3+}]\n', insert('a.2', 3)],
    ['a member beside an empty one', 'a:\n  b:\n{+  c: 1\n+}', insert('a.c', 1)],
    ['one before blank lines', 'a:\n  b: 1\n{+  d: 2+}\n\n{+\n+}c: 1\n', insert('a.d', 2)],
    ['a member before a comment', 'a:\n  b: 1\n{+  c: 2\n+}# end\n', insert('a.c', 2)],
    ['a member on a line in flow style', 'a: {\n  b: 1,\n  c: 2, # why\n{+  d: 3,\n+}}\n', insert('a.d', 3)],
    [
      'a list into a list that is not all on one line',
      'a:\n  - [1]\n  - b: 1\n{+  - - u\n    - v\n+}',
      insert('a.2', ['u', 'v']),
    ],
    [
      'a mapping with the indentation of its neighbors',
      'a:\n    b: 1\n    c:\n        - 1\n{+        - { d: 1, e: 2 }\n+}',
      insert('a.c.1', { d: 1, e: 2 }),
    ],
    ['a member that is there', 'a:\n  b: 1\n', insert('a.b', 3)],
    ['at the end of a file without line end', 'a:\n  - 1{+\n  - x+}', insert('a.1', 'x')],
    ['into what is no collection', 'a: 1\n', insert('a.b', 'x')],
  ]));

describe('removing', () =>
  check([
    ['a member with its comment', 'a:\n[-  b: 1 # why\n-]  c: 2\n', remove('a.b')],
    ['the last member', 'a:\n  b: 1\n[-  c: 2 # why\n-]d: 1\n', remove('a.c')],
    ['a member of several lines', 'a:\n[-  b:\n    - 1\n    - 2\n-]  c: 2\n', remove('a.b')],
    ['an item', 'a:\n  - 1\n[-  - 2 # why\n-]  - 3\n', remove('a.1')],
    ['the first item', 'a:\n[-  - 1\n-]  - 2\n', remove('a.0')],
    ['the only item', 'a:[-\n  - 1-]{+ []+}\nb: 1\n', remove('a.0')],
    ['a member in flow style', 'a: {[-b: 1, -]c: 2}\n', remove('a.b')],
    ['the last in flow style', 'a: {b: 1[-, c: 2-]}\n', remove('a.c')],
    ['the only one in flow style', 'a: {[-b: 1-]}\nd: 1\n', remove('a.b')],
    ['an item in flow style', 'a: [1[-, 2-], 3]\n', remove('a.1')],
    ['an item alone on its line in flow style', 'a: [\n  1, # one\n[-  2, # two\n-]  3\n]\n', remove('a.1')],
    ['an item, but no comment above it', 'a:\n  - 1\n\n  # two\n[-  - 2-]\n[-\n-]b: 1\n', remove('a.1')],
    ['the last, alone on its line', 'a: {\n  b: 1[-,-]\n[-  c: 2\n-]}\n', remove('a.c')],
    ['the last before a comma in flow', 'a: {\n  b: 1,\n[-  c: 2,\n-]}\n', remove('a.c')],
    ['the second on a line in flow style', 'a: [\n  1[-, 2 -]{+ +}]\n', remove('a.1')],
    ['a member without a value', 'a:\n[-  b:\n-]  c: 1\n', remove('a.b')],
    ['a text, but no blank lines below it', 'a:\n  b: 1\n[-  c: |+-][-\n    one\n-]\nd: 1\n', remove('a.c')],
    ['an item of a list without a name', '- 1\n[-- 2\n-]', remove('1')],
    ['the only member of the document', 'a: 1\n', remove('a')],
    ['a whole field', 'a: 1\n[-b:\n  c: 2\n-]d: 1\n', remove('b')],
    ['what is not there', 'a: 1\n', remove('b')],
  ]));

describe('an alias', () => {
  const shared = 'a: &x\n  b: 1\nc: *x\nd: *x\n';
  check([
    ['becomes a value where it changes', 'a: &x\n  b: 1\nc:[- *x-]{+\n  b: 2+}\nd: *x\n', set('c.b', 2)],
    ['that is removed is of no concern', 'a: &x 1\n[-b: *x\n-]c: 2\n', remove('b')],
    ['in flow style becomes a value', 'a: &x 1\nb: { c: [-*x-]{+2+} }\n', set('b.c', 2)],
    ['inside what is replaced is of no concern', 'a: &x 1\nb: [-{ c: *x }-]{+z+}\n', set('b', 'z')],
    ['gets an item of its own', 'a: &x [1]\nb: [[-*x, -]{+[1, 5], +}2]\n', insert('b.0.1', 5)],
    [
      'keeps its tag, and true, false or nothing',
      'a: &x { b: !var host, c: 1, d: true, e: ~ }\nz:[- *x-]{+\n  b: !var host+}\n{+  c: 2\n  d: true\n  e: null\n+}',
      set('z.c', 2),
    ],
    ['keeps its anchor from changing', shared, set('a.b', 2)],
    ['keeps its anchor from being removed', 'a: &x 1\nb: *x\n', remove('a')],
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
