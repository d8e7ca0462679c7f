import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVER_CORE, startChild, stopChild } from '../children.ts';
import { ACCESS_KEY, freePorts } from '../keyward-server.ts';
import { Lane } from '../lane.ts';
import { type RawAnswer, rawPost } from '../raw-answer.ts';

/** What all of them are given: the same keys, and what we answer to them. */
export interface Course {
  readonly folder: string;
  readonly keys: readonly string[];
  readonly keysFile: string;
  /** Our answers to a limited key and to one without a limit, as the seed makes them in turn. */
  readonly answers: readonly [limited: RawAnswer, free: RawAnswer];
  readonly answersFile: string;
  /** Keys of a peer that makes its own. */
  readonly peerKeys: number;
}

export interface Contender {
  readonly name: string;
  readonly lane: Lane;
  stop(): Promise<void>;
}

/** A program that is not on this machine, and where it would come from. */
export interface Absent {
  readonly name: string;
  readonly absent: string;
}

const READY_WITHIN_MS = 60_000;

/** A server made with Node. */
export const onNode = (script: string, args: (port: number) => readonly string[]) => ({
  command: process.execPath,
  args: (port: number) => [script, ...args(port)],
});

interface ChildOf {
  readonly name: string;
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly keysFile: string;
  /** Known to it, and asked for until it answers. */
  readonly firstKey: () => string;
  readonly refuses?: 'none' | 'all';
}

/** Starts one on the core of the servers and waits until it answers a key that it knows. */
export async function startContender(how: ChildOf): Promise<Contender & { first: RawAnswer }> {
  const [port] = await freePorts();
  const child = startChild(how.command, how.args(port), { core: SERVER_CORE });
  child.stdout?.resume();
  const first = await firstAnswer(how, child, port);
  const { keysFile, refuses = 'none' } = how;
  // They leave nothing behind that is written later.
  const lane = new Lane({ port, pids: [child.pid!], keysFile, refuses, pauseMs: 0 });
  return { name: how.name, lane, first, stop: () => stopChild(child) };
}

async function firstAnswer(how: ChildOf, child: ChildProcess, port: number): Promise<RawAnswer> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null) throw new Error(`${how.name} ended with ${child.exitCode}.`);
    try {
      return await rawPost(port, `/api-keys/auth/${how.firstKey()}`, ACCESS_KEY);
    } catch {
      await sleep(20);
    }
  }
  throw new Error(`${how.name} did not become ready in time.`);
}

/** An answer that is much shorter or longer would be another race. */
const TOLERANCE = 0.1;

export function sameSize(name: string, theirs: RawAnswer, ours: RawAnswer): void {
  if (theirs.status !== ours.status)
    throw new Error(`${name} answers ${theirs.status} where we answer ${ours.status}.`);
  if (theirs.body.length !== ours.body.length)
    throw new Error(`${name} answers ${theirs.body.length} bytes, we ${ours.body.length}.`);
  if (Math.abs(theirs.byteLength - ours.byteLength) > TOLERANCE * ours.byteLength)
    throw new Error(`${name} sends ${theirs.byteLength} bytes in all, we ${ours.byteLength}.`);
}
