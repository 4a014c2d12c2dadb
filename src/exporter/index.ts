export { type ExportedFile, exportTenant, type NewDeclaration, secretsFile } from './fresh.ts';
export { collectionsFor, type Records } from './lookups.ts';
export { type Merge, type MergeInput, mergeExport } from './merge/index.ts';
