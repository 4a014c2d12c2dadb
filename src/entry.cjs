#!/usr/bin/env node
// Runs on any version of Node, to say that it is too old: nothing newer than ES5 may stand here.
// biome-ignore-all lint: a rule would ask for what an old Node cannot read.
'use strict';
var version = process.versions.node;
var found = version.split('.').map(Number);
if (found[0] > 20 || (found[0] === 20 && found[1] >= 19)) {
  require('./program.cjs');
} else {
  process.stderr.write('tenantctl needs Node 20.19 or later, and this is Node ' + version + '.\n');
  process.exitCode = 1;
}
