import type { ParsedNode } from 'yaml';
import type { SourceFile } from './file.ts';

/** A document of a YAML file that is not empty. */
export interface YamlDocument {
  readonly file: SourceFile;
  readonly root: ParsedNode | null;
  /** Where the value begins, its tag counted. */
  readonly offset: number;
}
