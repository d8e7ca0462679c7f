// Without this, Scalar's validation library tests whether `eval` is allowed, and the browser reports a violation
// of the content security policy.
globalThis.__zod_globalConfig = { jitless: true };

// What deletes comes last in its group, so that samples before it still have what they need; what belongs to something
// is deleted before it.
const deletes = ({ method }) => Number(method.toUpperCase() === 'DELETE');
const operationsSorter = (a, b) =>
  deletes(a) - deletes(b) || (deletes(a) && (a.path < b.path ? 1 : -1));

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
    operationsSorter,
    // Only the samples of the API description: tests run those.
    hiddenClients: true,
    authentication: { preferredSecurityScheme: 'accessKey' },
  });
});
