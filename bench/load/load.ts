/** What a load generator is asked for, and what it tells. */
export interface LoadRequest {
  readonly port: number;
  /** A file with one key value a line; they are validated in rotation. */
  readonly keysFile: string;
  /** Which line to begin at, so that one stretch goes on where the last one ended. */
  readonly firstKey: number;
  readonly accessKey: string;
  readonly seconds: number;
  readonly connections: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 2xx, and connections that broke. */
  readonly failures: number;
}

export interface LoadGenerator {
  readonly name: string;
  drive(request: LoadRequest): Promise<LoadResult>;
}
