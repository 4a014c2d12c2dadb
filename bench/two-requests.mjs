// The least that a plan of one object costs with undici: two requests through the pool that the program has, and nothing else.
import { Pool } from '../scripts/bundle/undici.mjs';

const pool = new Pool(process.argv[2]);
for (const path of ['/oauth/token', '/']) {
  await new Promise((resolve, reject) => {
    pool.dispatch(
      { method: 'GET', path },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: resolve,
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
await pool.close();
