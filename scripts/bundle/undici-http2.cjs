// undici uses HTTP/2 only on request, and the client does not request it. Loading it would add 5 ms to every start.
module.exports = () => {
  throw new TypeError('HTTP/2 is left out of the bundle.');
};
