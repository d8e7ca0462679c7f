/** The part of autocannon that we use; the package brings no types. */
declare module 'autocannon' {
  interface Request {
    method?: string;
    path?: string;
    body?: string;
  }
  interface Options {
    url: string;
    connections: number;
    duration: number;
    method: string;
    headers: Record<string, string>;
    requests: { setupRequest(request: Request): Request }[];
  }
  interface Result {
    requests: { total: number };
    /** Seconds. */
    duration: number;
    /** Milliseconds. */
    latency: { p50: number; p99: number; p99_9: number };
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
