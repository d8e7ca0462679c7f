// Written by `npm run openapi` from docs/openapi.json; not to be edited.

/** Every operation of the API. `creates`: it takes an idempotency key. */
export const OPERATIONS = {
  createApiKey: { method: 'POST', path: '/api-keys', creates: true },
  listApiKeys: { method: 'GET', path: '/api-keys' },
  countApiKeys: { method: 'GET', path: '/api-keys/count' },
  getApiKey: { method: 'GET', path: '/api-keys/{key}' },
  updateApiKey: { method: 'PATCH', path: '/api-keys/{key}' },
  deleteApiKey: { method: 'DELETE', path: '/api-keys/{key}' },
  reactivateApiKey: { method: 'PATCH', path: '/api-keys/{key}/reactivate' },
  rotateApiKey: { method: 'POST', path: '/api-keys/{key}/rotate', creates: true },
  importApiKeys: { method: 'POST', path: '/api-keys/import' },
  validateApiKey: { method: 'POST', path: '/api-keys/auth/{key}' },
  validateApiKeyByGet: { method: 'GET', path: '/api-keys/auth/{key}' },
  validateApiKeys: { method: 'POST', path: '/api-keys/auth' },
  authenticateApiKey: { method: 'POST', path: '/auth/authenticate' },
  verifyForGateway: { method: 'GET', path: '/gateway/verify' },
  returnLeases: { method: 'POST', path: '/api-keys/leases/return' },
  explainApiKey: { method: 'POST', path: '/api-keys/{key}/explain' },
  createAccessKey: { method: 'POST', path: '/access-keys', creates: true },
  listAccessKeys: { method: 'GET', path: '/access-keys' },
  getAccessKey: { method: 'GET', path: '/access-keys/{key}' },
  updateAccessKey: { method: 'PATCH', path: '/access-keys/{key}' },
  deleteAccessKey: { method: 'DELETE', path: '/access-keys/{key}' },
  reactivateAccessKey: { method: 'PATCH', path: '/access-keys/{key}/reactivate' },
  rotateAccessKey: { method: 'POST', path: '/access-keys/{key}/rotate', creates: true },
  createProject: { method: 'POST', path: '/projects', creates: true },
  listProjects: { method: 'GET', path: '/projects' },
  getProject: { method: 'GET', path: '/projects/{id}' },
  updateProject: { method: 'PATCH', path: '/projects/{id}' },
  deleteProject: { method: 'DELETE', path: '/projects/{id}' },
  reactivateProject: { method: 'PATCH', path: '/projects/{id}/reactivate' },
  createAccount: { method: 'POST', path: '/accounts', creates: true },
  listAccounts: { method: 'GET', path: '/accounts' },
  getAccount: { method: 'GET', path: '/accounts/{id}' },
  updateAccount: { method: 'PATCH', path: '/accounts/{id}' },
  createInvitations: { method: 'POST', path: '/invitations', creates: true },
  listInvitations: { method: 'GET', path: '/invitations' },
  getInvitation: { method: 'GET', path: '/invitations/{id}' },
  updateInvitation: { method: 'PATCH', path: '/invitations/{id}' },
  deleteInvitation: { method: 'DELETE', path: '/invitations/{id}' },
  getInvitationInfo: { method: 'GET', path: '/invitations/{id}/info' },
  resendInvitation: { method: 'POST', path: '/invitations/{id}/resend' },
  acceptInvitation: { method: 'POST', path: '/invitations/{id}/accept' },
  getSignInMethods: { method: 'GET', path: '/auth/methods' },
  signIn: { method: 'POST', path: '/auth/sign-in' },
  signInWithTotp: { method: 'POST', path: '/auth/sign-in/totp' },
  signInWithRecoveryCode: { method: 'POST', path: '/auth/sign-in/recovery-code' },
  beginPasskeySignIn: { method: 'POST', path: '/auth/sign-in/passkey/options' },
  signInWithPasskey: { method: 'POST', path: '/auth/sign-in/passkey' },
  signOut: { method: 'POST', path: '/auth/sign-out' },
  beginProviderSignIn: { method: 'POST', path: '/auth/sign-in/provider' },
  finishProviderSignIn: { method: 'GET', path: '/auth/callback/{id}' },
  linkProvider: { method: 'POST', path: '/auth/providers' },
  changePassword: { method: 'POST', path: '/auth/password' },
  forgetPassword: { method: 'POST', path: '/auth/password/forgot' },
  resetPassword: { method: 'POST', path: '/auth/password/reset' },
  beginTwoFactor: { method: 'POST', path: '/auth/two-factor' },
  confirmTwoFactor: { method: 'POST', path: '/auth/two-factor/confirm' },
  newRecoveryCodes: { method: 'POST', path: '/auth/two-factor/recovery-codes' },
  endTwoFactor: { method: 'POST', path: '/auth/two-factor/disable' },
  listPasskeys: { method: 'GET', path: '/auth/passkeys' },
  addPasskey: { method: 'POST', path: '/auth/passkeys' },
  beginPasskey: { method: 'POST', path: '/auth/passkeys/options' },
  renamePasskey: { method: 'PATCH', path: '/auth/passkeys/{id}' },
  removePasskey: { method: 'DELETE', path: '/auth/passkeys/{id}' },
  listSessions: { method: 'GET', path: '/auth/sessions' },
  endOtherSessions: { method: 'DELETE', path: '/auth/sessions' },
  endSession: { method: 'DELETE', path: '/auth/sessions/{id}' },
  confirmIdentity: { method: 'POST', path: '/auth/confirm' },
  getMe: { method: 'GET', path: '/me' },
  updateMe: { method: 'PATCH', path: '/me' },
  getSetupInfo: { method: 'POST', path: '/auth/setup/info' },
  useSetupLink: { method: 'POST', path: '/auth/setup' },
  listTeammates: { method: 'GET', path: '/teammates' },
  getUserRoles: { method: 'GET', path: '/users/{id}/roles' },
  updateUserRole: { method: 'PATCH', path: '/users/{id}/roles' },
  deleteUserRole: { method: 'DELETE', path: '/users/{id}/roles' },
  leaveAccount: { method: 'DELETE', path: '/me/accounts/{id}' },
  createOwnerLink: { method: 'POST', path: '/accounts/{id}/owner-links' },
  createPasswordLink: { method: 'POST', path: '/users/{id}/password-links' },
  deleteSecondFactor: { method: 'DELETE', path: '/users/{id}/second-factor' },
  listWebhookTopics: { method: 'GET', path: '/webhooks/topics' },
  createWebhook: { method: 'POST', path: '/webhooks', creates: true },
  listWebhooks: { method: 'GET', path: '/webhooks' },
  getWebhook: { method: 'GET', path: '/webhooks/{id}' },
  updateWebhook: { method: 'PATCH', path: '/webhooks/{id}' },
  deleteWebhook: { method: 'DELETE', path: '/webhooks/{id}' },
  rotateWebhookSecret: { method: 'POST', path: '/webhooks/{id}/rotate-secret' },
  pingWebhook: { method: 'POST', path: '/webhooks/ping' },
  listWebhookDeliveries: { method: 'GET', path: '/webhooks/{id}/deliveries' },
  getWebhookDelivery: { method: 'GET', path: '/webhooks/{id}/deliveries/{delivery}' },
  retryWebhookDelivery: { method: 'POST', path: '/webhooks/{id}/deliveries/{delivery}/retry' },
  startWebhookReplay: { method: 'POST', path: '/webhooks/{id}/replay', creates: true },
  listWebhookReplays: { method: 'GET', path: '/webhooks/{id}/replays' },
  getWebhookReplay: { method: 'GET', path: '/webhooks/{id}/replays/{replay}' },
  listAuditLogs: { method: 'GET', path: '/audit-logs' },
  getApiKeyTotals: { method: 'GET', path: '/analytics/api-key-totals' },
  getProjectTotals: { method: 'GET', path: '/analytics/project-totals' },
  getUsage: { method: 'GET', path: '/analytics/usage' },
  reportUsage: { method: 'POST', path: '/usage' },
  streamChanges: { method: 'GET', path: '/changes' },
  health: { method: 'GET', path: '/healthz' },
  readiness: { method: 'GET', path: '/readyz' },
  getEngines: { method: 'GET', path: '/engines' },
  product: { method: 'GET', path: '/' },
} as const satisfies Record<string, { method: string; path: string; creates?: true }>;

/** Every `code` that the server answers with; each has a page in docs/errors. */
export type ErrorCode =
  | 'invalid_body'
  | 'invalid_json'
  | 'invalid_query'
  | 'invalid_path'
  | 'invalid_header'
  | 'invalid_request'
  | 'invalid_cursor'
  | 'invalid_key_value'
  | 'project_required'
  | 'account_required'
  | 'password_weak'
  | 'credential_missing'
  | 'credential_invalid'
  | 'credential_revoked'
  | 'credential_expired'
  | 'key_missing'
  | 'session_invalid'
  | 'sign_in_failed'
  | 'second_factor_failed'
  | 'second_factor_expired'
  | 'passkey_failed'
  | 'scope_missing'
  | 'level_too_low'
  | 'grant_exceeds_own'
  | 'domain_denied'
  | 'ip_denied'
  | 'permission_denied'
  | 'people_only'
  | 'operator_only'
  | 'origin_denied'
  | 'confirmation_required'
  | 'password_wrong'
  | 'route_not_found'
  | 'key_not_found'
  | 'key_malformed'
  | 'key_revoked'
  | 'key_expired'
  | 'key_not_started'
  | 'key_project_inactive'
  | 'access_key_not_found'
  | 'project_not_found'
  | 'account_not_found'
  | 'invitation_not_found'
  | 'user_not_found'
  | 'session_not_found'
  | 'passkey_not_found'
  | 'provider_not_found'
  | 'link_invalid'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'replay_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'key_exists'
  | 'access_key_exists'
  | 'project_inactive'
  | 'key_inactive'
  | 'invitation_closed'
  | 'already_member'
  | 'person_exists'
  | 'last_owner'
  | 'role_account_wide'
  | 'two_factor_on'
  | 'two_factor_off'
  | 'mail_unavailable'
  | 'webhook_not_live'
  | 'delivery_cancelled'
  | 'secret_rotating'
  | 'replay_running'
  | 'idempotency_in_flight'
  | 'edit_conflict'
  | 'batch_too_large'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'management_rate_limited'
  | 'sign_in_throttled'
  | 'too_many_pings'
  | 'too_many_reporters'
  | 'too_many_streams'
  | 'headers_too_large'
  | 'internal_error'
  | 'overloaded'
  | 'starting_up'
  | 'shutting_down'
  | 'node_isolated'
  | 'keyward_unavailable'
  | 'storage_full'
  | 'storage_unavailable';

/** Every topic that a webhook can subscribe to. */
export const TOPICS = [
  'api-key.created',
  'api-key.deleted',
  'api-key.updated',
  'api-key.firstUsed',
  'access-key.created',
  'access-key.updated',
  'access-key.deleted',
  'project.updated',
] as const;
export type Topic = (typeof TOPICS)[number];
