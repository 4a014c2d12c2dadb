// The client uses connection pools only: fetch, WebSocket, caches and mocks would make every start longer.
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
