/** The texts of the components. Numbers and times arrive formatted for the locale. */
export const en = {
  loading: 'Loading…',
  tryAgain: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  done: 'Done',
  never: 'Never',

  keys: {
    title: 'API keys',
    create: 'Create key',
    emptyTitle: 'No API keys yet',
    emptyText:
      'An API key identifies your application when it calls the API. Create one for each application, so that you can replace or revoke it without affecting the others.',
    emptyReadOnly: 'There are no API keys. You cannot create keys here.',
    showMore: 'Show more',
    inactive: (count: string) => `Inactive keys (${count})`,
    lastUsed: 'Last used',
    notUsed: 'Not used yet',
    created: 'Created',
    expires: 'Expires',
    expired: 'Expired',
    starts: 'Valid from',
    limit: 'Limit',
    unlimited: 'No limit',
    credits: 'Credits left',
    permissions: 'Permissions',
    value: 'Masked key',
    replaced: 'Replaced by a new key',
    rename: 'Rename',
    rotate: 'Rotate',
    revoke: 'Revoke',
    renameKey: (name: string) => `Rename ${name}`,
    renameTitle: (name: string) => `Rename “${name}”`,
    rotateKey: (name: string) => `Rotate ${name}`,
    revokeKey: (name: string) => `Revoke ${name}`,
  },

  states: {
    active: 'Active',
    expiring: 'Expires soon',
    expired: 'Expired',
    revoked: 'Revoked',
    notStarted: 'Not valid yet',
  },

  form: {
    name: 'Name',
    nameHint: 'Where you use the key, for example “Billing, production”.',
    nameMissing: 'Enter a name.',
    nameTooLong: 'Use at most 256 characters.',
    expiry: 'Expires',
    expiryNever: 'Never',
    expiryIn: (duration: string) => `In ${duration}`,
    expiryOn: 'On a date…',
    expiryDate: 'Expiry date',
    expiryPast: 'Choose a date in the future.',
    permissions: 'Permissions',
    permissionsMissing: 'Choose at least one permission.',
    save: 'Save',
    discardTitle: 'Discard your input?',
    stay: 'Stay',
    discard: 'Discard',
  },

  newValue: {
    created: 'Key created',
    rotated: 'Key rotated',
    copyNow: 'Copy this key now',
    once: 'It is shown only once. Store it like a password.',
    copyKey: 'Copy key',
    example: 'Use it',
    copyExample: 'Copy command',
    closeTitle: 'The key will not be shown again',
    closeText: 'Copy it first. If you lose it, rotate the key.',
    closeAnyway: 'Close anyway',
  },

  rotation: {
    title: (name: string) => `Rotate “${name}”`,
    text: 'Creates a new key with the same settings. Replace the old key in your application before it stops working.',
    grace: 'Old key stops working',
    immediately: 'Immediately',
    after: (duration: string) => `In ${duration}`,
    immediatelyHint: 'Applications that still use the old key are refused at once.',
    afterHint: (time: string) => `Both keys work until ${time}.`,
    expiresBefore: (time: string) => `The old key already expires before that, on ${time}.`,
  },

  revocation: {
    title: (name: string) => `Revoke “${name}”?`,
    text: 'Applications that use this key are refused at once. You cannot undo this.',
    confirm: 'Revoke key',
  },

  usage: {
    title: 'Usage',
    range: 'Time range',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    month: 'Last 30 days',
    key: 'Key',
    allKeys: 'All keys',
    accepted: 'Accepted',
    rejected: 'Refused',
    highest: (count: string) => `Highest: ${count}`,
    chart: 'Requests over time',
    point: 'Requests over time: point in time',
    emptyTitle: 'No requests in this period',
    emptyText: 'Requests with your API keys appear here within a few seconds.',
    showTable: 'Show as table',
    showChart: 'Show as chart',
    time: 'Time',
  },

  limits: {
    title: 'Limits and credits',
    used: (used: string, limit: string) => `${used} of ${limit} used`,
    rate: (count: string, window: string) => `${count} per ${window}`,
    left: (remaining: string, rate: string) => `${remaining} left of ${rate}`,
    shared: 'Shared by all keys',
    resets: (time: string) => `Resets ${time}`,
    refill: (time: string) => `Refills on ${time}`,
  },

  /** The hosted page, and the end of a session. */
  session: {
    expiredTitle: 'Your session has ended',
    expiredText:
      'For your security, this page can be used only for a limited time. Go back to where you opened it, and open it again.',
    backTo: (name: string) => `Back to ${name}`,
    noTokenTitle: 'This page must be opened from a link',
    noTokenText:
      'Open it from the website where you manage your account. After reloading the page, a new link is needed.',
    languageName: 'English',
    language: 'Language',
    pageTitle: 'API keys and usage',
  },

  errors: {
    unreachable: 'The server cannot be reached. Check your connection and try again.',
    busy: 'Too many requests. Wait a moment and try again.',
    unavailable: 'The service is not available at the moment. Try again in a moment.',
    denied: 'This is not allowed here.',
    origin:
      'This website may not show these API keys. Its operator must add it to the allowed origins.',
    notFound: 'This key no longer exists.',
    keyLimit:
      'You have reached the maximum number of active keys. Revoke one that you no longer use.',
    other: (message: string) => `That did not work: ${message}`,
  },

  units: {
    second: ['second', 'seconds'],
    minute: ['minute', 'minutes'],
    hour: ['hour', 'hours'],
    day: ['day', 'days'],
    week: ['week', 'weeks'],
    month: ['month', 'months'],
  },
};

export type Messages = typeof en;
