/** True in a CI job. Some machines set CI to say that they run none. */
export function isCi({ CI = '' }: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(CI.toLowerCase());
}
