// The tests of one room, in one process.
import { defineConfig } from 'vitest/config';
import { rooms } from './rooms.mjs';

const folders = rooms[process.env.TENANTCTL_MUTATE] ?? [];

export default defineConfig({
  test: {
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    // They look at pages in a browser, or at sources as text.
    exclude: ['**/browser.test.ts', '**/page.test.ts'],
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
