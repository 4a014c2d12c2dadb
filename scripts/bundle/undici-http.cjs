// undici looks into Node's own HTTP for a limit that the client sets, and for bodies that it never sends; to load that
// takes 3 ms.
module.exports = { maxHeaderSize: 16_384, IncomingMessage: class {} };
