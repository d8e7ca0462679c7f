/** As the server asks for it. */
export const PASSWORD_HINT = 'At least 12 characters. A few random words work well.';
