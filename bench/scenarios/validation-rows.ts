import type { Absent, Contender } from '../contenders/contender.ts';
import {
  cpuPerMillion,
  type Lane,
  mainCpuPerMillion,
  p50,
  p99,
  p999,
  perSecond,
  type Stretch,
} from '../lane.ts';
import { estimate, leftOut, type Row, row } from '../rows.ts';
import { ratiosOf } from '../statistics.ts';

interface Measured {
  readonly ours: Lane;
  readonly duel: Lane;
  readonly bare: Contender;
  readonly malformed: Lane;
  readonly unknown: Lane;
  readonly batch: Lane;
  readonly keysPerBatch: number;
  readonly bareMalformed: Lane;
  readonly bareUnknown: Lane;
  readonly peers: readonly Contender[];
  readonly absent: readonly Absent[];
  readonly flood: { readonly growth: number };
}

const MB = 2 ** 20;
/** What a server under load wanders by itself. */
const FLAT_MB = 16;
/** What each peer is asked to be, where something was promised. */
const BARS: Readonly<Record<string, { atLeast: number }>> = {
  'better-auth verifyApiKey': { atLeast: 25 },
};

const against = (a: Lane, b: Lane, of: (stretch: Stretch) => number): number[] =>
  ratiosOf(a.figures(of), b.figures(of));

export function validationRows(measured: Measured): Row[] {
  const { ours, duel, bare, malformed, unknown, batch, peers, absent } = measured;
  const keysPerSecond = batch.figures(perSecond).map((calls) => calls * measured.keysPerBatch);
  return [
    estimate(`validation against ${bare.name}`, against(duel, bare.lane, perSecond), {
      atLeast: 0.85,
    }),
    estimate('validation: p99 against bare', against(duel, bare.lane, p99), { atMost: 2 }),
    estimate('validation: CPU against bare', against(duel, bare.lane, cpuPerMillion)),
    ...peers.map(({ name, lane }) =>
      row(`validation against ${name}`, '×', against(ours, lane, perSecond), BARS[name]),
    ),
    ...absent.map(({ name, absent: why }) => leftOut(`validation against ${name}`, why)),
    row('malformed keys against bare', '×', against(malformed, measured.bareMalformed, perSecond), {
      atLeast: 0.9,
    }),
    row('unknown keys against bare', '×', against(unknown, measured.bareUnknown, perSecond), {
      atLeast: 0.5,
    }),
    row('unknown keys: growth of RSS', 'MB', measured.flood.growth / MB, { atMost: FLAT_MB }),
    estimate(
      `batch of ${measured.keysPerBatch}: keys against single calls`,
      ratiosOf(keysPerSecond, duel.figures(perSecond)),
      { atLeast: 10 },
    ),
    row('batch: keys', '/s', keysPerSecond),
    ...figuresOf('Keyward, one thread', duel),
    row("Keyward: of which the requests' thread", 's', duel.figures(mainCpuPerMillion)),
    ...[bare, ...peers].flatMap(({ name, lane }) => figuresOf(name, lane)),
    row('malformed keys: requests', '/s', malformed.figures(perSecond)),
    row('unknown keys: requests', '/s', unknown.figures(perSecond)),
  ];
}

const figuresOf = (name: string, lane: Lane): Row[] => [
  row(name, 'req/s', lane.figures(perSecond)),
  row(`${name}: p50`, 'ms', lane.figures(p50)),
  row(`${name}: p99`, 'ms', lane.figures(p99)),
  row(`${name}: p99.9`, 'ms', lane.figures(p999)),
  row(`${name}: CPU per million`, 's', lane.figures(cpuPerMillion)),
  row(`${name}: RSS`, 'MB', lane.rssBytes() / MB),
];
