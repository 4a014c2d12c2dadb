// Libraries make themselves a require in case they are told to load something by name, which nobody tells them; to load
// Node's part for it takes 2 ms.
export const createRequire = () => () => {
  throw new TypeError('Nothing is loaded at run time.');
};
