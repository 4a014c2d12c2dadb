import { describedGroups, describedWorld, manifestFile } from './described-kinds.ts';
import { tryEverything } from './matrix.ts';

// A file of its own, so that a second worker takes it.
tryEverything("kinds of a project's own", {
  options: describedWorld,
  prepare: (world) => world.write('config/all.yaml', manifestFile(describedGroups)),
  create: 'create-role',
});
