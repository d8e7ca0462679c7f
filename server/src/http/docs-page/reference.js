// Without this, Scalar's validation library tests whether `eval` is allowed, and the browser reports a violation
// of the content security policy.
globalThis.__zod_globalConfig = { jitless: true };

// Features of Scalar that call other servers are off. The access key stays in memory, until the page is closed.
addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    withDefaultFonts: false,
    telemetry: false,
    persistAuth: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true, hideAddApi: true },
    mcp: { disabled: true },
    documentDownloadType: 'json',
    modelsSectionLabel: 'Schemas',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: 'accessKey' },
  });
});
