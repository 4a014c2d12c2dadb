// undici speaks HTTP/2 only where it is asked to, which the client does not do; loading it takes a start 5 ms.
module.exports = () => {
  throw new TypeError('HTTP/2 is left out of the bundle.');
};
