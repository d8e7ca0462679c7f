import { hash } from 'node:crypto';

/**
 * Lua scripts. Most use one key; GRANT_EACH and TAKE_SETS use several. The keys of one set in TAKE_SETS have
 * the same hash tag. So each check is atomic, on any server of a Cluster.
 *
 * A window is a hash: `c` is the count, `r` the time when it closes, and each lease (`lse_…`) has one
 * field. A sliding window also has `p`, the count of the previous window, and `w`, its length. Times are
 * those of Redis, so all nodes agree; the key expires when its window no longer counts.
 */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: hash('sha1', text, 'hex') });

const TIME = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Fixed windows and single requests, the most frequent checks. */
const FIXED = `${TIME}
local function grant(key, limit, ttl)
  local window = redis.call('HMGET', key, 'c', 'r')
  local count, closes = tonumber(window[1]) or 0, tonumber(window[2]) or 0
  if closes <= now then
    count, closes = 1, now + ttl
    local text = string.format('%.0f', closes)
    redis.call('DEL', key)
    redis.call('HSET', key, 'c', 1, 'r', text)
    redis.call('PEXPIREAT', key, text)
    return 1, count, closes
  end
  if count >= limit then return 0, count, closes end
  return 1, redis.call('HINCRBY', key, 'c', 1), closes
end
`;

/**
 * Windows of either kind; the same arithmetic as in sliding-window.ts. States: `stored`: as it is in Redis;
 * `partial`: open, but not yet stored as a sliding window; `next`: follows the stored window; `new`: no
 * stored window counts. Kinds: 0: fixed, 1: sliding, two times with a comma: a window by the calendar, which ends at
 * the first of them that is to come. If the clock of the node is so slow that both have passed, it is as long as the
 * time between them.
 */
const WINDOWS = `${TIME}
local function closing(ttl, kind)
  local first, second = string.match(kind, '^(%d+),(%d+)$')
  if not first then return now + ttl end
  first, second = tonumber(first), tonumber(second)
  if now < first then return first end
  if now < second then return second end
  return now + second - first
end
local function find(key, ttl, kind)
  local isSliding = kind == '1'
  local fields = redis.call('HMGET', key, 'c', 'r', 'p', 'w')
  local count, closes = tonumber(fields[1]) or 0, tonumber(fields[2]) or 0
  local length = isSliding and tonumber(fields[4])
  if closes > now then
    local state = (isSliding and not length) and 'partial' or 'stored'
    local previous = length and tonumber(fields[3]) or 0
    return {key = key, state = state, count = count, closes = closes, previous = previous, length = length or ttl, isSliding = isSliding}
  end
  if length and now < closes + math.min(length, ttl) then
    return {key = key, state = 'next', count = 0, closes = closes + ttl, previous = count, length = ttl, isSliding = true}
  end
  return {key = key, state = 'new', count = 0, closes = closing(ttl, kind), previous = 0, length = ttl, isSliding = isSliding}
end
local function used(window)
  return window.count + math.ceil(window.previous * (window.closes - now) / window.length)
end
local function whole(number) return string.format('%.0f', number) end
local function add(window, amount)
  local key = window.key
  window.count = window.count + amount
  if window.state == 'stored' then
    redis.call('HINCRBY', key, 'c', whole(amount))
    return
  end
  if window.state ~= 'partial' then redis.call('DEL', key) end
  window.state = 'stored'
  redis.call('HSET', key, 'c', whole(window.count), 'r', whole(window.closes))
  local ends = window.closes
  if window.isSliding then
    redis.call('HSET', key, 'p', whole(window.previous), 'w', whole(window.length))
    ends = ends + window.length
  end
  redis.call('PEXPIREAT', key, whole(ends))
end
local function reset(window, cost, limit, ttl)
  local count, closes = window.count, window.closes
  if not window.isSliding then return closes end
  local room = limit - math.max(1, cost)
  local empty = closes + math.min(window.length, ttl)
  if room < 0 then return count > 0 and empty or closes end
  if count > room then return math.min(empty, closes + ttl - math.floor(room * ttl / count)) end
  if window.previous == 0 then return now end
  return math.max(now, closes - math.floor((room - count) * window.length / window.previous))
end
`;

/** Further leases of a window are not stored, and their unused part is lost. */
const LEASES_MAX = 1_000;

/**
 * Counts one request. Arguments: limit, window length in ms.
 * Returns: granted amount, count, closing time, current time.
 */
export const GRANT = script(`${FIXED}
local granted, count, closes = grant(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]))
return {granted, count, closes, now}
`);

/**
 * Counts one request against each of several windows, in order; a repeated window is counted again.
 * Arguments: limit and window length for each. Returns the current time, then granted amount, count
 * and closing time for each. If one fails, its error is returned in place, and the others are counted.
 */
export const GRANT_EACH = script(`${FIXED}
local answers = {now}
for n, key in ipairs(KEYS) do
  local isDone, granted, count, closes = pcall(grant, key, tonumber(ARGV[2 * n - 1]), tonumber(ARGV[2 * n]))
  if not isDone then
    granted = type(granted) == 'table' and granted.err or tostring(granted)
    count, closes = 0, 0
  end
  answers[3 * n - 1], answers[3 * n], answers[3 * n + 1] = granted, count, closes
end
return answers
`);

/**
 * Takes the cost of each of several sets of limits, in order, from all limits of the set or from none.
 * Arguments for each set: number of limits, 1 to take or 0 to take nothing; then for each limit: limit, window length,
 * kind of window, 1 if enforced, cost. Returns the current time, then for
 * each set 0 or an error, and for each limit: 1 if exceeded, count, reset, closing time (0: not open).
 */
export const TAKE_SETS = script(`${WINDOWS}
local function takeSet(firstKey, firstArg, size, takes)
  local limits = {}
  for n = 1, size do
    local arg = firstArg + 5 * (n - 1)
    local limit, ttl, cost = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1]), tonumber(ARGV[arg + 4])
    local window = find(KEYS[firstKey + n - 1], ttl, ARGV[arg + 2])
    local isExceeded = cost > 0 and used(window) + cost > limit
    if isExceeded and ARGV[arg + 3] == '1' then takes = false end
    limits[n] = {limit = limit, ttl = ttl, cost = cost, window = window, isExceeded = isExceeded}
  end
  for _, each in ipairs(limits) do
    if takes and each.cost > 0 and not each.isExceeded then add(each.window, each.cost) end
  end
  return limits
end
local answers = {now}
local key, arg = 1, 1
while arg <= #ARGV do
  local size = tonumber(ARGV[arg])
  local isDone, limits = pcall(takeSet, key, arg + 2, size, ARGV[arg + 1] == '1')
  answers[#answers + 1] = isDone and 0 or type(limits) == 'table' and limits.err or tostring(limits)
  for n = 1, size do
    local answer = {0, 0, 0, 0}
    if isDone then
      local each = limits[n]
      local window = each.window
      local closes = window.state == 'new' and 0 or window.closes
      answer = {each.isExceeded and 1 or 0, used(window), reset(window, each.cost, each.limit, each.ttl), closes}
    end
    for _, value in ipairs(answer) do answers[#answers + 1] = value end
  end
  key, arg = key + size, arg + 2 + 5 * size
end
return answers
`);

/**
 * Arguments: limit, window length in ms, requested amount, lease id, kind of window.
 * Returns: granted amount, count, closing time, current time.
 */
export const LEASE = script(`${WINDOWS}
local limit, ttl = tonumber(ARGV[1]), tonumber(ARGV[2])
local window = find(KEYS[1], ttl, ARGV[5])
local granted = math.max(0, math.min(tonumber(ARGV[3]), limit - used(window)))
if granted == 0 then return {0, used(window), window.closes, now} end
add(window, granted)
if redis.call('HLEN', KEYS[1]) < ${LEASES_MAX + 4} then redis.call('HSET', KEYS[1], ARGV[4], granted) end
return {granted, used(window), window.closes, now}
`);

/** Arguments: lease id, unused amount. Returns the amount given back. */
export const GIVE_BACK = script(`${TIME}
if string.sub(ARGV[1], 1, 4) ~= 'lse_' then return 0 end
local window = redis.call('HMGET', KEYS[1], 'c', 'r', ARGV[1])
local granted = tonumber(window[3]) or 0
if granted == 0 then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
if tonumber(window[2]) <= now then return 0 end
local returned = math.min(tonumber(ARGV[2]), granted, tonumber(window[1]))
-- -0 is no number for Redis.
if returned > 0 then redis.call('HINCRBY', KEYS[1], 'c', -returned) end
return returned
`);

/**
 * Adds a count that a node made locally. Arguments: count, remaining ms of its window, length of the
 * window if it is sliding, otherwise 0.
 * Returns 0, count, closing time (0: no window is open), current time.
 */
export const MERGE = script(`${WINDOWS}
local amount, left, length = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local window = find(KEYS[1], length > 0 and length or left, length > 0 and '1' or '0')
if window.state == 'new' then
  if amount <= 0 then return {0, 0, 0, now} end
  window.closes = now + left
end
-- Not -window.count, which is -0 for 0, and no number for Redis.
add(window, math.max(amount, 0 - window.count))
return {0, used(window), window.closes, now}
`);

/** A window that closes at most this long before or after the remembered one is the same window. */
const SAME_WINDOW_MS = 10_000;

/**
 * Raises a count to at least what an earlier master returned: the replica that replaced it may lack the last
 * changes. Arguments: count, remaining ms of its window. Returns the same as MERGE.
 */
export const RAISE = script(`${WINDOWS}
local least, left = tonumber(ARGV[1]), tonumber(ARGV[2])
local isSliding = redis.call('HMGET', KEYS[1], 'w')[1] ~= false
local window = find(KEYS[1], left, isSliding and '1' or '0')
if window.state ~= 'next' and math.abs(window.closes - now - left) <= ${SAME_WINDOW_MS} then
  local missing = least - used(window)
  if missing > 0 then add(window, missing) end
end
if window.state == 'new' then return {0, 0, 0, now} end
return {0, used(window), window.closes, now}
`);
