import { hash } from 'node:crypto';

/**
 * Lua scripts. All except GRANT_EACH use one key, so that a check is atomic on any server of a cluster.
 * A window is a hash: `c` is the count, `r` the time when it closes, and each lease has one field.
 * Times are those of Redis, so all nodes agree; the key expires with its window.
 */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: hash('sha1', text, 'hex') });

const WINDOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function look(key)
  local window = redis.call('HMGET', key, 'c', 'r')
  return tonumber(window[1]) or 0, tonumber(window[2]) or 0
end
local function open(key, first, closes)
  local text = string.format('%.0f', closes)
  redis.call('DEL', key)
  redis.call('HSET', key, 'c', first, 'r', text)
  redis.call('PEXPIREAT', key, text)
end
local function grant(key, limit, ttl, wanted)
  local count, reset = look(key)
  local granted
  if reset <= now then
    granted = math.max(0, math.min(wanted, limit))
    count, reset = granted, now + ttl
    open(key, count, reset)
  else
    granted = math.max(0, math.min(wanted, limit - count))
    if granted > 0 then count = redis.call('HINCRBY', key, 'c', granted) end
  end
  return granted, count, reset
end
`;

/** Further leases of a window are not stored, and their unused part is lost. */
const LEASES_MAX = 1_000;

/**
 * Arguments: limit, window length in ms, requested amount, lease id or ''.
 * Returns: granted amount, count, closing time, current time.
 */
export const GRANT = script(`${WINDOW}
local granted, count, reset = grant(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
if granted > 0 and ARGV[4] ~= '' and redis.call('HLEN', KEYS[1]) < ${LEASES_MAX + 2} then
  redis.call('HSET', KEYS[1], ARGV[4], granted)
end
return {granted, count, reset, now}
`);

/**
 * Counts one request against each of several windows, in order; a repeated window is counted again.
 * Arguments: limit and window length for each. Returns the current time, then granted amount, count
 * and closing time for each. If one fails, its error is returned in place, and the others are counted.
 */
export const GRANT_EACH = script(`${WINDOW}
local answers = {now}
for n, key in ipairs(KEYS) do
  local isDone, granted, count, reset = pcall(grant, key, tonumber(ARGV[2 * n - 1]), tonumber(ARGV[2 * n]), 1)
  if not isDone then
    granted = type(granted) == 'table' and granted.err or tostring(granted)
    count, reset = 0, 0
  end
  answers[3 * n - 1], answers[3 * n], answers[3 * n + 1] = granted, count, reset
end
return answers
`);

/** Arguments: lease id, unused amount. Returns the amount given back. */
export const GIVE_BACK = script(`${WINDOW}
local count, reset = look(KEYS[1])
local granted = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if granted == 0 then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
if reset <= now then return 0 end
local returned = math.min(tonumber(ARGV[2]), granted, count)
redis.call('HINCRBY', KEYS[1], 'c', -returned)
return returned
`);

/**
 * Adds a count that a node made locally. Arguments: count, remaining ms of its window.
 * Returns 0, count, closing time (0: no window is open), current time.
 */
export const MERGE = script(`${WINDOW}
local count, reset = look(KEYS[1])
local amount = tonumber(ARGV[1])
if reset > now then
  count = math.max(0, count + amount)
  redis.call('HSET', KEYS[1], 'c', count)
elseif amount > 0 then
  count, reset = amount, now + ARGV[2]
  open(KEYS[1], count, reset)
else
  count, reset = 0, 0
end
return {0, count, reset, now}
`);
