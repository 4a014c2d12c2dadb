// The least that a plan of one object costs: two requests over one connection of Node's own HTTP client, and nothing else.
import { Agent, get } from 'node:http';

const agent = new Agent({ keepAlive: true });
for (const path of ['/oauth/token', '/']) {
  await new Promise((resolve, reject) => {
    const answered = (answer) => answer.resume().on('end', resolve);
    get(new URL(path, process.argv[2]), { agent }, answered).on('error', reject);
  });
}
agent.destroy();
