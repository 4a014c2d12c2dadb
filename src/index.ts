/** tenantctl as a library: the parts of the program, in the order in which it uses them. */
export { loadEnvironment, loadProject } from './loader/index.ts';
export { startSandbox } from './sandbox/index.ts';
