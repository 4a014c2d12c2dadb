// Of Node's file system fdir keeps a copy, name by name, though it uses these alone.
export { readdir, readdirSync, realpath, realpathSync, stat, statSync } from 'node:fs';
