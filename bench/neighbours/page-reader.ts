import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** A thread of `startLargePages`: each reader requests a page again as soon as it has read it. */
const { port, accessKey, path, readers } = workerData as {
  readonly port: number;
  readonly accessKey: string;
  readonly path: string;
  readonly readers: number;
};
const agent = new Agent({ keepAlive: true, maxSockets: readers });
const counted = { pages: 0, bytes: 0, refused: 0 };
let isStopped = false;
parentPort!.once('message', () => {
  isStopped = true;
});

const read = () =>
  new Promise<void>((resolve, reject) => {
    get(
      { agent, host: '127.0.0.1', port, path, headers: { 'x-api-key': accessKey } },
      (response) => {
        if (response.statusCode !== 200) counted.refused++;
        response
          .on('data', (chunk: Buffer) => {
            counted.bytes += chunk.length;
          })
          .once('end', resolve)
          .once('error', reject);
      },
    ).once('error', reject);
  });

await Promise.all(
  Array.from({ length: readers }, async () => {
    while (!isStopped) {
      await read();
      counted.pages++;
    }
  }),
);
agent.destroy();
parentPort!.postMessage(counted);
