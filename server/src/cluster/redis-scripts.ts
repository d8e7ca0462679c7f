import { hash } from 'node:crypto';

/**
 * What Redis runs, each on one key, so that every check is one atomic step wherever the key lives.
 * A window is a hash: `c` counted, `r` when it closes, and one field for each lease that may be
 * given back. Times are those of Redis, which all nodes share; the key goes with its window.
 */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: hash('sha1', text, 'hex') });

const WINDOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = redis.call('HMGET', KEYS[1], 'c', 'r')
local count = tonumber(window[1]) or 0
local reset = tonumber(window[2]) or 0
local function open(first, closes)
  count = first
  reset = closes
  local text = string.format('%.0f', closes)
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'c', first, 'r', text)
  redis.call('PEXPIREAT', KEYS[1], text)
end
`;

/** More leases of one window than this are not remembered: what they do not use is lost to it. */
const LEASES_MAX = 1_000;

/**
 * Limit, length of a window in ms, how many are wanted, id of a lease or nothing.
 * Answers: how many were granted, counted, when it closes, what time it is.
 */
export const GRANT = script(`${WINDOW}
if reset <= now then open(0, now + ARGV[2]) end
local granted = math.max(0, math.min(tonumber(ARGV[3]), ARGV[1] - count))
if granted > 0 then
  count = redis.call('HINCRBY', KEYS[1], 'c', granted)
  if ARGV[4] ~= '' and redis.call('HLEN', KEYS[1]) < ${LEASES_MAX + 2} then
    redis.call('HSET', KEYS[1], ARGV[4], granted)
  end
end
return {granted, count, reset, now}
`);

/** Id of a lease, how many of it were not used. Answers how many were taken back. */
export const GIVE_BACK = script(`${WINDOW}
local granted = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if granted == 0 then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
if reset <= now then return 0 end
local returned = math.min(tonumber(ARGV[2]), granted, count)
redis.call('HINCRBY', KEYS[1], 'c', -returned)
return returned
`);

/** What a node counted by itself, and for how many ms its window is still open. */
export const MERGE = script(`${WINDOW}
local amount = tonumber(ARGV[1])
if reset > now then redis.call('HSET', KEYS[1], 'c', math.max(0, count + amount))
elseif amount > 0 then open(amount, now + ARGV[2]) end
return 0
`);
