// The build of yaml for browsers is the same code, without a debugging aid: that for Node asks the environment about each
// token whether to print it, which costs a twentieth of the parsing, and LOG_TOKENS would write manifests to stdout.
export * from '../../node_modules/yaml/browser/index.js';
