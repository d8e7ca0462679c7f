/** Same rule as on the server. */
export const PASSWORD_HINT = 'At least 12 characters. A few random words work well.';
