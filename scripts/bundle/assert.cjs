// Libraries assert what only a mistake of their own could break; Node's words for that take 3 ms to load.
function assert(holds, message) {
  if (holds) return;
  throw message instanceof Error ? message : new Error(message ?? 'An assertion does not hold.');
}

module.exports = Object.assign(assert, {
  strictEqual: (actual, expected, message) => assert(Object.is(actual, expected), message),
  notStrictEqual: (actual, expected, message) => assert(!Object.is(actual, expected), message),
});
