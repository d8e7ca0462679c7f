-- Validates the keys of a file in rotation. Every thread begins at a place of its own, so that
-- several do not ask for the same key at the same moment.
local threads = 0

function setup(thread)
  thread:set("place", threads)
  threads = threads + 1
end

function init(args)
  local headers = { ["x-api-key"] = args[2] }
  requests = {}
  for key in io.lines(args[1]) do
    -- Made ahead: the generator should cost as little as it can while it is measured.
    requests[#requests + 1] = wrk.format("POST", "/api-keys/auth/" .. key, headers)
  end
  cursor = (tonumber(args[3]) + place * 7919) % #requests
end

function request()
  cursor = cursor % #requests + 1
  return requests[cursor]
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format(
    '{"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"failures":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, failures))
end
