// The tests of one room, in one process.
import { defineConfig } from 'vitest/config';
import { rooms, slow } from './rooms.mjs';

const parts = rooms[process.env.TENANTCTL_MUTATE] ?? [];

export default defineConfig({
  test: {
    include: parts.map((part) => `test/${part.endsWith('.ts') ? part : `${part}/**/*.test.ts`}`),
    exclude: slow,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
