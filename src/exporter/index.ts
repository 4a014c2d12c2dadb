export { type Export, type ExportedFile, exportObjects, type NewDeclaration, secretsFile } from './fresh.ts';
export { type Merge, type MergeInput, mergeExport } from './merge/index.ts';
