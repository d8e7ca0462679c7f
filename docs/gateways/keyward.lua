-- Asks Keyward about the key of a request, and sets the result as variables and headers of the request.
local url = os.getenv('KEYWARD_URL') .. '/gateway/verify?ip='
local access_key = os.getenv('KEYWARD_ACCESS_KEY_VALUE')

local identity = {
  'x-keyward-key-id', 'x-keyward-project-id', 'x-keyward-account-id', 'x-keyward-user-id',
  'x-keyward-name', 'x-keyward-env', 'x-keyward-metadata',
}
local variables = {
  ['txn.keyward_status'] = 'x-keyward-status',
  ['txn.keyward_code'] = 'x-keyward-code',
  ['txn.keyward_retry_after'] = 'retry-after',
  ['txn.keyward_limit'] = 'ratelimit-limit',
  ['txn.keyward_remaining'] = 'ratelimit-remaining',
  ['txn.keyward_reset'] = 'ratelimit-reset',
  ['txn.keyward_consumed'] = 'ratelimit-consumed',
  ['txn.keyward_reset_in'] = 'retry-after-seconds',
}

-- HAProxy numbers the values of a header from 0.
local function first(headers, name)
  return headers[name] and headers[name][0]
end

core.register_action('keyward_verify', { 'http-req' }, function(txn)
  local request = txn.http:req_get_headers()
  local headers = {
    ['x-keyward-access-key'] = { access_key },
    ['x-keyward-key'] = { first(request, 'x-api-key') or first(request, 'authorization') or '' },
  }
  local origin = first(request, 'origin')
  local host = origin and origin:match('^https?://([^/]+)$')
  if host then headers['x-origin-domain'] = { host } end

  -- The query is written here as a whole, from variables: nothing of it may come from the user.
  local target = url .. txn:get_var('txn.keyward_ip')
  local permission = txn:get_var('txn.keyward_permission')
  if permission ~= 'any' then target = target .. '&permission=' .. permission end
  local resource = txn:get_var('txn.keyward_resource')
  if resource then target = target .. '&resource=' .. resource end

  local response = core.httpclient():get({ url = target, headers = headers, timeout = 1000 })
  -- Without X-Keyward-Status, the response says nothing about the key.
  if not response or not response.headers or not first(response.headers, 'x-keyward-status') then return end
  for variable, name in pairs(variables) do
    local value = first(response.headers, name)
    if value then txn:set_var(variable, value) end
  end
  for _, name in ipairs(identity) do
    local value = first(response.headers, name)
    if value then txn.http:req_set_header(name, value) end
  end
end, 0)
