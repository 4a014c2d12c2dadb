// Lines are wrapped in helps only; the colours that wrap-ansi knows, which comes with yargs, take every start half a
// millisecond.
export default (...given) => require('wrap-ansi').default(...given);
