/** What each exit code of the program means (design, section 4). */
export const ExitCode = {
  done: 0,
  couldNotRun: 1,
  changes: 2,
  incomplete: 3,
  refused: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
