#!/usr/bin/env bash
# Installs tenantctl for the action: exactly VERSION, or what the package-lock.json here says. No script of a package runs,
# since the step may have credentials. Tells the path of the program in the output `program`.
set -euo pipefail

fail() {
  printf '::error::%s\n' "$1"
  exit 1
}

folder=$PWD
if [ -n "$VERSION" ]; then
  exact='^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$'
  [[ "$VERSION" =~ $exact ]] ||
    fail 'The input `version` must be one exact version, such as 1.2.3: a range or a tag can become another program at any time.'
  folder=$RUNNER_TEMP/tenantctl
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund "tenantctl@$VERSION"
elif [ -f package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund
else
  fail 'There is no package-lock.json in the working directory. Run npm install and commit it, or give the input `version` an exact version.'
fi

program=$folder/node_modules/tenantctl/dist/bin/cli.cjs
[ -f "$program" ] || fail 'The package-lock.json does not contain tenantctl. Run `npm install --save-dev --save-exact tenantctl` and commit it.'
printf 'program=%s\n' "$program" >> "$GITHUB_OUTPUT"
