-- Asks Keyward about the key of a request, and puts what it says on the request.
local url = os.getenv('KEYWARD_URL') .. '/gateway/verify'
local access_key = os.getenv('KEYWARD_ACCESS_KEY_VALUE')

local told = {
  'x-keyward-key-id', 'x-keyward-project-id', 'x-keyward-account-id', 'x-keyward-user-id',
  'x-keyward-name', 'x-keyward-env', 'x-keyward-metadata',
}

-- HAProxy numbers the values of a header from 0.
local function first(headers, name)
  return headers[name] and headers[name][0]
end

core.register_action('keyward_verify', { 'http-req' }, function(txn)
  local request = txn.http:req_get_headers()
  local asked = {
    ['x-keyward-access-key'] = { access_key },
    ['x-keyward-key'] = { first(request, 'x-api-key') or first(request, 'authorization') or '' },
  }
  local origin = first(request, 'origin')
  local host = origin and origin:match('^https?://([^/]+)$')
  if host then asked['x-origin-domain'] = { host } end

  local answer = core.httpclient():get({ url = url, headers = asked, timeout = 2000 })
  if not answer or not answer.headers then return end
  txn:set_var('txn.keyward_status', first(answer.headers, 'x-keyward-status') or '')
  txn:set_var('txn.keyward_code', first(answer.headers, 'x-keyward-code') or '')
  txn:set_var('txn.keyward_retry_after', first(answer.headers, 'retry-after') or '')
  for _, name in ipairs(told) do
    local value = first(answer.headers, name)
    if value then txn.http:req_set_header(name, value) end
  end
end, 0)
