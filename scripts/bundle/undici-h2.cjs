// undici speaks HTTP/2 only where it is asked to, which the client does not; Node's part for it takes 5 ms to load.
module.exports = () => {
  throw new TypeError('HTTP/2 is left out of the bundle.');
};
