-- Sends the requests of a file in rotation. Each line is a path, or a path, a tab and a JSON body.
-- The requests are built before the run, so that the generator costs as little as possible.
function init(args)
  local head = " HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: " .. args[2] .. "\r\n"
  requests = {}
  for line in io.lines(args[1]) do
    local tab = line:find("\t", 1, true)
    if tab then
      local body = line:sub(tab + 1)
      requests[#requests + 1] = "POST " .. line:sub(1, tab - 1) .. head
        .. "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    else
      requests[#requests + 1] = "POST " .. line .. head .. "\r\n"
    end
  end
  cursor = tonumber(args[3]) % #requests
end

function request()
  cursor = cursor % #requests + 1
  return requests[cursor]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%.6f,"p99Ms":%.4f,"rejected":%d,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
