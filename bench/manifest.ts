/** A manifest file. */
export interface Manifest {
  readonly file: string;
  readonly text: string;
}
