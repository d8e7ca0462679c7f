import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { removeFolder, SERVER_CORE, startChild, stopChild, temporaryFolder } from '../children.ts';
import { createKeys } from '../create-keys.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const SERVER = fileURLToPath(new URL('../peers/keyward-audited.ts', import.meta.url));
const VARIANTS = ['sealed', 'rows', 'nothing'] as const;
const WARM_SECONDS = 2;

/** What the audit row and its sealing cost a change: keys created a second with and without them. */
export const audit: Scenario = async (bench) => {
  const { rounds, roundSeconds } = bench.scale;
  const rates = { sealed: [] as number[], rows: [] as number[], nothing: [] as number[] };
  const folders = VARIANTS.map(() => temporaryFolder());
  const servers = await Promise.all(VARIANTS.map((variant, n) => start(variant, folders[n]!)));
  try {
    bench.say('warming up');
    for (const { port } of servers) await createKeys(port, WARM_SECONDS);
    for (let round = 0; round < rounds; round++)
      // In turn and back, so that none is always the first of a round.
      for (const n of round % 2 === 0 ? [0, 1, 2] : [2, 1, 0])
        rates[VARIANTS[n]!].push(await createKeys(servers[n]!.port, roundSeconds));
    return [
      row(
        'audit: creates with row and seal against none',
        '×',
        ratiosOf(rates.sealed, rates.nothing),
        {
          atLeast: 0.9,
        },
      ),
      row('audit: with row and seal against row alone', '×', ratiosOf(rates.sealed, rates.rows)),
      row('audit: creates with row and seal', '/s', rates.sealed),
      row('audit: creates with row alone', '/s', rates.rows),
      row('audit: creates without', '/s', rates.nothing),
    ];
  } finally {
    await Promise.all(servers.map(({ child }) => stopChild(child)));
    for (const folder of folders) removeFolder(folder);
  }
};

async function start(variant: string, folder: string) {
  const child = startChild(process.execPath, [SERVER, variant, folder], { core: SERVER_CORE });
  const [text] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, port: Number(text.toString()) };
}
