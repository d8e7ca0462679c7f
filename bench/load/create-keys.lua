-- Creates keys with the same body over and over, and tells how many were acknowledged.
function init(args)
  local body = args[2]
  wrk.method = "POST"
  wrk.body = body
  wrk.headers["x-api-key"] = args[1]
  wrk.headers["content-type"] = "application/json"
  made = wrk.format("POST", "/api-keys")
end

function request()
  return made
end

function done(summary)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.timeout + errors.status
  print(string.format('{"keys":%d,"seconds":%.6f,"failures":%d}',
    summary.requests, summary.duration / 1e6, failures))
end
