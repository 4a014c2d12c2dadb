// fdir, which tinyglobby walks folders with, looks for picomatch in node_modules, for globs of its own that tinyglobby does
// not use. The bundle has picomatch: loading it a second time would add 3 ms to every apply.
export function createRequire() {
  const require = () => {
    throw new Error('Nothing is loaded from outside the bundle.');
  };
  return Object.assign(require, { resolve: require });
}
