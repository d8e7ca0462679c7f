-- Validates the keys of a file in rotation, one a call or several in its body. Every thread begins
-- at a place of its own, so that several do not ask for the same key at the same moment.
local threads = 0

function setup(thread)
  thread:set("place", threads)
  threads = threads + 1
end

-- Made ahead, and without wrk.format: the generator should cost as little as it can, and a short
-- stretch should not begin with a long preparation.
local function single(key, rest)
  return "POST /api-keys/auth/" .. key .. rest .. "\r\n"
end

local function batch(keys, rest)
  local body = '{"keys":["' .. table.concat(keys, '","') .. '"]}'
  return "POST /api-keys/auth" .. rest .. "Content-Type: application/json\r\nContent-Length: "
    .. #body .. "\r\n\r\n" .. body
end

function init(args)
  local rest = " HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: " .. args[2] .. "\r\n"
  local size = tonumber(args[4])
  requests = {}
  local keys = {}
  for key in io.lines(args[1]) do
    if size == 1 then
      requests[#requests + 1] = single(key, rest)
    else
      keys[#keys + 1] = key
      if #keys == size then
        requests[#requests + 1] = batch(keys, rest)
        keys = {}
      end
    end
  end
  cursor = (tonumber(args[3]) + place * 7919) % #requests
end

function request()
  cursor = cursor % #requests + 1
  return requests[cursor]
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.timeout
  print(string.format(
    '{"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"p999Ms":%.4f,"refused":%d,"failures":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3, errors.status, failures))
end
