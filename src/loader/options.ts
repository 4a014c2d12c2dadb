/** Where a project is and which of its environments is wanted. */
export interface LoadOptions {
  /** The project file, from the working directory on. */
  readonly configFile: string;
  /** Left out: the project file's default, or its only environment. */
  readonly environment?: string;
  /** Environment variables; left out: the process's own. */
  readonly env?: NodeJS.ProcessEnv;
}
