#!/usr/bin/env bash
# Installs the packed package into an empty project, and uses it as a program and as a library.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

tarball=$(cd "$here" && npm pack --silent --ignore-scripts --pack-destination "$empty")
cd "$empty"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent "./$tarball"

cp -r node_modules/tenantctl/examples/. .
export SNOW_PASSWORD=only-for-the-check
npx --no-install tenantctl validate --quiet
npx --no-install tenantctl plan --quiet | tail -n 2
npx --no-install tenantctl schema NotificationTemplate | head -n 3
npx --no-install tenantctl explain plan-stale | head -n 1

cat > use.mjs <<'END'
import { loadProject, startSandbox } from 'tenantctl';
const project = loadProject({ configFile: 'tenantctl.yaml' });
const sandbox = await startSandbox();
console.log(`${project.resources.length} resources, embedded tenant at ${new URL(sandbox.url).hostname}`);
await sandbox.close();
END
node use.mjs
