/** What a load generator is asked for, and what it tells. */
export interface LoadRequest {
  readonly port: number;
  /** A file with one key value a line; they are validated in rotation. */
  readonly keysFile: string;
  /** Which line to begin at, so that one stretch goes on where the last one ended. */
  readonly firstKey: number;
  /** More than 1: so many keys in each call, in its body. */
  readonly keysPerCall: number;
  readonly accessKey: string;
  readonly seconds: number;
  readonly connections: number;
  /** The core it works on; null: wherever the machine puts it. */
  readonly core: number | null;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Answers of 400 and above. */
  readonly refused: number;
  /** Connections that broke, and answers that never came. */
  readonly failures: number;
}

export interface LoadGenerator {
  readonly name: string;
  drive(request: LoadRequest): Promise<LoadResult>;
}
