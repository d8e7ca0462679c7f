import { describe, expect, it } from 'vitest';
import { parseAnswer } from './raw-answer.ts';

const whole = 'HTTP/1.1 200 OK\r\nContent-Type: a/b\r\ncontent-length: 4\r\n\r\n{"é"';

describe('reading an answer from the wire', () => {
  it('keeps headers as they were sent and counts bytes', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nX-A: 1: 2\r\ncontent-length: 2\r\n\r\né');
    expect(parseAnswer(bytes)).toEqual({
      status: 200,
      headers: [
        ['X-A', '1: 2'],
        ['content-length', '2'],
      ],
      body: 'é',
      byteLength: bytes.length,
    });
  });

  it('waits for the whole body', () => {
    const bytes = Buffer.from(whole);
    for (let cut = 0; cut < bytes.length - 1; cut++) {
      const answer = parseAnswer(bytes.subarray(0, cut));
      expect(answer === null || answer.byteLength <= cut).toBe(true);
    }
  });

  it('leaves the next answer alone', () => {
    expect(parseAnswer(Buffer.from(`${whole.slice(0, -4)}abcdHTTP/1.1 404`))?.body).toBe('abcd');
  });

  it('refuses an answer of unknown length', () => {
    expect(() => parseAnswer(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('content-length');
  });
});
