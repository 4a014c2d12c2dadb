// fdir tries at run time whether there is a picomatch beside it, though tinyglobby hands it a matcher of its own.
export const createRequire = () => () => {
  throw new TypeError('Nothing is loaded at run time.');
};
