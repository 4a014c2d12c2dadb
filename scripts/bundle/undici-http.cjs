// undici looks into Node's own HTTP for a limit that the client sets, and for bodies that it never sends; to load that
// takes 3 ms.
const known = { maxHeaderSize: 16_384, IncomingMessage: class {} };

module.exports = new Proxy(known, {
  get(target, name) {
    if (!Object.hasOwn(target, name))
      throw new TypeError(`${String(name)} of HTTP is left out of the bundle.`);
    return target[name];
  },
});
